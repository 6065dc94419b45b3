"""Fresh tables: one charge, one noise vector, rows that are free when asked alone."""

from __future__ import annotations

import itertools

import pytest

from sigmacount.accounting import FixedNoise, Renew, surcharge
from sigmacount.mechanisms import DiscreteLaplace, cheapest
from sigmacount.models import NoiseName
from sigmacount.release import OrderedAnswers
from tests.fixtures.curator_steps import RHO, World, asking, group
from tests.fixtures.table_steps import (
    ANY,
    CITIES,
    MORE,
    PRICE,
    at_work,
    rows,
    table,
    table_of,
    unit_of,
)


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


@pytest.mark.redis
async def test_a_table_is_charged_once_and_every_cell_has_noise_of_its_own(world):
    """A row of the dataset sits in one cell: parallel composition."""
    curator = await at_work(world)

    answer = await table_of(curator, "sex", "city")

    assert (answer.status, answer.route) == ("ok", "fresh")
    assert answer.spent_micro_epsilon == await curator.spent() == PRICE
    assert list(rows(answer)) == list(itertools.product("FM", CITIES))
    assert answer.count == sum(rows(answer).values())
    noises = [
        count - world.count(f"sex = '{sex}' AND city = '{city}'")
        for (sex, city), count in rows(answer).items()
    ]
    assert len(set(noises)) == answer.table.cells == 6
    [line] = [e.charge for e in await curator.ledger.entries() if e.charge.asked]
    assert line.charge_id == f"fresh:{unit_of(world, 'sex', 'city')}:0"
    assert line.attributes == ("sex", "city")
    assert NoiseName(unit_of(world, "sex", "city"), 0) in await commitments(world)


async def commitments(world):
    """All noise that was committed to."""
    events = await world.trail.read()
    return {NoiseName.parse(e.noise) for e in events if hasattr(e, "noise")}


@pytest.mark.redis
async def test_a_row_asked_alone_is_the_same_number_and_free(world):
    """For everybody, in that epoch; and the table again, in another order."""
    curator = await at_work(world)
    answer = await table_of(curator, "sex", "city")

    for (sex, city), count in rows(answer).items():
        where = f"city = '{city}' AND sex = '{sex}'"
        [alone] = await curator.ask(asking(world.schema, where, "bob"))
        assert (alone.count, alone.route, alone.spent) == (count, "memo", None)
    how = {"having": {"ge": 0}, "order_by": ("-count",), "limit": 2}
    again = await table_of(curator, "city", "sex", client="bob", how=how)

    assert (again.route, again.spent, again.count) == ("memo", None, answer.count)
    best = sorted(rows(answer).values(), reverse=True)[:2]
    assert [row.count for row in again.table.rows] == best
    assert again.table.by == ("city", "sex")
    assert again.table.cells == 6
    assert await curator.spent() == PRICE


@pytest.mark.redis
async def test_a_cell_that_was_asked_before_keeps_its_count(world):
    """One count a set and epoch, whoever asked for what first."""
    curator = await at_work(world)
    [before] = await curator.ask(asking(world.schema, "sex = 'F'"))
    [fine] = await curator.ask(
        asking(world.schema, "sex = 'M'", error=20, max_cost=ANY)
    )

    answer = await table_of(curator, "sex")
    [after] = await curator.ask(asking(world.schema, "sex = 'M'", error=20))

    assert rows(answer) == {("F",): before.count, ("M",): fine.count}
    assert (after.interval, after.spent) == (fine.interval, None)


@pytest.mark.redis
async def test_what_an_algebra_holds_stays_the_algebras(world):
    """Every cell by it: free. With a condition that it does not hold: one charge."""
    curator = await at_work(world, group(world.schema, "sex", "city"))
    held = await table_of(curator, "sex")
    part = "sex = 'F' OR job = 'cook'"  # all cells of F are the algebra's

    mixed = await table_of(curator, "sex", where=part)
    [alone] = await curator.ask(asking(world.schema, "sex = 'F'"))

    assert (held.route, held.spent) == ("algebra", None)
    assert (mixed.route, mixed.spent_micro_epsilon) == ("fresh", PRICE)
    assert (alone.route, alone.count) == ("algebra", rows(mixed)["F",])
    assert mixed.guarantee.micro_epsilon == PRICE + 10_000


