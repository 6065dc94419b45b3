"""Algorithm 1: every query is answered by its own count and its own draw."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import Charge
from sigmacount.errors import BudgetExhausted
from sigmacount.models.ledger import Ledger
from sigmacount.release.algorithms import benchmark
from tests.fixtures.drawn import Drawn
from tests.theorems.people import CODES, COUNTS, queries, true_counts

ASKED = queries("", "sex = 'F'", "age >= 40 AND town = 'B'", "sex = 'F'")


def test_without_noise_it_is_the_true_count():
    """N̂(A) = N(A) + 0."""
    answers = benchmark(ASKED, CODES, COUNTS, Drawn(np.zeros(4)))

    assert answers.tolist() == true_counts(ASKED)


def test_each_query_has_a_draw_of_its_own():
    """Even one that was asked before (equation 3)."""
    answers = benchmark(ASKED, CODES, COUNTS, Drawn([1, 20, -300, 4_000]))

    errors = answers - np.array(true_counts(ASKED))
    assert errors.tolist() == [1, 20, -300, 4_000]


def test_it_may_break_the_order():
    """Why there is Algorithm 2: a part may be answered with more than the whole."""
    everyone, women, *_ = benchmark(ASKED, CODES, COUNTS, Drawn([-900, 900, 0, 0]))

    assert women > everyone


def test_no_query_needs_no_draw():
    """An empty list is answered by an empty one."""
    assert benchmark([], CODES, COUNTS, Drawn([])).size == 0


@given(epsilon=st.integers(1, 1_000), budget=st.integers(0, 20_000))
def test_it_ends_when_the_budget_does(epsilon, budget):
    """Line 1: Q = ⌊ε_budget / ε⌋ queries are answered, and no more (equation 7)."""
    ledger = Ledger("people", budget)
    last = budget // epsilon

    for t in range(last):
        ledger = ledger.charge(Charge(f"fresh:{t}", "fresh", epsilon))

    assert ledger.spent == last * epsilon
    with pytest.raises(BudgetExhausted):
        ledger.charge(Charge("fresh:one more", "fresh", epsilon))
