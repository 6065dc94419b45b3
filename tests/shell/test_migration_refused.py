"""A migration refuses while somebody is at work, and fences who wakes up late."""

from __future__ import annotations

import numpy as np
import pytest

from cli.exits import CommandRefused
from cli.migrating.migration import QUIET_S
from sigmacount.accounting import Charge
from sigmacount.errors import Fenced, KeysClash, Mismatch
from store.keys import CELLS, LEASE, LEDGER, MEMO, META, NOISE_UNIT
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.migration.inventory import taken
from store.migration.migration import Migration
from store.releases.noise_vault import NoiseVault
from store.releases.released import Released
from store.sensitive import Bases, Rows
from tests.fixtures.curator_steps import PARTITIONS
from tests.fixtures.losses import Life
from tests.fixtures.older_release import (
    aged,
    dumped,
    identity,
    migrated,
    rested,
)
from tests.fixtures.store_acts import ARRAYS, HEAD
from workers.counter.claims import HEARTBEAT

pytestmark = pytest.mark.redis


@pytest.fixture
async def life(redis, keys):
    """A curator's life that nobody leads any more, nor counts."""
    life = await Life.of(redis, keys)
    await rested(redis, keys, PARTITIONS)
    return life


@pytest.mark.parametrize("role", ["curator", "reclusterer"])
async def test_it_refuses_while_a_worker_leads(redis, keys, life, role):
    """It says who; nothing is changed, and the worker keeps its lease."""
    was = await aged(redis, keys)
    await RoleLease(redis, was, role).acquire("anna", 60_000)
    before = await dumped(redis, f"sigma*{keys.dataset}*")

    with pytest.raises(
        CommandRefused, match=rf"a {role} leads \(anna\): nothing was changed"
    ):
        await migrated(redis, keys)

    assert await dumped(redis, f"sigma*{keys.dataset}*") == before


async def test_it_refuses_while_rows_are_counted(redis, keys, life):
    """A counter has no lease, but stamps its partitions."""
    was = await aged(redis, keys)
    claim = await Rows(redis, was).claim(0, **identity(life))
    await Rows(redis, was).apply(
        0, claim.token, claim.next, claim.next + 1, [], np.array([], np.int64)
    )
    before = await dumped(redis, f"sigma*{keys.dataset}*")

    with pytest.raises(
        CommandRefused, match=r"counted \d s ago.*nothing was changed.*in (90|8\d) s"
    ):
        await migrated(redis, keys)

    assert await dumped(redis, f"sigma*{keys.dataset}*") == before
    assert QUIET_S > HEARTBEAT


@pytest.mark.parametrize("pattern", [LEDGER, MEMO, META, CELLS])
async def test_it_refuses_keys_of_both_names(redis, keys, life, pattern):
    """Both stay as they are, with everything else."""
    await aged(redis, keys)
    await redis.hset(keys.of(pattern, p=0, epoch=2), "f", "of another life")
    before = await dumped(redis, f"sigma*{keys.dataset}*")

    with pytest.raises(KeysClash, match="1 keys under old and new names"):
        await migrated(redis, keys)

    assert await dumped(redis, f"sigma*{keys.dataset}*") == before


@pytest.mark.parametrize("pattern", [META, CELLS, NOISE_UNIT, LEDGER])
async def test_a_name_that_is_taken_meanwhile_is_not_written_over(
    redis, keys, life, pattern
):
    """Between the look and the move; neither is lost, and the store stays refused."""
    was = await aged(redis, keys)
    found = await taken(redis, keys)
    parts = {"p": 0, "unit": life.sex.id, "gen": 0}
    old = await redis.dump(was.of(pattern, **parts))
    await redis.hset(keys.of(pattern, **parts), "f", "of another life")

    with pytest.raises(KeysClash):
        await Migration(redis, keys).move(found, lambda _: None)

    assert await redis.hgetall(keys.of(pattern, **parts)) == {b"f": b"of another life"}
    assert await redis.dump(was.of(pattern, **parts)) == old


async def test_the_older_release_writes_nothing_any_more(redis, keys, life):
    """Whether it slept under its lease, or starts anew: fenced, held, or a mismatch."""
    token = life.world.tokens
    was = await aged(redis, keys)
    await migrated(redis, keys)
    before = await dumped(redis, f"sigma*{keys.dataset}*")

    for role in ("curator", "reclusterer"):
        assert await RoleLease(redis, was, role).acquire("late", 1_000) is None
    for act in (
        lambda: RedisLedger(redis, was).open(token, 10**9),
        lambda: NoiseVault(redis, was).put(token, "g", 0, np.array([1])),
        lambda: Released(redis, was).publish(token, HEAD, ARRAYS),
        lambda: RedisLedger(redis, was).charge(token, Charge("late", "group", 1)),
        lambda: Rows(redis, was).apply(0, token, 0, 1, ["a"], np.array([0])),
        lambda: Bases(redis, was).fence.advance(token),
    ):
        with pytest.raises(Fenced):
            await act()
    with pytest.raises(Mismatch):
        await Rows(redis, was).claim(0, **identity(life))

    after = await dumped(redis, f"sigma*{keys.dataset}*")
    staged = {name for name in after if ":array:1:" in name and name not in before}
    assert {name: each for name, each in after.items() if name not in staged} == before
    assert all(after[name][1] for name in staged)  # they expire


async def test_newer_holders_have_newer_tokens(redis, keys, life):
    """Than any that the older release has handed out, or its fences have seen."""
    was = await aged(redis, keys)
    for _ in range(7):
        token = await RoleLease(redis, was, "curator").acquire("a", 60_000)
        await redis.delete(was.of(LEASE, role="curator"))

    await migrated(redis, keys)

    assert await RoleLease(redis, keys, "curator").acquire("b", 60_000) > token


async def test_a_lease_of_good_is_found_by_the_next_run(redis, keys, life):
    """A migration that died holds the lease; the next one takes it up."""
    was = await aged(redis, keys)
    migration = Migration(redis, keys)
    first = await migration.take("curator", "ada")
    await migration.fence("curator", first)

    assert await Migration(redis, keys).take("curator", "bob") == first
    assert await migration.holder("curator") is None
    assert await redis.pttl(was.of(LEASE, role="curator")) > 86_400_000
