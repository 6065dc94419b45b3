"""Real workers are killed just before a script runs, and just after it has run.

A proxy in front of the store sees the call: it kills the worker that sent it before the
store hears of it, or when the store has answered and the worker has not heard. Crashes
between acts inside one process are in ``tests/shell/test_curator_crashes.py``.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import signal
import threading
from contextlib import ExitStack

import pytest

from store.server.functions import library
from tests.fixtures.balance import assert_balanced
from tests.fixtures.continual_steps import counted
from tests.fixtures.minutes import SHORT_S
from tests.fixtures.proxy import Proxy
from tests.fixtures.stream_of_rows import schema
from tests.fixtures.tick_books import assert_ticks
from tests.fixtures.whole_service import at_work

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.one_broker,
    pytest.mark.redis,
]

EDGES = ("before", "after")
OF_COUNTERS = ("noise_step", "noise_fold", "charge", "publish")
CONTINUAL = {
    "SIGMA_PRIVACY_RULE": "continual",
    "SIGMA_PRIVACY_HORIZON": "128",
    "SIGMA_PRIVACY_MEASURE": "zcdp",
    "SIGMA_PRIVACY_DELTA": "1e-9",
}
IN_A_HURRY = 2  # of all the edges, drawn anew in each run; `--minutes` tries all
BY_ITSELF = ("apply", "charge", "noise_put", "basis_put", "publish", "memo_put")
AT_A_TAKEOVER = ("lease_acquire", "fence", "ledger_open")


class Victims:
    """Workers with a proxy each, so that the one that calls is the one that dies."""

    def __init__(self, service, redis_server, stack):
        self._service, self._redis, self._stack = service, redis_server, stack
        self._proxies = {}

    def start(self, role, **extra):
        """One more worker, behind a proxy of its own."""
        proxy = self._stack.enter_context(Proxy(self._redis.host, self._redis.port))
        url = proxy.url(self._redis.url_for(role))
        [member] = self._service.processes.start(role, SIGMA_REDIS_URL=url, **extra)
        self._proxies[member.name] = (member, proxy)

    def killed(self, script, edge, provoke, nth=1):
        """Whoever calls the script for the nth time is killed at that edge of it."""
        word = library().function(script).encode() + b"\r\n"
        once, dead = threading.Lock(), threading.Event()

        def killing(member):
            def kill():
                if once.acquire(blocking=False):
                    os.kill(member.process.pid, signal.SIGKILL)
                    dead.set()

            return kill

        for member, proxy in self._proxies.values():
            proxy.at(word, nth, edge, killing(member))
        provoke()
        self._service.wait(dead.is_set)
        for _, proxy in self._proxies.values():
            proxy.snare = None


def test_the_books_of_counters_balance_after_every_edge(
    kafka, redis_server, dataset, tmp_path, seconds, seed, figures
):
    """Steps and folds of a service whose noise goes on: no tick has two lives.

    A fold comes at every 64th tick, so at most once in half a minute.
    """
    hurried = seconds <= SHORT_S
    plan = counted(schema(dataset), "city")
    with (
        ExitStack() as stack,
        at_work(kafka, redis_server, dataset, tmp_path, CONTINUAL, plan) as work,
    ):
        service = work[0]
        victims = Victims(service, redis_server, stack)
        for role in ("counter", "curator", "curator"):
            victims.start(role)
        service.opened(counters=0, curators=0, responders=1)

        edges = list(itertools.product(OF_COUNTERS, EDGES))
        chosen = random.Random(seed).sample(edges, IN_A_HURRY) if hurried else edges
        for script, edge in chosen:
            service.wait(service.leading)
            victims.killed(script, edge, lambda: None)

        balanced = assert_balanced(*work)
        ticks = assert_ticks(service)
    kills = ", ".join(f"{edge} {script}" for script, edge in chosen)
    figures(f"seed {seed}: killed {kills}; {ticks} ticks; {balanced}")


def test_the_books_balance_after_every_edge(
    kafka, redis_server, dataset, tmp_path, seconds, seed, figures
):
    """Each script of a counter's and a curator's life, at both of its edges."""
    hurried = seconds <= SHORT_S
    with (
        ExitStack() as stack,
        at_work(kafka, redis_server, dataset, tmp_path) as work,
    ):
        service = work[0]
        victims = Victims(service, redis_server, stack)
        for role in ("counter", "curator", "curator"):
            victims.start(role)
        service.opened(counters=0, curators=0, responders=1)

        def end(role, number=signal.SIGKILL):
            whom = service.leading() if role == "curator" else service.members(role)
            with contextlib.suppress(ProcessLookupError):  # it is being begun anew
                os.kill(whom[0].process.pid, number)

        provoked = {
            **{script: lambda: None for script in BY_ITSELF},
            **{script: lambda: end("curator") for script in AT_A_TAKEOVER},
            "claim": lambda: end("counter"),
            "lease_release": lambda: end("curator", signal.SIGTERM),
            "lease_renew": lambda: None,
        }
        edges = list(itertools.product(provoked, EDGES))
        chosen = random.Random(seed).sample(edges, IN_A_HURRY) if hurried else edges
        for script, edge in chosen:
            service.wait(service.leading)
            victims.killed(script, edge, provoked[script])

        balanced = assert_balanced(*work)
    kills = ", ".join(f"{edge} {script}" for script, edge in chosen)
    figures(f"seed {seed}: killed {kills if hurried else len(edges)}; {balanced}")
