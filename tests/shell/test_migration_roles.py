"""After a migration every role works with its own user; a cluster is refused."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console

from cli.exits import CommandRefused
from cli.migrating.migration import migrate_in
from embedded.ports import free_port
from embedded.redis_server import EmbeddedRedis
from store import connect
from store.keys import Keys
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.releases.plan_requests import Plans
from store.releases.released import Released
from store.sensitive import Rows
from tests.fixtures.curator_steps import PARTITIONS, asking
from tests.fixtures.losses import OSLO, Life
from tests.fixtures.older_release import aged, identity, migrated, rested
from workers.clients import DatasetStores

pytestmark = pytest.mark.redis


@pytest.fixture
async def life(redis, keys):
    """A curator's life that has been migrated."""
    life = await Life.of(redis, keys)
    await rested(redis, keys, PARTITIONS)
    await aged(redis, keys)
    await migrated(redis, keys)
    return life


async def test_the_counter_counts_on(as_role, keys, life):
    """At the position where the older release ended."""
    rows = Rows(as_role("counter"), keys)

    claim = await rows.claim(0, **identity(life))
    one = (claim.token, claim.next, claim.next + 1)
    applied = await rows.apply(0, *one, ["zoe"], np.array([3]))

    assert claim.next > 0
    assert claim.generation == 1
    assert applied.rows == 1


async def test_the_curator_publishes_and_answers_on(as_role, keys, life):
    """With what it showed before."""
    spent = await life.curator.spent()
    life.world.redis = as_role("curator")
    lease = RoleLease(life.world.redis, keys, "curator")
    life.world.tokens = await lease.acquire("anna", 60_000) - 1

    curator = await life.restart()
    await curator.ask(asking(life.world.schema, OSLO))
    assert await curator.spent() == spent
    life.world.redis = as_role("admin")
    await life.world.change(dan=("M", "Oslo", "nurse"))
    await curator.tick()

    assert curator.epochs.head.epoch == 3
    assert await curator.ledger.verify()


@pytest.mark.parametrize("role", ["responder", "reclusterer", "dashboard"])
async def test_a_reader_finds_the_served_epoch(as_role, keys, life, role):
    """Its head with all arrays, and the totals of the ledger."""
    client = as_role(role)

    head, arrays = await Released(client, keys).current()
    totals = await RedisLedger(client, keys).totals()

    assert head.epoch == 2
    assert set(arrays) == set(head.groups)
    assert totals.spent == await life.curator.spent()


async def test_the_reclusterer_leads(as_role, keys, life):
    """Under a newer token, and writes its decision."""
    client = as_role("reclusterer")

    token = await RoleLease(client, keys, "reclusterer").acquire("ada", 10_000)
    await Plans(client, keys).decide({"why": "tried"})

    assert token > 1
    assert await Plans(client, keys).decision() == {"why": "tried"}


class Clustered(EmbeddedRedis):
    """A node of a Redis Cluster that holds no slot."""

    def _options(self, users):
        bus = ("--cluster-enabled", "yes", "--cluster-port", str(free_port()))
        return [*super()._options(users), *bus]


async def test_a_cluster_is_refused(tmp_path):
    """There a key keeps its slot for life; nothing is looked for."""
    out = Console(file=io.StringIO())
    with Clustered(data=tmp_path) as node:
        async with connect(node.url) as redis:
            stores = DatasetStores.of(redis, Keys("census"))

            with pytest.raises(CommandRefused, match=r"Redis Cluster.*nothing was"):
                await migrate_in(stores, out, dry_run=False)