@pytest.mark.redis
@pytest.mark.parametrize("rule", [FixedNoise(RHO), Renew()], ids=lambda r: r.name)
async def test_a_table_is_charged_once_in_a_later_epoch_too(world, rule):
    """The noise again by Theorem 5, or noise of its own; as its price said."""
    curator = await at_work(world, rule=rule)
    first = await table_of(curator, "sex", "job")
    await world.change(**MORE)
    await curator.tick()

    quote = (await table_of(curator, "sex", "job", price=True)).quote
    later = await table_of(curator, "sex", "job", client="bob")

    again = surcharge(PRICE, RHO) if rule.name == "fixed-noise" else PRICE
    assert (quote.cost, quote.error) == (again, usual(1))
    assert later.spent_micro_epsilon == again
    assert await curator.spent() == PRICE + again
    if rule.name == "fixed-noise":
        assert later.count == first.count + 2


def usual(draws):
    """How far the operator's noise goes."""
    return DiscreteLaplace.costing(PRICE).quantile(draws, 0.95)


@pytest.mark.redis
async def test_two_clients_who_want_a_table_in_one_batch_pay_for_it_once(world):
    """The first; and who may not spend is refused before, not after."""
    curator = await at_work(world)

    answers = await curator.ask(
        table(world, ["sex"], client="cy", max_cost=0),
        table(world, ["sex"], client="ada"),
        table(world, ["sex"], client="bob"),
        table(world, ["sex"], client="cy", max_cost=0),
    )

    assert [a.status for a in answers] == ["refused", "ok", "ok", "ok"]
    assert answers[0].error.code == "above_max_cost"
    assert [a.spent_micro_epsilon for a in answers] == [0, PRICE, 0, 0]
    assert rows(answers[1]) == rows(answers[2]) == rows(answers[3])


@pytest.mark.redis
async def test_a_table_that_cannot_be_paid_for_is_no_work(world, monkeypatch):
    """It gets neither a place in the order, which may take seconds, nor noise."""
    curator, placed = await at_work(world, quota=PRICE - 1), []

    def place(_, queries):
        placed.append(len(queries))

    monkeypatch.setattr(OrderedAnswers, "place_disjoint", place)

    refused = await table_of(curator, "sex", "city")
    dear = await table_of(curator, "sex", "city", max_cost=0)

    assert (refused.status, refused.error.code) == ("refused", "budget_exhausted")
    assert dear.error.code == "above_max_cost"
    assert (await curator.spent(), placed) == (0, [])


@pytest.mark.redis
async def test_rows_may_be_wanted_more_exactly(world):
    """The least price for each row's interval; the noise before counts for nothing."""
    curator = await at_work(world)
    coarse = await table_of(curator, "sex")

    told = await table_of(curator, "sex", error=50)
    fine = await table_of(curator, "sex", error=50, max_cost=ANY)
    [alone] = await curator.ask(asking(world.schema, "sex = 'F'", error=50))

    cost = cheapest(50, 0.95).price.units
    assert (told.error.code, told.quote.cost) == ("above_max_cost", cost)
    assert fine.spent_micro_epsilon == cost
    assert rows(fine) == rows(coarse)
    assert fine.unbiased is not None
    [row, _] = fine.table.rows
    assert row.interval[1] - row.interval[0] == 100
    assert (alone.interval, alone.spent) == (row.interval, None)


@pytest.mark.redis
@pytest.mark.parametrize(
    ("by", "how"),
    [(("weight",), {}), (("sex", "sex"), {}), (("sex",), {"order_by": ("weight",)})],
)
async def test_a_table_that_means_nothing_is_invalid(world, by, how):
    """Bytes of anybody: the topic may be written by a faulty responder."""
    curator = await at_work(world)

    answer = await table_of(curator, *by, how=how)

    assert answer.status == "invalid"
    assert await curator.spent() == 0


@pytest.mark.redis
async def test_a_table_without_rows_is_free(world):
    """No row can be in it, so it counts 0 exactly, as its price says."""
    curator = await at_work(world)
    nobody = "sex = 'F' AND sex = 'M'"

    quote = (await table_of(curator, "city", where=nobody, price=True)).quote
    answer = await table_of(curator, "city", where=nobody, error=1, max_cost=0)

    assert (quote.cost, quote.error) == (0, 0)
    assert (answer.status, answer.count, answer.table.rows) == ("ok", 0, ())
    assert answer.guarantee.micro_epsilon == await curator.spent() == 0
