"""A worker whose servers are away says so on /ready, by the name of what it tries."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

import pytest

from embedded.redis_server import EmbeddedRedis
from tests.fixtures.worker_processes import PEOPLE, about, page, worker_processes

pytestmark = [pytest.mark.redis, pytest.mark.kafka]

IMPATIENT = {
    "SIGMA_WEB_STUCK_SECONDS": "2",
    "SIGMA_REDIS_TIMEOUT_SECONDS": "0.5",
    "SIGMA_RECLUSTER_LEASE_MS": "1500",
}
# What each role tries all the time, so that it fails without a store.
TRIED = {
    "responder": {"head_read"},
    "reclusterer": {"lease_held", "request_read"},
    "curator": {"lease_held", "counts_read", "audit_checked", "totals_read"},
}


@contextmanager
def away(server):
    """It takes connections and answers nobody, as one that swaps or is stopped."""
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


def test_a_worker_that_repeats_one_act_is_not_ready_and_names_it(
    kafka, dataset, tmp_path
):
    """Until the act succeeds: then it is ready again, by itself."""
    with (
        EmbeddedRedis() as store,
        worker_processes(kafka, store, PEOPLE, dataset, tmp_path) as processes,
    ):
        members = {role: processes.start(role, **IMPATIENT)[0] for role in TRIED}
        for member in members.values():
            processes.wait(member.ready)
        at_first = [about(member)["stuck"] for member in members.values()]

        with away(store):
            for member in members.values():
                processes.wait(lambda m=member: not about(m).get("ready", True))
            named = {
                role: set(about(member)["stuck"]) for role, member in members.items()
            }
            shown = {role: page(member, "metrics") for role, member in members.items()}
        for member in members.values():
            processes.wait(member.ready)
        at_last = [about(member)["stuck"] for member in members.values()]
        logs = processes.logs()

    assert at_first == at_last == [[], [], []]
    for role, stuck in named.items():
        assert stuck, role
        assert stuck <= TRIED[role]
        assert f'sigma_ready{{role="{role}"}} 0.0' in shown[role]
        for act in stuck:
            line = f'sigma_failing_seconds{{act="{act}",role="{role}"}} '
            assert float(shown[role].split(line)[1].split()[0]) > 2
    assert "Traceback" not in logs
