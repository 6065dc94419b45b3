"""Migrated: a store of an older release goes on as if its keys had never moved."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from cli.exits import CommandRefused
from cli.migrating.migration import QUIET_S, Told, migrate_in
from sigmacount.accounting import Charge
from sigmacount.errors import Fenced, KeysClash, Mismatch
from store.keys import ARRAY, CELLS, LEASE, LEDGER, MEMO, META, NOISE_UNIT
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.migration.inventory import taken
from store.migration.migration import Migration
from store.migration.recognition import refuse_old_keys
from store.releases.noise_vault import NoiseVault
from store.releases.released import Released
from store.sensitive import Bases, Rows, Truth
from tests.fixtures.curator_steps import PARTITIONS, asking
from tests.fixtures.losses import OSLO, Life
from tests.fixtures.older_release import aged, dumped, rested
from tests.fixtures.store_acts import ARRAYS, HEAD
from workers.clients import DatasetStores
from workers.counter.claims import HEARTBEAT

pytestmark = pytest.mark.redis

ASIDE = (":fence", ":token", ":lease}:curator", ":lease}:reclusterer")
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


async def content(redis, keys):
    """All keys under their names of now, but for what guards them."""
    found = await dumped(redis, keys.everything())
    return {name: each for name, each in found.items() if not name.endswith(ASIDE)}


async def migrated(redis, keys, *, dry_run=False):
    """As the verb does it; what it says."""
    out = io.StringIO()
    console = Console(file=out, width=200)
    await migrate_in(DatasetStores.of(redis, keys), console, dry_run=dry_run)
    return out.getvalue()


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
        CommandRefused, match=r"counted 0 s ago.*nothing was changed.*in 90 s"
    ):
        await migrated(redis, keys)

    assert await dumped(redis, f"sigma*{keys.dataset}*") == before
    assert QUIET_S > HEARTBEAT


def identity(life):
    """Of the stream that this life's rows come from."""
    return {
        "topic_id": "t",
        "cluster_id": "c",
        "partitions": PARTITIONS,
        "fingerprint": life.world.schema.fingerprint,
    }


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
