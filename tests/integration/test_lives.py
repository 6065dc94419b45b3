"""A worker's life as its supervisor sees it: what it says, and how it ends."""

from __future__ import annotations

import json
import signal
from urllib.parse import urlsplit

import pytest
from redis import Redis

from store.keys import LEDGER_ENTRIES, Keys
from tests.fixtures.until import CEILING
from tests.fixtures.worker_processes import PEOPLE, commanded, worker_processes

pytestmark = [pytest.mark.kafka, pytest.mark.redis]

IN_RHO = {
    "SIGMA_PRIVACY_MEASURE": "zcdp",
    "SIGMA_PRIVACY_DELTA": "1e-9",
}
SECONDS = CEILING  # imports alone take seconds on a loaded machine


@pytest.fixture
def processes(kafka, redis_server, dataset, tmp_path):
    """Nobody yet."""
    with worker_processes(
        kafka, redis_server, PEOPLE, dataset, tmp_path, commanded
    ) as processes:
        yield processes


def said(member):
    """All that it wrote."""
    return member.log.read_text()


def ended(member, with_signal=None):
    """Its exit code."""
    if with_signal is not None:
        member.process.send_signal(with_signal)
    return member.process.wait(SECONDS)


@pytest.mark.parametrize("role", ["counter", "curator"])
def test_a_worker_tells_its_life(processes, role):
    """Started with what, ready, leading or not, stopped; no password anywhere."""
    [member] = processes.start(role)
    processes.wait(lambda: "event=ready" in said(member))
    leads = role == "curator"
    if leads:
        processes.wait(lambda: "event=leading_began" in said(member))

    assert ended(member, signal.SIGTERM) == 0

    logged = said(member)
    place = urlsplit(processes.place.urls[role])
    assert (
        f"dataset={processes.place.dataset.split('/')[-1].removesuffix('.toml')}"
        in logged
    )
    assert f"redis={place.hostname}:{place.port}" in logged
    assert f"kafka={processes.place.bootstrap}" in logged
    assert "version=" in logged
    assert ("event=leading_ended" in logged) is leads
    assert "event=stopped exit=0" in logged
    assert place.password not in logged
    assert "part=aiokafka" not in logged


def test_a_worker_stops_while_it_waits_for_its_store(processes):
    """SIGTERM before anything answered, also for a process that is number 1."""
    [member] = processes.start("curator", SIGMA_REDIS_URL="redis://127.0.0.1:1")
    processes.wait(lambda: "event=started" in said(member))

    assert ended(member, signal.SIGTERM) == 0


@pytest.mark.parametrize("role", ["counter", "responder"])
def test_a_wrong_password_ends_a_worker_at_once(processes, role):
    """Code 2, so that nobody starts it again; the settings are named."""
    url = processes.place.urls[role].replace(":", ":x", 2).replace(":x//", "://", 1)
    [member] = processes.start(role, SIGMA_REDIS_URL=url)

    assert ended(member) == 2
    assert "SIGMA_REDIS_USER and SIGMA_REDIS_PASSWORD" in said(member)
    assert "unknown" not in said(member)


def test_a_user_of_another_role_ends_a_worker_at_once(processes):
    """What it may not do is named, and where its rights come from."""
    [member] = processes.start(
        "counter", SIGMA_REDIS_URL=processes.place.urls["responder"]
    )

    assert ended(member) == 2
    assert "does not let" in said(member)
    assert "sigma acl" in said(member)


def test_a_curator_of_another_rule_or_measure_than_its_ledger_ends_at_once(processes):
    """Code 2, so that nobody starts it again; it says which, and what to do."""
    [first] = processes.start("curator")
    processes.wait(lambda: "event=leading_began" in said(first))
    processes.wait(lambda: pinned(processes) == ["rule:fixed-noise:0"])
    assert ended(first, signal.SIGTERM) == 0

    [second] = processes.start("curator", SIGMA_PRIVACY_RULE="renew")
    [third] = processes.start("curator", **IN_RHO)

    assert (ended(second), ended(third)) == (2, 2)
    assert "sigma ledger rule renew" in said(second)
    assert "is kept in epsilon for as long as the dataset lives" in said(third)


def pinned(processes):
    """Ids of the ledger's lines."""
    dataset = processes.place.dataset.split("/")[-1].removesuffix(".toml")
    with Redis.from_url(processes.place.urls["admin"]) as redis:
        lines = redis.lrange(Keys(dataset).of(LEDGER_ENTRIES), 0, -1)
    return [json.loads(line)["charge"]["charge_id"] for line in lines]
