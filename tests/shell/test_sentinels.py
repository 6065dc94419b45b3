"""A store behind sentinels: its clients follow the master, and its promises with it."""

from __future__ import annotations

import pytest

from config.servers import Redis
from sigmacount.accounting import Charge
from sigmacount.errors import Fenced, StoreUnavailable
from store.keys import Keys
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.server.safety import check_durability
from tests.fixtures.sentinels import MASTER, frozen, watched
from tests.fixtures.until import eventually
from workers import clients

pytestmark = pytest.mark.redis

LONG = 600_000  # ms


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Two servers and three sentinels, shared by the tests of this file."""
    with watched(tmp_path_factory.mktemp("watched")) as servers:
        yield servers


def settings(place, **more):
    """Of a process that may do everything."""
    return Redis(
        url="redis://nobody.test/0",  # the sentinels name another
        user="admin",
        password=place.servers[0].passwords["admin"],
        sentinels=place.sentinels,
        **{"sentinel_master": MASTER} | more,
    )


def charge(name):
    """Of a thousandth of the budget."""
    return Charge(name, "group", 1_000)


async def repeated(act):
    """The result of an act that is repeated while it may succeed later."""

    async def once():
        try:
            return [await act()]
        except StoreUnavailable:
            return None

    [found] = await eventually(once)
    return found


async def test_a_copy_that_was_asked_for_is_waited_for(place, dataset, monkeypatch):
    """No charge is used while a failover could forget it; then it is the same one."""
    monkeypatch.setattr("store.server.scripts.DISK_MS", 500)
    redis, keys = clients.connect_store(settings(place, replicas=1)), Keys(dataset)
    ledger = RedisLedger(redis, keys)
    await repeated(lambda: ledger.open(1, 1_000_000))
    [replica] = {*place.servers} - {place.master()}

    with frozen(replica), pytest.raises(StoreUnavailable, match="SIGMA_REDIS_REPLICAS"):
        await ledger.charge(1, charge("first"))
    await repeated(lambda: ledger.charge(1, charge("first")))

    assert [entry.charge.charge_id for entry in await ledger.entries()] == ["first"]
    await redis.aclose()


async def test_more_replicas_than_there_are_is_said_before_anything_starts(place):
    """As a server that cannot tell what replicas keep is, for good."""
    redis = clients.connect_store(settings(place, replicas=2))

    with pytest.raises(StoreUnavailable, match="and 1 are connected"):
        await check_durability(redis)

    await redis.aclose()


async def test_a_master_that_no_sentinel_knows_is_named(place):
    """With the settings that say where to ask, and no password."""
    redis = clients.connect_store(settings(place, sentinel_master="another"))

    with pytest.raises(StoreUnavailable, match="SIGMA_REDIS_SENTINEL_MASTER"):
        await RoleLease(redis, Keys("any"), "curator").holder()
    await redis.aclose()


async def test_acts_go_on_with_the_new_master(place, dataset):
    """What was in step is there: the lease's token, the fences, each charge once."""
    redis, keys = clients.connect_store(settings(place)), Keys(dataset)
    lease, ledger = RoleLease(redis, keys, "curator"), RedisLedger(redis, keys)
    token = await lease.acquire("first", LONG)
    await ledger.open(token, 1_000_000)
    await ledger.charge(token, charge("before"))
    await eventually(place.in_step)
    old = place.master()

    old.kill()
    await repeated(lambda: ledger.charge(token, charge("after")))
    await lease.release(token)
    newer = await lease.acquire("second", LONG)
    await ledger.open(newer, 1_000_000)
    await ledger.charge(newer, charge("before"))

    assert place.master() not in (None, old)
    assert newer > token
    assert [e.charge.charge_id for e in await ledger.entries()] == ["before", "after"]
    assert await ledger.verify()
    with pytest.raises(Fenced):
        await ledger.charge(token, charge("late"))
    await redis.aclose()
