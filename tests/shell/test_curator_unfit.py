"""Tables that cannot be made: the release freezes, and tries again ever more rarely."""

from __future__ import annotations

import pytest

from sigmacount.accounting import Renew, epsilon_after
from sigmacount.errors import UnfitRelease
from sigmacount.fitting import Fit
from tests.fixtures.curator_steps import RHO, World
from tests.fixtures.joint_steps import TOGETHER, adopt, answer, begun, crowd, joint_plan
from tests.shell.test_epoch_clock import Hands
from workers.curator.epochs.clock import FIRST_PAUSE, LONGEST_PAUSE, UnfitPause

pytestmark = pytest.mark.redis

PRICE = 20_000  # of the two tables of a plan of family P
CROWDING = [f"more{number}" for number in range(40)]


@pytest.fixture
async def world(redis, keys):
    """Forty people."""
    return await crowd(World.of(redis, keys))


def by_hand(curator):
    """Its pauses end when a test says so."""
    hands = Hands()
    curator.epochs.pause = UnfitPause(hands)
    return hands


async def one_more(world, name="eve"):
    """One more person."""
    await world.change(**{name: ("F", "Paris", "nurse")})


def failing(monkeypatch, fault=MemoryError):
    """Every fit from here on; how many were begun."""
    begun_fits = []

    def broken(*_, **__):
        begun_fits.append(1)
        raise fault

    monkeypatch.setattr(Fit, "of", broken)
    return begun_fits


async def test_more_rows_than_were_declared_freeze_the_release(world):
    """Whole numbers might not hold them: the last epoch stays, and says why."""
    curator = await begun(world)

    await adopt(curator, joint_plan(world.schema, 2, rows_max=20, price=2_000_000))

    head = await curator.released.head()
    assert (head.epoch, head.frozen) == (1, "unfit_release")
    assert curator.epochs.plan.version == 1
    frozen = curator.registry.get_sample_value("sigma_frozen")
    assert frozen == 1
    decided = {"role": "curator", "reason": UnfitRelease.code}
    told = curator.registry.get_sample_value("sigma_plans_decided_total", decided)
    assert told == 1


async def test_an_epoch_that_was_unfit_has_had_its_noise(world):
    """That it was unfit told something of its rows: other rows get other noise."""
    curator = await world.curator(rule=Renew(), limit=10**8)
    await adopt(curator, joint_plan(world.schema, rows_max=60, price=2_000_000))
    once, hands = await curator.spent(), by_hand(curator)

    await world.change(**dict.fromkeys(CROWDING, ("F", "Paris", "nurse")))
    await curator.tick()
    refused = await curator.released.head()
    await world.change(**dict.fromkeys(CROWDING))
    hands.now += FIRST_PAUSE
    await curator.tick()

    assert (refused.epoch, refused.frozen) == (1, "unfit_release")
    assert (curator.epochs.head.epoch, curator.epochs.head.frozen) == (3, None)
    assert await curator.spent() == 3 * once


@pytest.mark.parametrize("fault", [MemoryError, ValueError, FloatingPointError])
async def test_a_fit_that_breaks_down_freezes_the_release_and_is_survived(
    world, monkeypatch, fault
):
    """What was served is answered on; the same noise goes on once it can."""
    curator = await begun(world)
    hands = by_hand(curator)
    await one_more(world)

    with monkeypatch.context() as patched:
        failing(patched, fault)
        await curator.tick()
    frozen, said = curator.epochs.head, answer(curator, TOGETHER[0])
    hands.now += FIRST_PAUSE
    await curator.tick()

    assert (frozen.epoch, frozen.frozen, said.status) == (1, "unfit_release", "ok")
    assert (curator.epochs.head.epoch, curator.epochs.head.frozen) == (3, None)
    assert await curator.spent() == epsilon_after(PRICE, RHO, 3)


@pytest.mark.parametrize("rule", [None, Renew()], ids=["fixed-noise", "renew"])
async def test_an_unfit_plan_is_neither_fitted_nor_charged_at_every_tick(
    world, monkeypatch, rule
):
    """Rows move on all the while: one try, then one after each pause, ever longer."""
    curator = await begun(world, **({"rule": rule} if rule else {}))
    hands, fits = by_hand(curator), failing(monkeypatch)
    tried = []

    for number in range(60):
        before = len(fits)
        await one_more(world, f"e{number}")
        await curator.tick()
        if len(fits) > before:
            tried.append(int(hands.now))
        hands.now += 5

    assert tried == [100, 110, 130, 170, 250]
    charged = [entry.charge.charge_id for entry in await curator.ledger.entries()]
    lines = 2 if rule else 1  # of each try: both tables anew, or one surcharge
    assert len(charged) == len(set(charged))
    noted = sum("plan" in each or "rule" in each for each in charged)
    assert len(charged) - noted == 2 + lines * len(tried)


async def test_another_plan_need_not_wait(world, monkeypatch):
    """It may be what the operator proposed in answer to the freeze."""
    curator = await begun(world)
    by_hand(curator)
    await one_more(world)
    with monkeypatch.context() as patched:
        failing(patched)
        await curator.tick()

    await adopt(curator, joint_plan(world.schema, 2))

    assert (curator.epochs.plan.version, curator.epochs.head.frozen) == (2, None)


async def test_a_plan_that_waits_is_not_charged_where_another_is_refused(
    world, monkeypatch
):
    """It is what would be gone on with, and it cannot be shown."""
    curator = await begun(world)
    by_hand(curator)
    await one_more(world)
    fits = failing(monkeypatch)
    await curator.tick()
    spent = await curator.spent()

    await adopt(curator, joint_plan(world.schema, 2, price=10**9))

    assert (await curator.spent(), len(fits)) == (spent, 1)
    assert curator.epochs.head.frozen == "unfit_release"


def test_pauses_grow_to_the_longest_and_end_with_an_epoch_that_is_shown():
    """An hour at most; whatever went well begins anew."""
    pause = UnfitPause(Hands())

    grown = [pause.begin(1) for _ in range(12)]
    other = pause.begin(2)
    pause.end()

    assert grown[:3] == [FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE]
    assert grown[-1] == LONGEST_PAUSE
    assert other == FIRST_PAUSE
    assert not pause.holds(2)
