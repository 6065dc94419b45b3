"""Fresh tables: one charge, one noise vector, rows that are free when asked alone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sigmacount.accounting import FixedNoise, Renew, surcharge
from sigmacount.domain import Schema
from sigmacount.language import parse
from sigmacount.mechanisms import DiscreteLaplace, cheapest
from sigmacount.models import NoiseName
from sigmacount.sets import GroupedQuery
from streams.wire.tables import Arrangement
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import ATTRIBUTES, RHO, World, asking, group
from workers.curator.epochs.replica import Replica

PRICE, ANY = 20_000, 10**9
ALL = "sex IN ('F', 'M')"
MORE = {"cleo": ("F", "Rome", "nurse"), "dora": ("F", "Rome", "cook")}


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


async def at_work(world, *groups, **terms):
    """A curator with an epoch to answer from."""
    curator = await world.curator(draw=Large, **terms)
    await curator.tick(*groups, version=1 if groups else None)
    return curator


def table(world, by, where=ALL, client="ada", how=None, **terms):
    """A question for a table, as a responder passes it on."""
    asked = asking(world.schema, where, client, **terms)
    arrangement = Arrangement(**(how or {}))
    return type(asked)(
        **{n: getattr(asked, n) for n in asked.__struct_fields__ if n != "by"}
        | {"by": tuple(by), "arrangement": arrangement}
    )


async def table_of(curator, *by, **asked):
    """One table, its answer."""
    [answer] = await curator.ask(table(curator.world, by, **asked))
    return answer


def rows(answer):
    """Levels → count."""
    return {row.levels: row.count for row in answer.table.rows}


def unit_of(world, *by, where=ALL, price=PRICE):
    """The name of a table's noise."""
    grouped = GroupedQuery.of(parse(world.schema, where), by)
    return f"t-{grouped.key}-{price}"


CITIES = ("Oslo", "Paris", "Rome")


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
async def test_a_table_beyond_the_quota_is_refused_and_leaves_nothing(world):
    """Neither a place in the order nor noise."""
    curator = await at_work(world, quota=PRICE - 1)

    refused = await table_of(curator, "sex", "city")

    assert (refused.status, refused.error.code) == ("refused", "budget_exhausted")
    assert await curator.spent() == 0
    assert not curator.epochs.source.answered._queries  # noqa: SLF001


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
@pytest.mark.parametrize("act", ["charge", "draw", "store", "bind", "release"])
@pytest.mark.parametrize("side", ["before", "after"])
async def test_whenever_the_curator_dies_a_table_has_one_noise_paid_once(
    world, act, side
):
    """What its successor shows is what was drawn, and nothing uncharged was shown."""
    crash = CrashPoint(act, side, nth=99)
    first = await at_work(world, group(world.schema, "job"), crash=crash)
    await first.fresh.ahead.fill(50)
    crash.nth = crash.met + 1
    with pytest.raises(Crash):
        await table_of(first, "sex", "city")
    unit = unit_of(world, "sex", "city")
    before = await first.fresh._noise.held([unit], 0)  # noqa: SLF001 - the vault's

    successor = await at_work(world)
    answer = await table_of(successor, "sex", "city", client="bob")

    after = await successor.fresh._noise.held([unit], 0)  # noqa: SLF001 - the same
    for name, noise in before.noises.items():
        assert after.noises[name].tolist() == noise.tolist()
    paid = [
        e.charge for e in await successor.ledger.entries() if "t-" in e.charge.charge_id
    ]
    assert [(line.charge_id, line.asked) for line in paid] == [
        (f"fresh:{unit}:0", PRICE)
    ]
    assert answer.status == "ok"


@pytest.mark.redis
async def test_after_a_takeover_answers_keep_their_order_with_the_table(world):
    """Its rows are remembered; the epoch goes on, at no cost, over unmoved rows."""
    first = await at_work(world, group(world.schema, "job"))
    answer = await table_of(first, "sex", "city")

    successor = await world.curator(draw=Large)
    await successor.tick()
    again = await table_of(successor, "sex", "city")
    [larger] = await successor.ask(asking(world.schema, "sex = 'F'"))

    assert successor.epochs.head.epoch == first.epochs.head.epoch
    assert (rows(again), again.spent) == (rows(answer), None)
    assert larger.count >= max(
        count for (sex, _), count in rows(answer).items() if sex == "F"
    )


@pytest.mark.redis
async def test_frozen_after_a_restart_a_table_of_this_epoch_is_still_told(world):
    """From its memo; another has nothing to be counted from."""
    curator = await at_work(world)
    known = await table_of(curator, "sex")
    await curator.released.freeze(world.tokens, 1, "budget_exhausted")
    await world.change(**MORE)
    successor = await world.curator(limit=PRICE)

    memo = await table_of(successor, "sex")
    unknown = await table_of(successor, "job")

    assert (rows(memo), memo.route) == (rows(known), "memo")
    assert (unknown.status, unknown.error.code) == ("refused", "release_frozen")


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


def test_cells_are_counted_as_their_queries_are(world_of_rows):
    """All of them in one look at the rows."""
    schema, replica = world_of_rows
    for where, by in [
        (ALL, ("city",)),
        ("sex = 'F' OR job = 'cook'", ("job", "sex")),
        ("city <> 'Rome'", ("sex", "city", "job")),
    ]:
        grouped = GroupedQuery.of(parse(schema, where), by)

        counted = replica.count_cells(grouped).tolist()

        assert counted == [replica.count(cell.query) for cell in grouped.cells()]


@pytest.fixture
def world_of_rows():
    """A replica with rows in some cells."""
    schema = Schema("rows", ATTRIBUTES)
    replica = Replica(schema)
    replica.load([(np.array([0, 3, 5, 8, 11]), np.array([4, 0, 7, 1, 2]))])
    return schema, replica
