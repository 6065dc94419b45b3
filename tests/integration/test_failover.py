"""A whole service over a failover of its store: what was in step goes on, a lost tail
is noticed and brought back.
"""

from __future__ import annotations

import pytest
from redis import Redis

from embedded.ports import HOST
from tests.fixtures.curator_steps import group
from tests.fixtures.sentinels import MASTER, watched
from tests.fixtures.stream_of_rows import DECLARED, Stream, schema
from tests.fixtures.worker_processes import about, worker_processes
from tests.integration.test_standby import propose
from tests.integration.test_store_went_back import restored, verb

pytestmark = [pytest.mark.kafka, pytest.mark.redis]


@pytest.fixture
def place(tmp_path):
    """Servers whose replica may be behind for a while and still become the master."""
    with watched(tmp_path, down_ms=1_000) as servers:
        yield servers


def rejoined(place, server):
    """A server that was down follows the one that took its place."""
    server.start()
    word = server.passwords["admin"]
    with Redis.from_url(server.url) as redis:
        redis.config_set("masteruser", "admin")
        redis.config_set("masterauth", word)
        redis.replicaof(HOST, place.master().port)


def cut_off(server):
    """The replica hears nothing more of its master: each acts on by itself."""
    with Redis.from_url(server.url) as redis:
        redis.config_set("masterauth", "another")
        redis.execute_command("CLIENT", "KILL", "TYPE", "master")


@pytest.fixture
def service(kafka, place, dataset, tmp_path):
    """A counter and a curator at work behind the sentinels, rows that keep coming."""
    first = place.servers[0]
    with (
        worker_processes(kafka, first, DECLARED, dataset, tmp_path) as processes,
        Stream(kafka, processes.topics),
    ):
        processes.settings |= {
            "SIGMA_REDIS_SENTINELS": place.sentinels,
            "SIGMA_REDIS_SENTINEL_MASTER": MASTER,
        }
        propose(kafka, processes.topics, dataset, group(schema(dataset), "city", "sex"))
        processes.start("counter")
        [curator] = processes.start("curator")
        processes.wait(lambda: about(curator).get("plan") == 1)
        processes.wait(place.in_step)
        yield processes


def some_epochs(processes):
    """Two more; how far the curator is then."""
    _, curator = processes.members

    def epoch():
        return about(curator).get("epoch") or 0

    seen = epoch()
    return processes.wait(lambda: epoch() if epoch() >= seen + 2 else 0)


def test_a_service_follows_the_master_and_notices_what_it_forgot(place, service):
    """No worker has to be started again unless charges were lost."""
    first, second = place.servers
    counter, curator = service.members
    first.kill()
    service.wait(lambda: place.master() is second)
    some_epochs(service)
    assert (counter.process.poll(), curator.process.poll()) == (None, None)

    rejoined(place, first)
    service.wait(place.in_step)
    cut_off(first)
    some_epochs(service)
    second.kill()

    service.wait(lambda: curator.process.poll() is not None)
    assert place.master() is first
    assert curator.process.returncode == 6, service.logs()[-4_000:]
    service.place.urls["admin"] = first.url
    assert "brought back" in restored(service)
    curator.start()
    some_epochs(service)
    assert verb(service, "ledger").code == 0
