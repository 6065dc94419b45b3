"""A whole curator over a store that is put back: it ends with 6, and is restored."""

from __future__ import annotations

import shutil

import pytest
from redis import Redis

from embedded.redis_server import EmbeddedRedis
from tests.fixtures.cli import sigma
from tests.fixtures.curator_steps import group
from tests.fixtures.redis_server import binary
from tests.fixtures.stream_of_rows import DECLARED, Stream, schema
from tests.fixtures.worker_processes import about, kill, worker_processes
from tests.integration.test_standby import propose

# The topic itself is tried on both brokers in test_audit_topic.py.
pytestmark = [pytest.mark.kafka, pytest.mark.redis]


def flushed(server, _copy):
    """FLUSHALL."""
    with Redis.from_url(server.url) as redis:
        redis.flushall()


def put_back(server, copy):
    """The older append-only file."""
    server.kill()
    shutil.rmtree(server.data)
    shutil.copytree(copy, server.data)
    server.start()


def verb(processes, *words):
    """``sigma ledger …`` as an admin."""
    given = processes.place.environment("admin")
    return sigma(
        *words, **{k.removeprefix("SIGMA_").lower(): v for k, v in given.items()}
    )


def restored(processes):
    """What the operator reads; the ledger is behind before, and not after."""
    before, done = verb(processes, "ledger"), verb(processes, "ledger", "restore")
    assert (before.code, done.code) == (6, 0), before.out + done.err
    assert verb(processes, "ledger").code == 0
    return done.out


@pytest.mark.attack
@pytest.mark.parametrize("lose", [flushed, put_back])
def test_a_running_curator_ends_with_6_and_goes_on_once_it_is_restored(
    kafka, dataset, tmp_path, lose
):
    """Epochs go on above all that were shown, and the ledger has every charge."""
    data, copy = tmp_path / "data", tmp_path / "copy"
    with (
        EmbeddedRedis(data, binary=binary()) as server,
        worker_processes(kafka, server, DECLARED, dataset, tmp_path) as processes,
        Stream(kafka, processes.topics),
    ):
        propose(kafka, processes.topics, dataset, group(schema(dataset), "city", "sex"))
        [counter], [curator] = processes.start("counter"), processes.start("curator")
        processes.wait(lambda: about(curator).get("plan") == 1)
        server.stop()
        shutil.copytree(data, copy)
        server.start()
        epoch = about(curator).get("epoch") or 1
        processes.wait(lambda: (about(curator).get("epoch") or 0) >= epoch + 2)

        lose(server, copy)

        processes.wait(lambda: curator.process.poll() is not None)
        assert curator.process.returncode == 6, processes.logs()[-4_000:]
        assert "sigma ledger restore" in curator.log.read_text()
        assert "brought back" in restored(processes)
        if counter.process.poll() is None:
            kill(counter)
        counter.start()
        curator.start()
        processes.wait(lambda: (about(curator).get("epoch") or 0) > epoch + 2)
        assert verb(processes, "ledger").code == 0
