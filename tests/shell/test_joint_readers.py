"""Responders of joint plans: all say the same, of one epoch, whenever they read it."""

from __future__ import annotations

import pytest

from sigmacount.accounting import FixedNoise
from sigmacount.mechanisms import Measure
from sigmacount.sets import GroupedQuery
from store.releases.released import Released
from tests.fixtures.curator_steps import RHO, World, group
from tests.fixtures.joint_steps import adopt, begun, crowd, joint_plan, queries
from workers.answering.served_epoch import EpochReader

pytestmark = pytest.mark.redis

RULE = FixedNoise(RHO, delta=1e-9)
IN_RHO = {"measure": Measure.RHO, "rule": RULE, "limit": 10**12, "surcharges": 10**7}
TERMS = {"P": {}, "Z": IN_RHO}


@pytest.fixture(params=TERMS)
async def curator(request, redis, keys):
    """It serves an epoch of a joint plan over forty people."""
    world = await crowd(World.of(redis, keys))
    served = await begun(world, request.param, **TERMS[request.param])
    served.family = request.param
    return served


def plans(curator):
    """Those that follow: another price or a measurement more; the first; any other."""
    schema, family = curator.world.schema, curator.family
    yield joint_plan(schema, 2, family, (400.0, 500.0), price=20_000)
    yield joint_plan(schema, 3, family, (400.0,), rows_max=10**5)


def reader(curator, released=None):
    """One responder's."""
    return EpochReader(released or curator.released, curator.world.schema, 0.95)


def said(serving):
    """All that it answers: every product of levels in a table, and two tables."""
    schema = serving.schema
    every = queries(schema)
    tables = [GroupedQuery.of(every[0], ("sex",)), GroupedQuery.of(every[-1], ("job",))]
    return [serving.answer(each) for each in every], [
        serving.table(each) for each in tables
    ]


async def read(by, curator):
    """What is served now, whole."""
    serving = await by.read(await curator.released.head())
    serving.schema = curator.world.schema
    return serving


async def test_who_has_read_all_epochs_says_what_who_starts_now_says(curator):
    """Nothing of an older plan or epoch is left in its answers."""
    old = reader(curator)
    told = [said(await read(old, curator))]
    for number, plan in enumerate(plans(curator)):
        await curator.world.change(**{f"e{number}": ("F", "Paris", "nurse")})
        await adopt(curator, plan)

        warm, cold = (
            said(await read(old, curator)),
            said(await read(reader(curator), curator)),
        )

        assert warm == cold
        assert None not in warm[0]
        told.append(warm)
    assert told[0] != told[1] != told[2]


class Switching(Released):
    """Epochs come between its two looks at the arrays of one."""

    def __init__(self, released, epochs):
        self._inner, self._epochs = released, epochs

    async def arrays(self, head, kind="counts"):
        """As they are; afterwards others are published."""
        found = await self._inner.arrays(head, kind)
        while kind == "noisy" and self._epochs:
            await self._epochs.pop(0)()
        return found


@pytest.mark.parametrize("times", [1, 2])
async def test_a_plan_that_is_adopted_between_two_reads_is_never_mixed_in(
    curator, times
):
    """The epoch is read whole, or not at all; and then the next one is."""
    head = await curator.released.head()
    before = said(await read(reader(curator), curator))

    def switch(plan):
        async def act():
            await curator.world.change(**{f"v{plan.version}": ("M", "Oslo", "cook")})
            await adopt(curator, plan)

        return act

    epochs = [switch(plan) for plan in plans(curator)][:times]
    amid = reader(curator, Switching(curator.released, epochs))

    found = await amid.read(head)
    after = said(await read(amid, curator))

    if found is not None:
        found.schema = curator.world.schema
        assert said(found) == before
    assert (found is None) == (times > 1)
    assert after == said(await read(reader(curator), curator))


async def test_independent_algebras_between_two_joint_plans_are_not_mixed_in(curator):
    """Each kind of plan has readers of its own."""
    old = reader(curator)
    await read(old, curator)
    price = {"price": 10_000}
    await curator.tick(group(curator.world.schema, "sex", **price), version=2)
    middle = await read(old, curator)
    await adopt(curator, joint_plan(curator.world.schema, 3, curator.family))

    last = said(await read(old, curator))

    assert middle.answerer is not None
    assert last == said(await read(reader(curator), curator))
