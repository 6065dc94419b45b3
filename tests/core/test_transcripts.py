"""Theorem T2 by enumeration: the Rényi divergence of whole transcripts.

Every output of a small counter over all its ticks, with the probability that its own
``step`` gives it; the event at a fixed tick, or where outputs so far put it.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from tests.core.transcripts import World, histories, moment, norm

ORDERS = (1.5, 2.0, 4.0)
TICKS, DEVIATION = 4, 1.3


def at(tick):
    """One row comes, or none, at this tick."""
    return lambda past: np.full(past.shape[1], int(len(past) + 1 == tick))


def by_sign(past):
    """At the second tick if the first number was above 0, else at the third."""
    if not len(past):
        return np.zeros(1, np.int64)
    high = past[0] > 0
    return (high if len(past) == 1 else ~high & (len(past) == 2)).astype(np.int64)


def leaving_by_parity(past):
    """A row goes: at the second tick after an odd number, else at the last."""
    if not len(past):
        return np.zeros(1, np.int64)
    odd = past[0] % 2 == 1
    return -(odd if len(past) == 1 else ~odd & (len(past) == 3)).astype(np.int64)


EVENTS = {
    "first tick": at(1),
    "second tick": at(2),
    "by sign": by_sign,
    "leaving, by parity": leaving_by_parity,
}


@cache
def transcripts(name):
    """P of every transcript, without and with the event."""
    *_, (_, before, after) = histories(World(DEVIATION, 6), EVENTS[name], TICKS)
    return before, after


def losses(name):
    """D_α/α of both ways, for each order."""
    before, after = transcripts(name)
    return [
        math.log(moment(one, other, order).sum()) / (order - 1) / order
        for order in ORDERS
        for one, other in ((before, after), (after, before))
    ]


CHARGED = float(norm(TICKS)) / (2 * DEVIATION**2)


@pytest.mark.parametrize("name", EVENTS)
def test_no_event_costs_more_than_is_charged(name):
    """D_α ≤ αρ both ways, whoever chose the tick from the outputs."""
    before, after = transcripts(name)

    assert max(losses(name)) <= CHARGED
    assert before.sum() > 0.999
    assert np.abs(before - after).sum() / 2 <= math.sqrt(CHARGED / 2)


def test_the_charge_is_not_far_above_the_cost():
    """So the test above can fail: noise of a tenth less would cost more than ρ."""
    assert max(losses("first tick")) > 0.81 * CHARGED


MOVES = {3: 2.0, -2: 1.7}  # by how much one event moves two numbers, and their σ


def moments(step, tick, order):
    """Σ over v_2, v_3 of p^α q^(1−α), for each v_1: the event at ``tick``."""
    world = World(MOVES[step], 20)
    *_, (past, before, after) = histories(world, lambda v: step * at(tick)(v), 3)
    each = moment(after, before, order)
    found = np.zeros(2 * world.reach + 1)
    np.add.at(found, past[0] + world.reach, each)
    return found


@pytest.mark.parametrize("order", [1.5, 2.5])
def test_a_vector_is_charged_by_the_squares_of_its_entries(order):
    """Two numbers moved by (3, −2), at a tick that the first outputs of both choose."""
    second, third = ([moments(a, t, order) for a in MOVES] for t in (2, 3))
    values = np.arange(-20, 21)
    early = np.add.outer(values, values) > 0

    total = np.where(early, np.outer(*second), np.outer(*third)).sum()

    cost = math.log(total) / (order - 1) / order
    charged = sum(float(norm(3)) * a**2 / (2 * d**2) for a, d in MOVES.items())
    unsquared = sum(float(norm(3)) * abs(a) / (2 * d**2) for a, d in MOVES.items())
    assert unsquared < cost <= charged
