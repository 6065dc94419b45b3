"""Trackers over epochs: one person looked at through a table and a fresh question.

A real curator shows a table with a cell for each Alice, and answers a fresh question
about half of that cell, which is held in order with the table. Somebody else moves, and
both are looked at again. So she is in four sums, two of which a tracker could combine
with anything. The attack is won when she loses more ε than the charges for her sums:
all four under `renew`; under `fixed-noise` two, for she stays, and noise that is shown
again beside the same count shows nothing new.

Error rates: false alarm ≤ 1e-6 (Chernoff, both sides; 800 games with her and as many
without). A true mechanism's bound is 1.9 ± 0.3 under `renew` and 1.2 ± 0.1 under
`fixed-noise`; above half an ε it is an attack. A quarter of the noise is missed with
≤ 1e-6: in one epoch its bound is 2.9 ± 0.1 where 2 were charged.
"""

from __future__ import annotations

import numpy as np
import pytest

from sigmacount.accounting import FixedNoise, Renew
from sigmacount.mechanisms import DiscreteLaplace
from tests.fixtures.crash_points import of_times_the_price
from tests.fixtures.curator_steps import asking
from tests.statistics import crowd
from tests.statistics.audit import epsilon_at_least

pytestmark = [pytest.mark.redis, pytest.mark.attack, pytest.mark.statistical]

MICRO, ALPHA, GAMES, RHO = 1_000_000, 1e-6, 800, 1e-3
HALF = DiscreteLaplace.costing(MICRO).quantile(1, 0.95)
RICH = dict.fromkeys(("limit", "fresh_budget", "quota"), 10**12)


def question(schema, alice):
    """Her half of her cell: the table holds the cell, and not its halves."""
    x, y = divmod(int(alice), crowd.SIDE)
    return asking(schema, f"x = 'x{x}' AND y = 'y{y}' AND z = 'in'")


async def looked(curator, table, questions):
    """For each Alice, whether both sums of this epoch speak for her."""
    noisy, released = [
        (await crowd.shown(curator, table, kind))[: len(questions)]
        for kind in ("noisy", "counts")
    ]
    answers = await curator.ask(*questions)
    highs = np.array([answer.interval[1] for answer in answers])
    assert (np.array([answer.count for answer in answers]) <= released).all()
    return (noisy > 0) & (highs - HALF > 0)


async def lost(redis, keys, rule, games=GAMES, epochs=2, **terms):
    """What she lost at least; every other Alice is in the table."""
    world = await crowd.crowded(redis, keys)
    curator = await world.curator(rule=rule, fresh=MICRO, **RICH, **terms)
    table = crowd.by_two(world, MICRO)
    questions = [question(world.schema, alice) for alice in range(2 * games)]
    await curator.tick(table, version=1)
    all_speak = await looked(curator, table, questions)
    for epoch in range(1, epochs):
        await crowd.somebody_moves(world, epoch)
        await curator.tick()
        all_speak &= await looked(curator, table, questions)
    hits = all_speak[::2].sum(), all_speak[1::2].sum()
    return epsilon_at_least(hits, games, ALPHA)


@pytest.mark.parametrize(
    ("rule", "paid"), [(Renew(), 4), (FixedNoise(RHO), 2)], ids=["renew", "fixed-noise"]
)
async def test_four_sums_tell_no_more_than_was_paid(redis, keys, rule, paid, figures):
    """Table and question, in two epochs."""
    found = await lost(redis, keys, rule)

    assert 0.5 < found <= paid
    figures(f"at least {found:.2f} ε lost of the {paid} ε that were paid")


async def test_the_audit_catches_a_quarter_of_the_noise(redis, keys):
    """Noise of four times the ε that was charged."""
    found = await lost(
        redis,
        keys,
        Renew(),
        GAMES // 2,
        1,
        draw=of_times_the_price(4),
    )

    assert found > 2
