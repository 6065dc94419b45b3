"""Killed anywhere: each key has one name or the other, and the next run finishes."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from cli.migrating.migration import migrate_in
from sigmacount.errors import OldKeys
from store import connect
from store.keys import HEAD, LEDGER, META, OldNames
from store.migration import inventory, migration
from store.migration.recognition import CLAIMED, refuse_old_keys
from store.server.connection import text
from tests.fixtures.curator_steps import PARTITIONS
from tests.fixtures.losses import Life
from tests.fixtures.mortal import Died, Mortal
from tests.fixtures.older_release import ASIDE, aged, content, dumped, rested
from workers.clients import DatasetStores

pytestmark = pytest.mark.redis

MANY = 200  # more commands than a small migration needs


@pytest.fixture
async def older(redis, keys, monkeypatch):
    """(its old content, what it must become); a few keys are renamed at once."""
    for module in (inventory, migration):
        monkeypatch.setattr(module, "LOT", 3)
    await Life.of(redis, keys)
    await rested(redis, keys, PARTITIONS)
    wanted = await content(redis, keys)
    was = await aged(redis, keys)
    return await dumped(redis, was.everything()), wanted


async def put_back(redis, keys, older):
    """The store of the older release, whole, and nothing else."""
    names = [key async for key in redis.scan_iter(f"sigma*{keys.dataset}*")]
    async with redis.pipeline() as pipe:
        pipe.delete(*names)
        for name, (value, _) in older.items():
            pipe.restore(name, 0, value)
        await pipe.execute()


async def run(redis, keys):
    """The verb, in a process of its own."""
    console = Console(file=io.StringIO())
    await migrate_in(DatasetStores.of(redis, keys), console, dry_run=False)


async def with_one_name(redis, was: OldNames, names: list[str]) -> list[str]:
    """Those that have; a mark under an old name is no partition."""
    async with redis.pipeline() as pipe:
        for name in names:
            pipe.exists(name)
            pipe.exists(was.renamed(name))
        pipe.hexists(was.of(META, p=0), CLAIMED)
        *there, claimed = await pipe.execute()
    pairs = zip(names, there[::2], there[1::2], strict=True)
    meta = was.of(META, p=0)
    return [n for n, old, new in pairs if new + (claimed if n == meta else old) == 1]


@pytest.mark.parametrize("late", [False, True], ids=["not sent", "reply lost"])
async def test_a_death_loses_nothing(redis, redis_server, keys, older, late):
    """At every command in turn; no process opens what is not finished."""
    was, (old, wanted) = OldNames(keys.dataset), older
    moving = [name for name in old if not name.endswith(ASIDE)]
    for lives in range(MANY):
        await put_back(redis, keys, old)
        async with connect(redis_server.url) as client:
            mortal = Mortal(client, lives, late=late)
            try:
                await run(client, keys)
            except Died:
                pass
            else:
                break
        assert await with_one_name(redis, was, moving) == moving, lives
        if await redis.exists(was.of(LEDGER)):
            with pytest.raises(OldKeys):
                await refuse_old_keys(redis, keys, rows=False)
        else:
            assert await content(redis, keys) == wanted

        await run(redis, keys)

        assert await content(redis, keys) == wanted, lives
    assert mortal.passed == lives > len(moving) / 3


async def test_a_head_that_has_moved_names_arrays_that_have(redis, keys, older):
    """Its reader finds every one."""
    await run(redis, keys)

    for field in ("arrays", "before"):
        names = text(await redis.hget(keys.of(HEAD), field)).split()
        assert names
        assert all([await redis.exists(name) for name in names])
