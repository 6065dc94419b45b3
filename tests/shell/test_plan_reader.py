"""A proposed plan is weighed: whatever it says, the curator goes on."""

from __future__ import annotations

import asyncio
import math
import threading
from types import SimpleNamespace

import pytest
from prometheus_client import CollectorRegistry

from config.logs import Log
from config.metrics import Metrics
from sigmacount.accounting import PARALLEL, Allowance, Renew
from sigmacount.contrasts import ContrastMeasurement, IsotropicStrategy, MeasuredSet
from sigmacount.domain import Attribute, Schema
from sigmacount.errors import PlanRateExceeded
from sigmacount.mechanisms import Amount, DiscreteGaussian
from sigmacount.release import POSTPROCESS, JointPlan, Plan
from streams.wire.codec import encode
from streams.wire.messages.events import PlanProposed
from streams.wire.records import Batch
from tests.fixtures.in_memory import MemoryRecord, standing_in
from tests.fixtures.joint_steps import grid_of
from workers.curator.adoptions import Adoptions
from workers.curator.epochs.release_options import ReleaseOptions
from workers.curator.plan_reader import PlanReader
from workers.running.retrying import Retrier

SCHEMA = Schema("people", (Attribute.categorical("sex", ["F", "M"]),))
FINE, VAST = 50.0, (0.0085, 0.0086)  # of the latter each costs 0.7 · 2^53 pρ
BUDGET = Amount.zcdp(10**12)


def plan_of(*scales):
    """A plan that counts everybody, once for each scale of noise."""
    grid, only = grid_of(SCHEMA), IsotropicStrategy(())
    measured = tuple(
        ContrastMeasurement.of(grid, {(): MeasuredSet((), only, scale)})
        for scale in scales
    )
    joint = JointPlan(grid, ((0,),), measured, {(): 1.0}, 3, 5.0, 10**6)
    return Plan(1, (), DiscreteGaussian.costing(1_000), joint=joint)


async def read(plan):
    """What waits for the next epoch once this was proposed, and the figures."""
    release = ReleaseOptions(
        Renew(delta=1e-9), PARALLEL, POSTPROCESS["clamp"], BUDGET, Allowance(1, 1, 1)
    )
    options = SimpleNamespace(dataset="people", schema=SCHEMA, release=release)
    event = PlanProposed(
        dataset="people",
        version=1,
        based_on=0,
        plan=plan.to_wire(),
        reason=(),
        made_ms=0,
    )

    async def next_batch(_):
        return {0: Batch(0, 1, [MemoryRecord(encode(event))])}

    async def refuse(_, bad):
        assert not bad

    metrics = Metrics(registry := CollectorRegistry())
    retry = Retrier("curator", Log("curator"), metrics)
    streams = SimpleNamespace(dead=SimpleNamespace(refuse=refuse))
    reader = PlanReader(options, streams, retry, Log("curator"), metrics)
    current = Plan(0, (), DiscreteGaussian.costing(1_000))
    await reader.read(SimpleNamespace(next_batch=next_batch), current, asyncio.Event())
    return reader.proposed, registry


async def test_a_plan_is_read_beside_the_loop(monkeypatch):
    """However long that takes, the curator keeps its lease meanwhile."""
    made, threads = Plan.from_wire, []

    def from_wire(schema, form):
        threads.append(threading.current_thread())
        return made(schema, form)

    monkeypatch.setattr(Plan, "from_wire", from_wire)

    assert (await read(plan_of(FINE)))[0] == plan_of(FINE)
    assert threads
    assert threading.main_thread() not in threads


async def test_a_plan_that_can_be_paid_waits():
    """For the next epoch."""
    proposed, _ = await read(plan_of(FINE))

    assert proposed == plan_of(FINE)


async def test_a_plan_beyond_any_ledger_is_ignored():
    """Each part of it has a price; their sum is none."""
    proposed, registry = await read(plan_of(*VAST))

    assert proposed is None
    refused = {"role": "curator", "reason": "invalid_plan"}
    assert registry.get_sample_value("sigma_plans_decided_total", refused) == 1


async def test_plans_of_other_measurements_are_other_adoptions():
    """Also of one version and price: each is a line, and comes out of the allowance."""
    noted = []

    async def note(_, charge):
        noted.append(charge.charge_id)

    ledger = SimpleNamespace(now_ms=lambda: 0, note=note)
    adoptions = Adoptions(Allowance(10, 1, 10), standing_in(ledger), 1, [])
    price = Amount.zcdp(6)

    await adoptions.take(plan_of(FINE), price)
    await adoptions.take(plan_of(FINE), price)
    with pytest.raises(PlanRateExceeded):
        await adoptions.take(plan_of(math.nextafter(FINE, 99)), price)

    assert len(noted) == 1
