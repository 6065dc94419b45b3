"""Gaussian joint plans over changing rows: ρ for what is drawn, ε for what is shown."""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.accounting import FixedNoise, Renew, surcharge_in_zcdp
from sigmacount.errors import StoreUnavailable
from sigmacount.mechanisms import Measure
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import RHO, World, asking
from tests.fixtures.joint_steps import (
    APART,
    TOGETHER,
    adopt,
    answer,
    begun,
    crowd,
    joint_plan,
    unbiased,
)

pytestmark = pytest.mark.redis

DELTA = 1e-9
PLENTY = 10**8  # µε
FRESH = 20_000  # pρ
FIXED = FixedNoise(RHO, delta=DELTA)


@pytest.fixture
async def world(redis, keys):
    """Forty people."""
    return await crowd(World.of(redis, keys))


async def serving(world, purse=PLENTY, **terms):
    """A curator of a ledger in ρ, with such a purse for surcharges (µε)."""
    given = {"rule": FIXED, "limit": 10**12, "surcharges": purse, **terms}
    return await begun(world, "Z", **given)


async def change(world, name):
    """One more person."""
    await world.change(**{name: ("F", "Paris", "nurse")})


async def evolve(curator, epochs):
    """So many epochs, each over other rows."""
    for number in range(epochs):
        await change(curator.world, f"{curator.epochs.head.epoch}-{number}")
        await curator.tick()


def price_of(curator):
    """pρ of all that the plan in force measures."""
    return sum(unit.price.units for unit in curator.epochs.plan.units)


def due(drawn, again):
    """µε of having shown noise of ``again`` pρ once more."""
    return surcharge_in_zcdp(drawn, again, RHO, DELTA)


async def purses(curator):
    """pρ spent and µε surcharged."""
    told = await curator.ledger.totals()
    return told.spent, told.surcharged


async def test_each_changed_epoch_costs_what_theorem_5_says_from_the_second_purse(
    world,
):
    """And no ρ: noise is drawn once."""
    curator = await serving(world)
    price = price_of(curator)

    for shown in range(1, 4):
        await evolve(curator, 1)
        assert await purses(curator) == (price, due(price, shown * price))

    promise = answer(curator, TOGETHER[0]).guarantee
    assert (promise.epochs, promise.delta_over_epochs) == (4, 2 * DELTA)
    assert await curator.ledger.verify()


async def test_an_empty_second_purse_freezes_the_release_and_not_the_first(world):
    """What is new is drawn and answered; raising the purse goes on."""
    first = await serving(world)
    price = price_of(first)
    curator = await world.curator(
        rule=FIXED, measure=Measure.RHO, limit=10**12, surcharges=due(price, 2 * price)
    )

    await evolve(curator, 4)
    [fresh] = await curator.ask(asking(world.schema, APART))
    spent, head = await purses(curator), curator.epochs.head
    heir = await world.curator(
        rule=FIXED, measure=Measure.RHO, limit=10**12, surcharges=PLENTY
    )
    await heir.tick()

    assert (head.epoch, head.frozen) == (3, "budget_exhausted")
    assert spent == (price + FRESH, due(price, 2 * price))
    assert (fresh.status, fresh.frozen) == ("ok", True)
    assert answer(curator, TOGETHER[0]).status == "ok"
    assert (heir.epochs.head.epoch, heir.epochs.head.frozen) == (4, None)
    assert (await purses(heir))[0] == price + FRESH


async def test_a_top_up_over_changed_rows_is_refused_whole_where_no_surcharge_is_left(
    world,
):
    """No ρ is spent for a measurement that could not be shown."""
    curator = await serving(world, purse=0)
    before = await purses(curator)
    await change(world, "eve")

    await adopt(curator, joint_plan(world.schema, 2, "Z", (400.0, 500.0)))

    assert await purses(curator) == before
    head = curator.epochs.head
    assert (head.epoch, head.frozen) == (1, "budget_exhausted")
    assert curator.epochs.plan.version == 1


