"""Migrated: a store of an older release goes on as if its keys had never moved."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from cli.migrating.migration import Told
from store.keys import ARRAY, CELLS, LEDGER
from store.migration.recognition import refuse_old_keys
from store.sensitive import Rows, Truth
from tests.fixtures.curator_steps import PARTITIONS, asking
from tests.fixtures.losses import OSLO, Life
from tests.fixtures.older_release import (
    aged,
    content,
    dumped,
    identity,
    migrated,
    rested,
)

pytestmark = pytest.mark.redis

EXPIRING = {"epoch": 9, "token": 1, "try": "ab", "gid": "g", "kind": "counts"}


@pytest.fixture
async def life(redis, keys):
    """A curator's life: two epochs, a fresh answer, and an array that will expire."""
    life = await Life.of(redis, keys)
    for p in range(PARTITIONS):  # one may be empty
        await Rows(redis, keys).claim(p, **identity(life))
    await redis.set(keys.of(ARRAY, **EXPIRING), b"staged", ex=3_600)
    await rested(redis, keys, PARTITIONS)
    return life


async def test_every_key_is_the_same_under_its_new_name(redis, keys, life):
    """Byte for byte, with the time it has to live; and the store may be opened."""
    before = await content(redis, keys)
    await aged(redis, keys)

    await migrated(redis, keys)

    assert await content(redis, keys) == before
    assert before[keys.of(ARRAY, **EXPIRING)][1]
    await refuse_old_keys(redis, keys, rows=True)


async def test_the_service_goes_on(redis, keys, life):
    """The chain is intact, nothing is paid or drawn anew, counts are as they were."""
    lines, noise = await life.curator.ledger.entries(), await life.curator.noise()
    [answer] = await life.curator.ask(asking(life.world.schema, OSLO))
    await aged(redis, keys)

    await migrated(redis, keys)
    curator = await life.restart()

    assert await curator.ledger.verify()
    assert await curator.ledger.entries() == lines
    assert {g: n.tolist() for g, n in (await curator.noise()).items()} == {
        g: n.tolist() for g, n in noise.items()
    }
    [again] = await curator.ask(asking(life.world.schema, OSLO))
    assert again.count == answer.count
    assert await curator.ledger.entries() == lines
    truth = [await Truth(redis, keys).recount(p) for p in range(PARTITIONS)]
    assert sum(int(each.counts.sum()) for each in truth) == len(life.world.rows)
    await life.world.change(dan=("M", "Oslo", "nurse"))
    await curator.tick()
    assert curator.epochs.head.epoch == 3


async def test_what_an_epoch_replaces_is_dropped_under_its_new_name(redis, keys, life):
    """The head names the arrays of the epoch before; no user may touch old names."""
    await aged(redis, keys)
    await migrated(redis, keys)
    curator = await life.restart()

    for name in ("dan", "eve", "fay"):
        await life.world.change(**{name: ("M", "Oslo", "nurse")})
        await curator.tick()

    arrays = await dumped(redis, keys.everything("rel}:array:"))
    epochs = {name.split(":array:")[1].split(":")[0] for name in arrays}
    assert epochs == {"4", "5", "9"}  # 9 expires by itself


async def test_it_says_how_many_keys_and_nothing_of_rows(redis, keys, life):
    """An empty partition has fewer keys: those of rows are not counted."""
    was = await aged(redis, keys)
    others = len(await dumped(redis, was.everything())) - len(
        await dumped(redis, was.everything("rows:"))
    )
    guards = 3 + 1  # fences of noise, ledger and releases; and of the basis

    told = await migrated(redis, keys, dry_run=True)

    wanted = f"{PARTITIONS} partitions of rows and {others - guards} other keys"
    assert wanted in told
    await redis.delete(*[was.of(CELLS, p=p) for p in range(PARTITIONS)])
    assert wanted in await migrated(redis, keys, dry_run=True)


async def test_a_dry_run_writes_nothing(redis, keys, life):
    """Not even a lease."""
    was = await aged(redis, keys)
    before = await dumped(redis, f"sigma*{keys.dataset}*")

    assert "nothing was changed" in await migrated(redis, keys, dry_run=True)

    assert await dumped(redis, f"sigma*{keys.dataset}*") == before
    assert await redis.exists(was.of(LEDGER))


async def test_twice_is_as_good_as_once(redis, keys, life):
    """And a store that never was of an older release is left alone."""
    assert "no keys of an older release" in await migrated(redis, keys)
    await aged(redis, keys)
    await migrated(redis, keys)
    before = await dumped(redis, f"sigma*{keys.dataset}*")

    assert "no keys of an older release" in await migrated(redis, keys)

    assert await dumped(redis, f"sigma*{keys.dataset}*") == before


def test_a_long_migration_tells_how_far_it_is():
    """Every ten thousand keys."""
    out = io.StringIO()
    told = Told(25_000, Console(file=out, width=200))

    for _ in range(50):
        told.add(500)

    assert [line.split(" of ")[0] for line in out.getvalue().splitlines()] == [
        "10,000",
        "20,000",
    ]
