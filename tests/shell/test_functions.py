"""The store's functions: loaded once by the admin, missed aloud, kept with the data.

And what a client is told that Redis does not let in, or does not let.
"""

from __future__ import annotations

import contextlib

import pytest

from embedded.redis_server import EmbeddedRedis
from sigmacount.errors import (
    FunctionsMissing,
    StoreForbids,
    StoreRefused,
    StoreUnavailable,
)
from store import connect
from store.keys import Keys
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.server import functions
from store.server.scripts import Call, Scripts
from tests.fixtures.redis_server import binary

pytestmark = pytest.mark.redis

KEYS = Keys("people")


@pytest.fixture(scope="module")
def server():
    """A server whose functions a test may take away."""
    with EmbeddedRedis(binary=binary()) as here:
        yield here


@contextlib.asynccontextmanager
async def user(server, role):
    """A client of one user of ``server``."""
    async with connect(server.url_for(role)) as client:
        yield client


async def test_a_worker_waits_for_functions_that_only_the_admin_may_load(server):
    """It is told which, and goes on as soon as they are there; nothing was done."""
    async with user(server, "admin") as admin, user(server, "curator") as curator:
        await admin.function_flush()
        lease = RoleLease(curator, KEYS, "curator")
        ledger = RedisLedger(curator, KEYS)

        with pytest.raises(FunctionsMissing, match="sigma functions load") as one:
            await lease.acquire("a", 1_000)
        with pytest.raises(FunctionsMissing):
            await ledger.fence.advance(1)
        assert one.value.retriable

        assert await functions.load(admin)
        assert await lease.acquire("a", 1_000) == 1


async def test_whoever_may_load_them_need_not_ask(server):
    """A server without users of ours is set up by the first act, plain or durable."""
    async with user(server, "admin") as admin:
        for number, fenced in enumerate([False, True], 1):
            await admin.function_flush()
            role = "curator" if fenced else "reclusterer"

            assert await RoleLease(admin, Keys(f"p{number}"), role).acquire("a", 1)


async def test_twice_is_as_good_as_once_and_another_release_is_left_alone(server):
    """Its workers still call theirs."""
    other = "#!lua name=sigma_0\nredis.register_function('sigma_0_x', function() end)"
    async with user(server, "admin") as admin:
        await admin.function_flush()
        await admin.function_load(other)

        loaded = [await functions.load(admin) for _ in range(2)]

        assert loaded == [True, False]
        assert await functions.loaded(admin) == sorted(
            ["sigma_0", functions.library().name]
        )


async def test_functions_are_kept_over_a_crash(server, monkeypatch):
    """Unlike the cache of scripts, which would stop every worker at every restart."""
    async with user(server, "admin") as admin:
        await functions.load(admin)
    server.kill()
    monkeypatch.setattr(EmbeddedRedis, "_load_functions", lambda _: None)
    server.start()

    async with user(server, "admin") as admin:
        assert functions.library().name in await functions.loaded(admin)


async def test_a_lease_is_kept_and_given_back_when_memory_is_out(server):
    """And whatever writes more is refused whole, before it began."""
    async with user(server, "admin") as admin:
        lease = RoleLease(admin, Keys("full"), "reclusterer")
        token = await lease.acquire("a", 60_000)
        await admin.config_set("maxmemory", 1)
        try:
            assert await lease.renew(token, 60_000)
            with pytest.raises(StoreUnavailable, match="OutOfMemory"):
                await RoleLease(admin, Keys("more"), "reclusterer").acquire("a", 1)
            assert await lease.release(token)
        finally:
            await admin.config_set("maxmemory", 0)


@pytest.mark.parametrize("login", ["curator:wrong@", "nobody:at@", ""])
async def test_a_wrong_login_names_the_settings_that_mend_it(server, login):
    """Told at once: no worker repeats it, no text calls its outcome unknown."""
    url = f"redis://{login}{server.host}:{server.port}/0"
    async with connect(url) as client:
        with pytest.raises(StoreRefused) as refused:
            await RoleLease(client, KEYS, "curator").holder()

    assert not refused.value.retriable
    assert "SIGMA_REDIS_PASSWORD" in str(refused.value)
    assert "wrong" not in str(refused.value)


async def test_a_lacking_right_names_the_user_and_the_command(server):
    """Plainly asked for, and inside a function; Redis 7.0 does not name the user."""
    async with user(server, "responder") as client:
        scripts = Scripts(client)
        with pytest.raises(StoreForbids, match=r"do that \(FCALL\)"):
            await scripts.run(Call("lease_renew", ("k",), (1, 1)))
        with pytest.raises(StoreForbids, match="sigma acl"):
            await RoleLease(client, KEYS, "curator").holder()