async def test_a_top_up_over_rows_that_stand_still_needs_no_surcharge(world):
    """What it keeps was served over these very rows; what it adds is new."""
    curator = await serving(world, purse=0)
    price = price_of(curator)

    await adopt(curator, joint_plan(world.schema, 2, "Z", (400.0, 500.0)))

    assert curator.epochs.plan.version == 2
    assert await purses(curator) == (price_of(curator), 0)
    assert price_of(curator) > price


async def test_a_plan_of_new_measurements_goes_on_where_no_surcharge_is_left(world):
    """It shows nothing again: paid whole, in ρ; the next change stops it, too."""
    curator = await serving(world, purse=0)
    await evolve(curator, 1)
    frozen = curator.epochs.head.frozen

    await adopt(curator, joint_plan(world.schema, 2, "Z", (600.0,)))
    shown = curator.epochs.head
    await evolve(curator, 1)

    assert frozen == "budget_exhausted"
    assert (shown.epoch, shown.frozen) == (2, None)
    assert curator.epochs.head.frozen == "budget_exhausted"
    assert (await purses(curator))[1] == 0


async def test_a_top_up_over_changed_rows_pays_both_purses_once(world):
    """Also where the store breaks between the two charges."""
    curator = await serving(world)
    price = price_of(curator)
    await change(world, "eve")
    scripts = curator.epochs._releaser._ledger._scripts  # noqa: SLF001 - where it breaks
    whole, broken = scripts.run_durably, []

    async def half(calls):
        if len(calls) > 1 and not broken:
            broken.append(await whole(calls[:1]))
            raise StoreUnavailable(TOGETHER[0])
        return await whole(calls)

    scripts.run_durably = half
    await adopt(curator, joint_plan(world.schema, 2, "Z", (400.0, 500.0)))

    assert len(broken) == 1
    assert curator.epochs.plan.version == 2
    spent, surcharged = await purses(curator)
    assert spent == price_of(curator)
    assert due(spent, price) <= surcharged <= due(price, price)
    assert await curator.ledger.verify()


async def test_more_rows_than_declared_freeze_it_and_its_noise_stays(world):
    """A plan with room for them keeps the measurement, and pays no ρ again."""
    curator = await serving(world)
    price = price_of(curator)
    few = joint_plan(world.schema, 2, "Z", rows_max=20)
    await adopt(curator, few)
    unfit, wide = curator.epochs.head.frozen, joint_plan(world.schema, 3, "Z")

    await adopt(curator, wide)

    assert few.units[0].id == wide.units[0].id
    assert (unfit, curator.epochs.head.frozen) == ("unfit_release", None)
    assert (await purses(curator))[0] == price


class OnceLarge(Large):
    """Large noise for as long as it is said; then none at all."""

    silent = False

    def draw(self, size, watch=lambda _: None):
        """The next numbers, or zeros."""
        drawn = super().draw(size, watch)
        return np.zeros_like(drawn) if OnceLarge.silent else drawn


async def test_renew_measures_all_anew_and_forgets_the_noise_before(world, monkeypatch):
    """Σρ in every epoch; estimates come from its own measurements alone."""
    monkeypatch.setattr(OnceLarge, "silent", False)
    terms = {"rule": Renew(delta=DELTA), "limit": 10**12, "draw": OnceLarge}
    curator = await begun(world, "Z", **terms)
    await adopt(curator, joint_plan(world.schema, 2, "Z", (400.0, 500.0)))
    once = joint_plan(world.schema, 1, "Z").units[0].price.units
    noisy = await unbiased(curator)

    monkeypatch.setattr(OnceLarge, "silent", True)
    await evolve(curator, 1)
    clear = await unbiased(curator)

    truth = {
        f"{table}:{cell}": int(rows)
        for table, algebra in curator.epochs.plan.joint.algebras.items()
        for cell, rows in enumerate(world.tally(algebra))
    }
    assert max(abs(noisy[cell] - truth[cell]) for cell in truth) > 10
    assert all(abs(clear[cell] - truth[cell]) < 0.1 for cell in truth)
    assert await purses(curator) == (once + 2 * price_of(curator), 0)
