"""The rooms: every Redis user can do its own work, through the store's own classes."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.accounting import Charge
from sigmacount.models import NoiseName
from store.lease import RoleLease
from store.ledger.ledger import RedisLedger
from store.releases.noise_vault import NoiseVault
from store.releases.plan_requests import Plans
from store.releases.released import Head, Released
from store.sensitive import Rows, Truth
from store.server.safety import check_durability, check_server
from tests.fixtures.store_acts import ACTS, COUNTED, NEW, TOKEN, Handles

pytestmark = pytest.mark.redis

OURS = {"topic_id": "t", "partitions": 1, "cluster_id": "c", "fingerprint": "f"}


async def test_the_counter_can_count(as_role, keys):
    """Claim, apply, and look whether the server is safe."""
    client = as_role("counter")
    await check_server(client)
    rows = Rows(client, keys)

    claim = await rows.claim(0, **OURS)
    applied = await rows.apply(0, claim.token, 0, 3, ["a", "b"], np.array([1, 2]))
    gone = await rows.apply(0, claim.token, 3, 4, ["a"], np.array([-1]))

    assert (applied.rows, gone.rows) == (2, 1)


async def test_an_operator_can_rebuild(as_role, keys):
    """The counter as well, for partitions it owns."""
    rows = Rows(as_role("counter"), keys)
    claim = await rows.claim(0, **OURS)

    anew = await rows.rebuild(0, claim.token, 0)

    assert anew.generation == 2


async def test_the_curator_can_read_the_truth(as_role, redis, keys):
    """Snapshot, deltas, recount, positions."""
    rows = Rows(redis, keys)
    claim = await rows.claim(0, **OURS)
    await rows.apply(0, claim.token, 0, 1, ["a"], np.array([7]))
    truth = Truth(as_role("curator"), keys)

    held = await truth.snapshot(0)

    assert (await truth.recount(0)).codes.tolist() == held.codes.tolist() == [7]
    assert (await truth.follow(0, held.position)).codes.size == 0
    assert await truth.positions([0]) == [1]


async def test_the_curator_can_lead(as_role, keys):
    """Take the role, raise every fence, keep it, give it back."""
    client = as_role("curator")
    lease = RoleLease(client, keys, "curator")

    token = await lease.acquire("anna", 10_000)
    for store in (NoiseVault, RedisLedger, Released):
        await store(client, keys).fence.advance(token)

    assert await lease.holder() == "anna"
    assert await lease.renew(token, 10_000)
    assert await lease.release(token)


async def test_the_curator_can_charge_draw_and_release(as_role, keys):
    """In that order, on a server that it found safe."""
    client = as_role("curator")
    assert await check_durability(client) in {"waitaof", "always"}
    ledger, released = RedisLedger(client, keys), Released(client, keys)
    await ledger.open(1, 100, {"fresh": 50}, 10)
    await ledger.open(1, 100, {}, None)

    await ledger.charge(1, Charge("a", "fresh", 5, "ann"))
    noise = await NoiseVault(client, keys).put(1, "g", 0, np.array([3]))
    for epoch in (1, 2, 3):
        head = Head(epoch, 1, 0, ("g",))
        await released.publish(1, head, {"counts": {"g": noise}})
        await released.memo_put(1, epoch, {"A": b"1"})
    await released.freeze(1, 3, "no budget")

    assert await ledger.verify()
    assert await ledger.spent_by("ann") == 5
    assert await Plans(client, keys).decision() is None


async def test_the_curator_can_tick_counters_and_fold_them(as_role, keys):
    """And read what is kept of them."""
    here = Handles(as_role("curator"), keys)
    fold = ACTS["noise_fold"]

    await fold.act(here, await fold.first(here))
    held = (await here.ticks.read({COUNTED: (NEW.horizon, 2)}))[COUNTED]

    assert (held.now.tick, held.folded) == (2, 1)


async def test_the_curator_can_drop_what_nothing_shows(as_role, keys):
    """Counters, and noise."""
    here = Handles(as_role("curator"), keys)
    drop = ACTS["noise_drop"]

    await drop.first(here)
    await ACTS["noise_put"].act(here, None)
    await here.vault.drop(TOKEN, [NoiseName("g", 0)])

    assert await drop.act(here, None) == {COUNTED: None}
    assert await here.vault.get("g", 0) is None


async def test_the_responder_can_serve(as_role, redis, keys):
    """The head, its arrays, its memos, and what is left of the budget."""
    curator = Released(redis, keys)
    await curator.publish(1, Head(1, 1, 0, ("g",)), {"counts": {"g": np.array([4])}})
    await curator.memo_put(1, 1, {"A": b"1"})
    await RedisLedger(redis, keys).open(1, 100)
    client = as_role("responder")

    head, arrays = await Released(client, keys).current()

    assert arrays["g"].tolist() == [4]
    assert await Released(client, keys).memos(head.epoch, ["A"]) == [b"1"]
    assert (await RedisLedger(client, keys).totals()).left == 100


async def test_the_reclusterer_can_think_and_say_why(as_role, redis, keys):
    """Lease, request, decision; and the dashboard can read the latter."""
    client = as_role("reclusterer")
    plans, lease = Plans(client, keys), RoleLease(client, keys, "reclusterer")
    await Plans(redis, keys).request({"by": "operator"})

    token = await lease.acquire("ben", 10_000)
    asked = await plans.take_request()
    await plans.decide({"proposed": False})

    assert (asked, await plans.take_request()) == ({"by": "operator"}, None)
    assert await Plans(as_role("dashboard"), keys).decision() == {"proposed": False}
    assert await lease.release(token)
