"""Reconstruction: so many random sums are asked that linear algebra finds each row.

Dinur and Nissim's attack. The attacker knows everybody but one bit of each of ``N``
people, asks ``4 N`` random subsets, solves the least squares, and names every bit. The
attack is won when more bits are right than e^ε / (1 + e^ε) of them.

Free answers are sums of atoms that were noised once, so that the equations are solved
by those atoms and tell nothing else. False alarm ≤ 1e-9 (Chernoff; R·N bits of
independent draws). That half the noise would be seen, and that noise drawn for each
answer loses everything: missed with ≤ 1e-9.
"""

import math

import numpy as np
import pytest

from sigmacount.domain import Attribute, Schema
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.predicates import query_of
from sigmacount.predicates.logic import Leaf
from sigmacount.release import clamp
from sigmacount.sets import Algebra, Sums
from tests.statistics import coins

pytestmark = [pytest.mark.attack, pytest.mark.statistical]

N, RELEASES, ALPHA, MICRO = 128, 120, 1e-9, 1_000_000
SCHEMA = Schema("bits", (Attribute.categorical("who", [f"p{i}" for i in range(N)]),))
ALGEBRA = Algebra.full(SCHEMA, [0])
DICE = np.random.default_rng(20230101)
ASKED = DICE.random((4 * N, N)) < 0.5
QUERIES = [
    query_of(SCHEMA, Leaf(0, bits, ((1 << N) - 1) ^ bits))
    for bits in (int("".join(map(str, row[::-1].astype(int))), 2) for row in ASKED)
]
BOUND = math.exp(MICRO / 1e6) / (1 + math.exp(MICRO / 1e6))


LEAST_SQUARES = np.linalg.pinv(ASKED.astype(float))  # (N, 4 N)


def named(answers):
    """The bits that the answers (4 N,) speak for."""
    return LEAST_SQUARES @ answers > 0.5


def released(bits, micro_epsilon):
    """The answers (4 N,) to all questions from one release of these bits."""
    return ASKED @ (bits + DiscreteLaplace.costing(micro_epsilon).draw(N))


def right(micro_epsilon):
    """Bits named rightly over all releases."""
    hits = 0
    for _ in range(RELEASES):
        bits = DICE.random(N) < 0.5
        hits += int((named(released(bits, micro_epsilon)) == bits).sum())
    return hits


def test_free_answers_are_sums_of_atoms_that_were_noised_once():
    """Each and every one, of any release: so the attacks may add up for themselves."""
    noisy = (DICE.random(N) < 0.5) + DiscreteLaplace.costing(MICRO).draw(N)

    sums = Sums(ALGEBRA, noisy)

    assert [sums.total(query) for query in QUERIES] == (ASKED @ noisy).tolist()


def test_free_sums_tell_no_more_than_epsilon(figures):
    """Four questions a person cost nothing and win nothing."""
    hits, size = right(MICRO), N * RELEASES

    assert coins.at_least(hits, size, ALPHA) <= BOUND
    assert coins.at_least(hits, size, ALPHA) > 0.5  # it is an attack
    figures(f"{hits / size:.3f} of {size} bits right, bound {BOUND:.3f}")


def test_the_bound_catches_half_the_noise():
    """Noise of twice the ε that is claimed."""
    assert coins.at_least(right(2 * MICRO), N * RELEASES, ALPHA) > BOUND


def test_what_is_made_non_negative_tells_no_more():
    """Post-processing of the same atoms: the clamp loses information, adds none."""
    hits = 0
    for _ in range(RELEASES):
        bits = DICE.random(N) < 0.5
        counts = clamp(bits + DiscreteLaplace.costing(MICRO).draw(N), 0)
        hits += int((named(ASKED @ counts) == bits).sum())

    assert coins.at_least(hits, N * RELEASES, ALPHA) <= BOUND


def test_noise_drawn_for_each_answer_would_lose_every_bit(figures):
    """The same ε for each of many answers, as if nobody kept a ledger."""
    bits, repeats = DICE.random(N) < 0.5, 40
    answers = np.zeros(4 * N)
    for _ in range(repeats):
        answers += ASKED @ bits.astype(int) + DiscreteLaplace.costing(MICRO).draw(4 * N)

    assert (named(answers / repeats) == bits).all()
    figures(f"{N} of {N} bits right after {4 * N * repeats} answers without a ledger")
