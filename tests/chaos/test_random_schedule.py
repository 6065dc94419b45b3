"""Seven workers, one broker, one store; whatever fails next is drawn from a seed.

Workers are killed, stopped in order and paused, the store is killed; what a broker's
death does is in `test_broker_accidents.py`. `make chaos ARGS="--minutes 30 --seed 7"`
makes it last.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import time
from collections import Counter

import pytest

from embedded.redis_server import EmbeddedRedis
from tests.fixtures.balance import assert_balanced
from tests.fixtures.redis_server import binary
from tests.fixtures.whole_service import at_work

pytestmark = [pytest.mark.chaos, pytest.mark.redis, pytest.mark.kafka]

WORKERS = {"counters": 2, "curators": 2, "responders": 2}  # and a reclusterer
LEASES = 5.0  # seconds: a pause that outlives the lease, and a session nearly
FIRST = ("kill", "pause", "stop", "store")  # each at least once, then at random


@pytest.fixture
def server(tmp_path):
    """A store of its own."""
    with EmbeddedRedis(tmp_path / "data", binary=binary()) as server:
        yield server


class Fate:
    """What fails next, whom it meets, and how often each did."""

    def __init__(self, service, server, seed):
        self._service, self._server = service, server
        self._dice, self._first = random.Random(seed), iter(FIRST)
        self.happened = Counter()

    def strikes(self):
        """One accident, and a while to feel it."""
        kind = next(self._first, None) or self._dice.choice(FIRST)
        member = self._dice.choice(self._service.processes.members)
        self.happened[f"{kind} {member.role}" if kind != "store" else kind] += 1
        getattr(self, f"_{kind}")(member.process.pid)
        time.sleep(self._dice.uniform(0.1, 2.0))  # the schedule itself is time

    def _kill(self, pid):
        os.kill(pid, signal.SIGKILL)

    def _stop(self, pid):
        os.kill(pid, signal.SIGTERM)

    def _pause(self, pid):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(self._dice.uniform(0.2, LEASES))
        os.kill(pid, signal.SIGCONT)

    def _store(self, _pid):
        self._server.kill()
        time.sleep(self._dice.uniform(0.0, 2.0))
        self._server.start()


def test_whatever_fails_the_books_balance(
    kafka, server, dataset, tmp_path, seconds, seed, figures
):
    """Who ended is started again at once, as an orchestrator would."""
    with at_work(kafka, server, dataset, tmp_path, seed=seed) as work:
        service = work[0]
        service.opened(**WORKERS)
        service.processes.start("reclusterer")
        fate, end = Fate(service, server, seed), time.monotonic() + seconds
        for number in itertools.count():
            if number >= len(FIRST) and time.monotonic() > end:
                break
            fate.strikes()
            service.revive()

        balanced = assert_balanced(*work)
    struck = ", ".join(f"{n} × {what}" for what, n in sorted(fate.happened.items()))
    figures(f"seed {seed}, {seconds:.0f} s: {struck}; {balanced}")
