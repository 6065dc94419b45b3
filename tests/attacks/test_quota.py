"""Quotas and caps: one client tries to make others, or nobody, pay for what it wants.

It asks in many spellings, in batches with repetitions, over epochs, in names that
nearly are its own, for the empty set, for what cannot be placed, and across crashes.
The attack is won when the ledger holds more in its name than its quota, more for all
fresh questions than their cap, or anything in nobody's name that a question caused.
Random moves, counted exactly; so there is no error rate.

Another name is another quota: names are believed (docs/limits.md), and the cap on all
fresh questions is what holds then.
"""

from __future__ import annotations

import contextlib
import itertools
import random
from collections import Counter

import pytest

from sigmacount.accounting import FixedNoise, Renew
from store.keys import Keys
from tests.fixtures.crash_points import Crash, CrashPoint, Large
from tests.fixtures.curator_steps import RHO, World, asking

pytestmark = [pytest.mark.redis, pytest.mark.attack]

PRICE, MOVES, GAMES = 20_000, 30, 4
QUOTA, CAP = 2 * PRICE + 7_001, 5 * PRICE + 5_003
NAMES = ["eve", "Eve", " eve", "eve ", "EVE", "eve\u200b", "=eve", "ev\u0435"]
OFTEN = [6, 1, 1, 1, 1, 1, 1, 1]
SETS = {
    "F": ["sex = 'F'", "NOT sex = 'M'", "sex IN ('F', 'F')", "sex <> 'M' AND TRUE"],
    "cook": ["job = 'cook'", "'cook' = job", "NOT (job = 'nurse')"],
    "Oslo": ["city = 'Oslo'", "city NOT IN ('Paris', 'Rome')"],
    "F in Oslo": ["sex = 'F' AND city = 'Oslo'", "NOT (sex = 'M' OR city <> 'Oslo')"],
    "north": ["city = 'Oslo' OR city = 'Paris'", "city <> 'Rome'"],
    "empty": ["sex = 'F' AND sex = 'M'", "1 = 0"],
    "all": ["1 = 1", "sex = 'F' OR sex = 'M'"],
}
LIMITS = {"quota": QUOTA, "fresh_budget": CAP}
CRASHES = [
    (act, side)
    for act in ("charge", "store", "bind", "release")
    for side in ("before", "after")
]


def batch(dice, schema):
    """A few questions, some of them twice, each in a name and a spelling."""
    some = []
    for n in range(dice.randint(1, 5)):
        where = dice.choice(SETS[dice.choice([*SETS])])
        [client] = dice.choices(NAMES, OFTEN)
        some.append(asking(schema, where, client, f"r{n}"))
    return some + some[: dice.randint(0, len(some))]


async def by_client(curator):
    """What the ledger's lines say that each client paid, and what nobody did."""
    paid = Counter()
    for line in await curator.ledger.entries():
        paid[line.charge.client] += line.charge.asked
    return paid


async def moved(world, curator, dice, rule, number):
    """One move: ask, let an epoch come, or crash while asking and start anew."""
    move = dice.choices(["ask", "epoch", "crash"], [5, 2, 1])[0]
    if move == "epoch":
        await world.change(**{f"p{number}": ("F", "Oslo", "cook")})
        await curator.tick()
        return curator, []
    if move == "ask":
        return curator, await curator.ask(*batch(dice, world.schema))
    act, side = dice.choice(CRASHES)
    with contextlib.suppress(Crash):
        doomed = await begun(world, rule, crash=CrashPoint(act, side))
        await doomed.ask(*batch(dice, world.schema))
    return await begun(world, rule), []


async def begun(world, rule, **terms):
    """A curator, with an epoch to answer from."""
    curator = await world.curator(rule=rule, draw=Large, **LIMITS, **terms)
    await curator.tick()
    return curator


def checked(before, paid, answers):
    """Nobody's name paid for anything, no name beyond its quota; answers say so."""
    said = Counter()
    for answer in answers:
        said[answer.client] += answer.spent_micro_epsilon
    assert paid[None] == 0
    assert max(paid.values(), default=0) <= QUOTA
    assert not answers or paid - before == +said


async def played(world, dice, rule):
    """One game: (askings, refused, the most that one name paid)."""
    curator, asked, refused = await begun(world, rule), 0, 0
    for number in range(MOVES):
        before = await by_client(curator)
        curator, answers = await moved(world, curator, dice, rule, number)
        paid, totals = await by_client(curator), await curator.ledger.totals()
        checked(before, paid, answers)
        assert sum(paid.values()) == totals.on.get("fresh", 0) <= CAP
        asked += len(answers)
        refused += sum(answer.status == "refused" for answer in answers)
    assert await curator.ledger.verify()
    return asked, refused, max(paid.values(), default=0)


@pytest.mark.parametrize("rule", [FixedNoise(RHO), Renew()], ids=lambda r: r.name)
async def test_no_name_spends_more_than_its_quota_nor_all_of_them_the_cap(
    redis, keys, rule, figures, times
):
    """After every move; and what answers say they cost is what was charged."""
    games = []
    for game in range(GAMES * times):
        world = await World.of_two(redis, Keys(f"{keys.dataset}-{game}"))
        games.append(await played(world, random.Random(game), rule))

    asked, refused, most = zip(*games, strict=True)
    assert sum(refused) > 0
    figures(
        f"{sum(asked)} askings, {sum(refused)} refused,"
        f" at most {max(most):,} of {QUOTA:,} µε in one name"
    )


async def test_what_renaming_buys_is_the_cap_and_no_more(redis, keys, figures):
    """A new name for each question: names are believed, so each has a quota."""
    world = await World.of_two(redis, keys)
    curator = await world.curator(draw=Large, quota=PRICE, fresh_budget=CAP)
    await curator.tick()
    parts = ["sex = 'F'", "city = 'Oslo'", "job = 'cook'"]
    pairs = itertools.permutations(parts, 2)
    words = ("AND", "AND NOT", "OR NOT")
    sets = [f"{a} {op} {b}" for a, b in pairs for op in words]

    answers = [
        (await curator.ask(asking(world.schema, where, f"eve{n}")))[0]
        for n, where in enumerate(sets)
    ]

    bought = sum(answer.spent_micro_epsilon > 0 for answer in answers)
    assert bought == CAP // PRICE
    assert await curator.spent() == bought * PRICE
    figures(f"{len(sets)} names, {bought} questions bought, cap {CAP // PRICE}")
