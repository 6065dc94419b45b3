"""A worker's life as its supervisor sees it: what it says, and how it ends."""

from __future__ import annotations

import json
import signal
from urllib.parse import urlsplit

import pytest
from redis import Redis

from store.keys import LEDGER_ENTRIES, Keys
from tests.fixtures.until import CEILING
from tests.fixtures.worker_processes import PEOPLE, worker_processes

pytestmark = [pytest.mark.kafka, pytest.mark.redis]

SECONDS = CEILING  # imports alone take seconds on a loaded machine


@pytest.fixture
def staff(kafka, redis_server, dataset, tmp_path):
    """Nobody yet."""
    with worker_processes(kafka, redis_server, PEOPLE, dataset, tmp_path) as staff:
        yield staff


def said(member):
    """All that it wrote."""
    return member.log.read_text()


def ended(member, with_signal=None):
    """Its exit code."""
    if with_signal is not None:
        member.process.send_signal(with_signal)
    return member.process.wait(SECONDS)


@pytest.mark.parametrize("role", ["counter", "curator"])
def test_a_worker_tells_its_life(staff, role):
    """Started with what, ready, leading or not, stopped; no password anywhere."""
    [member] = staff.hire(role)
    staff.wait(lambda: "event=ready" in said(member))
    leads = role == "curator"
    if leads:
        staff.wait(lambda: "event=leading_began" in said(member))

    assert ended(member, signal.SIGTERM) == 0

    told = said(member)
    place = urlsplit(staff.place.urls[role])
    assert f"dataset={staff.place.dataset.split('/')[-1].removesuffix('.toml')}" in told
    assert f"redis={place.hostname}:{place.port}" in told
    assert f"kafka={staff.place.bootstrap}" in told
    assert "version=" in told
    assert ("event=leading_ended" in told) is leads
    assert "event=stopped exit=0" in told
    assert place.password not in told
    assert "part=aiokafka" not in told


def test_a_worker_stops_while_it_waits_for_its_store(staff):
    """SIGTERM before anything answered, also for a process that is number 1."""
    [member] = staff.hire("curator", SIGMA_REDIS_URL="redis://127.0.0.1:1")
    staff.wait(lambda: "event=started" in said(member))

    assert ended(member, signal.SIGTERM) == 0


@pytest.mark.parametrize("role", ["counter", "responder"])
def test_a_wrong_password_ends_a_worker_at_once(staff, role):
    """Code 2, so that nobody starts it again; the settings are named."""
    url = staff.place.urls[role].replace(":", ":x", 2).replace(":x//", "://", 1)
    [member] = staff.hire(role, SIGMA_REDIS_URL=url)

    assert ended(member) == 2
    assert "SIGMA_REDIS_USER and SIGMA_REDIS_PASSWORD" in said(member)
    assert "unknown" not in said(member)


def test_a_user_of_another_role_ends_a_worker_at_once(staff):
    """What it may not do is named, and where its rights come from."""
    [member] = staff.hire("counter", SIGMA_REDIS_URL=staff.place.urls["responder"])

    assert ended(member) == 2
    assert "does not let" in said(member)
    assert "sigma acl" in said(member)


def test_a_curator_with_another_rule_than_its_ledger_ends_at_once(staff):
    """Code 2, so that nobody starts it again; it says which rule, and what to do."""
    [first] = staff.hire("curator")
    staff.wait(lambda: "event=leading_began" in said(first))
    staff.wait(lambda: pinned(staff) == ["rule:fixed-noise:0"])
    assert ended(first, signal.SIGTERM) == 0

    [second] = staff.hire("curator", SIGMA_PRIVACY_RULE="renew")

    assert ended(second) == 2
    assert "sigma ledger rule renew" in said(second)


def pinned(staff):
    """Ids of the ledger's lines."""
    dataset = staff.place.dataset.split("/")[-1].removesuffix(".toml")
    with Redis.from_url(staff.place.urls["admin"]) as redis:
        lines = redis.lrange(Keys(dataset).of(LEDGER_ENTRIES), 0, -1)
    return [json.loads(line)["charge"]["charge_id"] for line in lines]
