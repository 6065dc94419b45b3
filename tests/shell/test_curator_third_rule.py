"""A rule that the curator has never heard of: one charge ever, a draw at every epoch.

So a continual counter will be: its noise is made of steps, and all of them together
cost what was paid once. The curator asks the rule, and knows nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from sigmacount.accounting import Due, Renew
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import World, asking, group

pytestmark = pytest.mark.redis

EPSILON, FRESH = 10_000, 20_000


@dataclass(frozen=True)
class OneCharge:
    """Draws like ``renew``; charges are named by the unit, so the ledger takes one."""

    name: ClassVar[str] = "one-charge"
    by_clock: ClassVar[bool] = True
    delta: ClassVar[float | None] = None
    era: int = 0

    def in_era(self, era):
        """The same, from then on."""
        return replace(self, era=era)

    def noise_generation(self, epoch):
        """A step an epoch."""
        return epoch

    def due(self, showing, exposure):  # noqa: ARG002 - the protocol's
        """Every step that is lacking is drawn; what it is part of is paid for."""
        drawn = [use for use in showing.uses if use.state == "lacking"]
        charges = [showing.drawing(use) for use in drawn]
        named = (
            replace(charge, charge_id=f"{charge.purpose}:{use.unit}:{self.era}")
            for charge, use in zip(charges, drawn, strict=True)
        )
        return Due(tuple(drawn), tuple(named))

    def guarantee(self, unit):
        """In words that readers know."""
        return Renew().guarantee(unit)


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def test_it_is_charged_once_and_drawn_at_every_epoch(world):
    """Algebras and fresh questions alike."""
    curator = await world.curator(rule=OneCharge(), draw=Large)
    sex, question = group(world.schema, "sex"), asking(world.schema, "city = 'Oslo'")
    shown = []
    for version in (1, None, None):
        await curator.tick(*[sex] if version else [], version=version)
        [answer] = await curator.ask(question)
        [noise] = (await curator.noise()).values()
        shown.append((tuple(noise), answer.count))

    assert len({noise for noise, _ in shown}) == len(shown)
    assert len({count for _, count in shown}) > 1
    assert await curator.spent() == EPSILON + FRESH
    assert await curator.ledger.verify()


@pytest.mark.parametrize("act", ["charge", "draw", "store", "bind", "release"])
async def test_a_crash_changes_neither(world, act):
    """Whatever was done is done once; the successor goes on from there."""
    first = await world.curator(rule=OneCharge(), draw=Large)
    await first.tick(group(world.schema, "sex"), version=1)
    second = await world.curator(
        rule=OneCharge(), crash=CrashPoint(act, "after"), draw=Large
    )
    with pytest.raises(Crash):
        await second.tick()

    third = await world.curator(rule=OneCharge(), draw=Large)
    await third.tick()
    await third.tick()

    assert await third.spent() == EPSILON
    assert third.epochs.head.epoch >= 3
