"""A server that may lose what it must keep is refused, and says what to mend."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from redis.exceptions import ResponseError

from embedded.redis_server import EmbeddedRedis
from sigmacount.accounting import Charge
from sigmacount.errors import StoreUnavailable, UnsafeStore
from store import connect
from store.keys import Keys
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.server.connection import translated
from store.server.safety import check_durability, check_server
from tests.fixtures.redis_server import binary
from tests.fixtures.until import eventually

pytestmark = pytest.mark.redis

# Half a second of thinking, then one write.
SLOW = """
local function now()
  local t = redis.call('TIME')
  return t[1] + t[2] / 1000000
end
local start = now()
while now() < start + 0.5 do end
return redis.call('INCR', KEYS[1])
"""


async def rewriting(client) -> bool:
    """Whether the server still writes its new append-only file."""
    return bool((await client.info("persistence"))["aof_rewrite_in_progress"])


@pytest.fixture(scope="module")
def server():
    """A server of our own, to be set up badly."""
    with EmbeddedRedis(binary=binary()) as server:
        yield server


@pytest.fixture
async def ours(server):
    """Its admin's client; every setting is put back."""
    async with connect(server.url) as client:
        yield client
        await client.config_set("maxmemory-policy", "noeviction")
        await client.config_set("appendfsync", "always")
        await client.config_set("appendonly", "yes")
        while await rewriting(client):  # noqa: ASYNC110 - no event to wait for
            await asyncio.sleep(0.01)


async def test_a_safe_server_is_accepted(ours):
    """And says how it proves a write to be on disk."""
    await check_server(ours)

    assert await check_durability(ours) in {"waitaof", "always"}


async def test_a_server_that_evicts_is_refused(ours):
    """A row that is evicted is a count that is wrong for ever."""
    await ours.config_set("maxmemory-policy", "allkeys-lru")

    with pytest.raises(UnsafeStore, match="Set maxmemory-policy noeviction"):
        await check_server(ours)


async def test_a_server_without_a_file_is_refused(ours):
    """A restart would forget the noise and draw it again."""
    await ours.config_set("appendonly", "no")

    with pytest.raises(UnsafeStore, match="Set appendonly yes"):
        await check_durability(ours)


async def test_nothing_is_granted_that_is_not_on_disk(ours, keys):
    """Also when the file was switched off after the start."""
    ledger = RedisLedger(ours, keys)
    await ledger.open(1, 100)
    await ours.config_set("appendonly", "no")

    with pytest.raises(UnsafeStore):
        await ledger.charge(1, Charge("a", "group", 1))


async def test_scripts_come_back_after_they_were_forgotten(ours, keys):
    """A restart or SCRIPT FLUSH costs one more trip, no error."""
    lease, ledger = RoleLease(ours, keys, "reclusterer"), RedisLedger(ours, keys)
    await ours.script_flush()

    token = await lease.acquire("anna", 1000)
    await ledger.open(1, 100)
    await ours.script_flush()
    granted = await ledger.charge(1, Charge("a", "group", 1))

    assert (token, granted.left) == (1, 99)


async def test_an_unreachable_server_is_unavailable(keys):
    """Retriable, and the text says nothing about what was sent."""
    async with connect("redis://127.0.0.1:1", connect_timeout=0.5) as nowhere:
        with pytest.raises(StoreUnavailable) as error:
            await RedisLedger(nowhere, keys).totals()

    assert error.value.retriable
    assert "cannot be reached" in str(error.value)


async def answered(redis, key):
    """The value, as soon as the server is done with its script."""

    async def value():
        with contextlib.suppress(ResponseError):
            return await redis.get(key)

    return await eventually(value)


async def test_a_late_reply_is_not_sent_again(server, keys):
    """A hidden retry would apply an unfenced write twice."""
    async with connect(server.url) as other, connect(server.url, timeout=0.2) as ours:
        with pytest.raises(StoreUnavailable, match="TimeoutError"), translated():
            await ours.eval(SLOW, 1, keys.dataset)

        await asyncio.sleep(1)
        count = await answered(other, keys.dataset)
        await asyncio.sleep(0.5)  # a repetition would have come by now
        assert count == await other.get(keys.dataset) == b"1"


async def test_a_servers_words_are_not_repeated(ours):
    """They may quote what was sent: only its code word gets through."""
    await ours.set("k", "secret")

    with pytest.raises(StoreUnavailable) as error, translated():
        await ours.execute_command("EVAL", "return redis.error_reply('OOM secret')", 0)

    assert "(OOM)" in str(error.value) or "OutOfMemory" in str(error.value)
    assert "secret" not in str(error.value)
    assert error.value.__cause__ is None


@pytest.mark.parametrize("name", ["", "a b", "a*", "{a}", "a:b", "-a", "a" * 65, "ä"])
def test_a_dataset_name_means_nothing_in_a_key(name):
    """Neither a glob, nor a hash tag, nor another key."""
    with pytest.raises(ValueError, match="letters, digits"):
        Keys(name)
