"""Counters under a whole curator: charged once, a tick an epoch, the same for ever."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sigmacount.accounting import Continual
from sigmacount.continual import Counters, variance_factor
from sigmacount.language import parse
from store.keys import NOISE_COUNT
from tests.fixtures.continual_steps import (
    HORIZON,
    PRICE,
    Steady,
    charged,
    counted,
    life,
    steady,
    ticks_of,
)
from tests.fixtures.curator_steps import World

pytestmark = pytest.mark.redis


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


def expected(size, ticks):
    """Z after each tick of counters that always draw the same: none has seen a row."""
    counters, found = Counters.new(HORIZON, size), []
    for _ in range(ticks):
        counters = counters.absorb(counters.step(steady(size)))
        found.append(counters.noise.tolist())
    return found


async def test_a_unit_is_charged_once_and_ticks_at_every_epoch(world):
    """Whether rows changed or not; the head says how old each unit is."""
    curator, sex = await life(world), counted(world.schema, "sex")
    await curator.tick(sex, version=1)
    heads = [curator.epochs.head]
    for change in ({}, {"cleo": ("F", "Rome", "cook")}, {"cleo": None}, {}):
        await world.change(**change)
        await curator.tick()
        heads.append(curator.epochs.head)

    assert [head.epoch for head in heads] == [1, 2, 3, 4, 5]
    assert [head.about["ticks"] for head in heads] == [
        {sex.id: tick} for tick in (1, 2, 3, 4, 5)
    ]
    assert {head.about["horizon"] for head in heads} == {128}
    assert await charged(curator) == [f"{sex.id}:0"]
    assert await curator.spent() == PRICE
    assert [e for e, _ in (await ticks_of(world, sex.id)).values()] == [1, 2, 3, 4, 5]


async def test_the_noise_goes_on_bit_for_bit_over_takeovers_and_folds(world):
    """As of one counter that nobody ever stopped; after 64 ticks its state is kept."""
    sex = counted(world.schema, "sex")
    curator = await life(world, draw=Steady)
    await curator.tick(sex, version=1)
    seen = [(await curator.noise())[sex.id].tolist()]
    for tick in range(2, 71):
        if tick in (2, 5, 64, 65, 66, 70):
            curator = await life(world, draw=Steady)
        await curator.tick()
        seen.append((await curator.noise())[sex.id].tolist())

    assert seen == expected(2, 70)
    held = await world.redis.hgetall(world.keys.of(NOISE_COUNT, unit=sex.id, gen="0"))
    assert (held[b"t0"], held[b"t"]) == (b"64", b"70")
    assert set(await ticks_of(world, sex.id)) == {65, 66, 67, 68, 69, 70}
    assert await curator.spent() == PRICE


async def test_a_unit_that_is_dropped_pauses_and_comes_back_free(world):
    """Its state and its ticks wait; what the other does meanwhile is nothing to it."""
    sex, city = counted(world.schema, "sex"), counted(world.schema, "city")
    curator = await life(world, draw=Steady)
    await curator.tick(sex, city, version=1)
    await curator.tick(city, version=2)
    await curator.tick()
    paused = await ticks_of(world, sex.id)
    curator = await life(world, draw=Steady)
    await curator.tick(sex, city, version=3)

    noise, head = await curator.noise(), curator.epochs.head
    assert set(paused) == {1}
    assert head.about["ticks"] == {sex.id: 2, city.id: 4}
    assert noise[sex.id].tolist() == expected(2, 2)[-1]
    assert noise[city.id].tolist() == expected(3, 4)[-1]
    assert [epoch for epoch, _ in (await ticks_of(world, sex.id)).values()] == [1, 4]
    assert await curator.spent() == 2 * PRICE


async def test_answers_have_the_error_of_their_unit_s_own_age(world):
    """A unit that is new errs less than one that has ticked for long."""
    sex, city = counted(world.schema, "sex"), counted(world.schema, "city")
    curator = await life(world)
    await curator.tick(sex, version=1)
    for _ in range(9):
        await curator.tick()
    await curator.tick(sex, city, version=2)

    serving = curator.epochs.source.serving
    old, new = (
        serving.answer(parse(world.schema, where)).stderr
        for where in ("sex = 'F'", "city = 'Oslo'")
    )
    ratio = variance_factor(HORIZON, 11) / variance_factor(HORIZON, 1)
    assert old / new == pytest.approx(math.sqrt(ratio), rel=1e-3)


async def test_a_plan_whose_noise_no_counter_holds_is_refused(world):
    """Before anything is charged; the plan in force goes on."""
    sex, wide = counted(world.schema, "sex"), counted(world.schema, "city", price=100)
    curator = await life(world, rule=Continual(4_194_304, 1.0, delta=1e-9))
    await curator.tick(sex, version=1)

    await curator.tick(wide, version=2)

    assert curator.epochs.head.epoch == 2
    assert curator.epochs.plan.version == 1
    assert await charged(curator) == [f"{sex.id}:0"]


class Numbered(Steady):
    """Draws whose first number says, in thousands of rows, which of them it is."""

    made = 0

    def draw(self, size, watch=None):  # noqa: ARG002 - as the protocol has it
        """The next of them."""
        Numbered.made += 1
        rows = np.full(size, 1_000 * Numbered.made, np.int64)
        return rows << HORIZON.lattice_bits


async def test_what_is_drawn_ahead_is_used_once(world):
    """No two ticks, units or lives share a draw: W = 2^m u + F, to half a row."""
    sex, city = counted(world.schema, "sex"), counted(world.schema, "city")
    curator = await life(world, draw=Numbered)
    await curator.tick(sex, city, version=1)
    await curator.tick()
    await curator.tick()
    await (await life(world, draw=Numbered)).tick()

    used = []
    for unit in (sex, city):
        counters = Counters.new(HORIZON, unit.draws)
        for _, moved in (await ticks_of(world, unit.id)).values():
            drawn = moved[0] + counters.feedback[0] / 2**HORIZON.lattice_bits
            used.append(round(drawn / 1_000))
            counters = counters.absorb(np.array(moved, np.int64))
    assert len(used) == len(set(used)) == 8
    assert Numbered.made > 8, "what was ahead of the first life was thrown away"


async def test_what_the_ledger_refuses_draws_nothing(world, monkeypatch):
    """Of two units it pays one, though there was enough when it was asked: no tick."""

    async def enough(*_):
        return None

    sex, city = counted(world.schema, "sex"), counted(world.schema, "city")
    curator = await life(world, limit=PRICE + PRICE // 2)
    monkeypatch.setattr(curator.epochs._releaser, "_afford", enough)  # noqa: SLF001

    await curator.tick(sex, city, version=1)

    assert curator.epochs.head.groups == ()
    assert len(await charged(curator)) == 1
    assert not await ticks_of(world, sex.id) | await ticks_of(world, city.id)
