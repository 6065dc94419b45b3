"""The store is killed, its disk fills, its memory runs out; nothing shown is lost."""

from __future__ import annotations

import resource
import time

import pytest

from embedded.binaries import valkey_binary
from embedded.redis_server import EmbeddedRedis
from tests.fixtures.balance import assert_balanced
from tests.fixtures.redis_server import binary
from tests.fixtures.until import until
from tests.fixtures.whole_service import at_work

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.one_broker,
    pytest.mark.redis,
    pytest.mark.timeout(400),
]

KILLS, PINCH = 2, 2.0  # seconds without memory
ROOM = 20_000  # bytes that the file may still grow, or that memory still holds


@pytest.fixture
def server(tmp_path):
    """A store whose full disk is an error, not a signal that ends it."""
    real, wrapped = binary() or valkey_binary(), tmp_path / "server"
    wrapped.write_text(f"#!/bin/sh\ntrap '' XFSZ\nexec {real} \"$@\"\n")
    wrapped.chmod(0o755)
    with EmbeddedRedis(tmp_path / "data", binary=wrapped) as server:
        yield server


@pytest.fixture
def work(kafka, server, dataset, tmp_path):
    """One of each, and a second curator."""
    with at_work(kafka, server, dataset, tmp_path) as work:
        work[0].opened(counters=1, curators=2, responders=1)
        yield work


def test_it_is_killed_amid_writes(server, work, figures, times):
    """SIGKILL, and up again on the same folder."""
    service = work[0]
    for _ in range(KILLS * times):
        server.kill()
        server.start()
        service.goes_on()

    figures(f"{KILLS * times} kills of the store: {assert_balanced(*work)}")


def test_its_disk_is_full(server, work, figures):
    """It ends rather than to promise what is not on disk; with room, all goes on."""
    service = work[0]
    before = sum(each.stat().st_size for each in server.data.rglob("*.aof"))
    limit = before + ROOM
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    until(lambda: server._process.poll() is not None)  # noqa: SLF001

    server.kill()  # it has ended; the handle forgets it
    server.start()
    service.goes_on()

    figures(f"a full disk: {assert_balanced(*work)}")


def test_its_memory_runs_out(server, work, figures):
    """Nothing is half written; once there is room, everything that waited is done."""
    service = work[0]
    used = service.redis.info("memory")["used_memory"]
    service.redis.config_set("maxmemory", used + ROOM)
    until(lambda: service.redis.info("errorstats").get("errorstat_OOM"))
    time.sleep(PINCH)  # time is the subject: so long nothing can be written
    service.redis.config_set("maxmemory", 0)
    service.goes_on()

    figures(f"memory out for {PINCH} s: {assert_balanced(*work)}")
