"""Beyond the paper: shapes counted right, sums exact, rows within their bounds."""

from dataclasses import replace

import numpy as np
import pytest

from experiments.measuring import errors as module
from experiments.measuring import strategies as plans
from experiments.measuring.errors import Error, Noises, measure
from experiments.measuring.layered_queries import LayeredQueries
from experiments.measuring.spectrum import spectrum, sums
from experiments.parts import beyond, utility
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Group
from sigmacount.sets import Algebra, Sums

SEED = 20230101
WANTED = np.array([[2, 2, 2], [1, 2, 0], [1, 2, 0], [0, 2, 0], [2, 1, 2]])
FINE = Error(plans.PRODUCT, 10, 100_000, 1, 1, 613.0, 620.0, 40.0)


def test_questions_are_gathered_by_shape():
    """Equal questions are one, with how often; the layers hold them all."""
    asked = LayeredQueries.of(WANTED)

    number, distinct = asked.by_number
    assert number.tolist() == [1, 1, 3]
    assert distinct.tolist() == [1, 1, 2]
    assert asked.layers[2].active.tolist() == [[0, 2]]
    assert asked.layers[2].times.tolist() == [[1, 0, 2, 0]]


def test_a_value_means_the_cells_that_were_asked_for():
    """The log holds the same sets of cells as the matrix."""
    asked = LayeredQueries.of(WANTED)
    cells = np.array(np.unravel_index(np.arange(8), (2, 2, 2))).T

    told = {
        tuple(np.flatnonzero(e.query.contains_levels(cells))): e.weight
        for e in asked.log()
    }

    meant = [((row == 2) | (cells == row)).all(axis=1) for row in WANTED]
    drawn = [tuple(np.flatnonzero(each)) for each in meant]
    assert told == {each: drawn.count(each) for each in drawn}


@pytest.mark.parametrize("attributes", [(0, 1, 2, 3, 4, 5, 6, 7), (1, 4, 5)])
def test_sums_of_shapes_are_those_of_the_library(attributes):
    """To the last row, for every value of every shape that the table holds."""
    asked = LayeredQueries.drawn(8, 3_000, SEED)
    values = np.random.default_rng(SEED).integers(-99, 99, 2 ** len(attributes))
    theirs = Sums(Algebra.full(asked.schema, attributes), values)
    waves = spectrum(values)

    for layer in asked.layers:
        own = np.isin(layer.active, attributes).all(axis=1)
        found = sums(waves, attributes, layer.active[own])
        for active, row in zip(layer.active[own].tolist(), found, strict=True):
            asks = [asked.query(active, value) for value in range(len(row))]
            assert [theirs.total(query) for query in asks] == row.tolist()


@pytest.fixture(scope="module")
def errors():
    """Every strategy on the paper's workload over 10 columns, drawn a few times."""
    asked = LayeredQueries.drawn(10, 100_000, SEED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "DRAWS", 20_000)
        return [
            measure(asked, strategy, Noises(SEED))
            for strategy in beyond.strategies(asked, asked)
        ]


@pytest.mark.statistical
def test_every_row_keeps_its_bound(errors):
    """Known figures within 5 %, the planner at most 1 % above its own.

    False alarm: about 5e-5 a row, five standard errors beside 3 %, as simulated.
    """
    assert len(errors) == 7
    assert [beyond.missed(error) for error in errors] == [""] * 7


def test_algorithm_4_errs_as_its_utility_says(errors):
    """The benchmark's Q² over the closed form of the paper's tables."""
    published = errors[0].predicted

    form = 100_000**2 / utility.closed_form(10, 100_000, 3)
    assert published == pytest.approx(form, rel=0.03)


def test_the_strategies_come_in_the_order_of_their_errors(errors):
    """Each row of the table is there because it beats the one before."""
    predicted = [error.predicted for error in errors]

    assert predicted == sorted(predicted, reverse=True)


def test_what_is_spent_is_what_the_ledger_would_charge(monkeypatch):
    """Groups under the rule, and each question that none holds, once with a memo."""
    monkeypatch.setattr(module, "DRAWS", 2_000)
    wanted = np.random.default_rng(SEED).integers(0, 3, (500, 5))
    asked = LayeredQueries.of(np.repeat(wanted, 3, axis=0))
    number, distinct = asked.by_number
    assert (number[4:] >= 3 * distinct[4:]).all()

    for memo, asks in ((True, distinct), (False, number)):
        made = plans.clusters(asked, memo=memo)
        error = measure(asked, made, Noises(SEED))
        alone = int(made.alone[4:] @ asks[4:])
        assert error.spent == alone + sum(g.price.units for g in made.groups)


def test_the_paper_pays_for_every_atom(monkeypatch):
    """Rule ``paper``: 2^3 atoms a cluster; the left-over questions B/Q each."""
    monkeypatch.setattr(module, "DRAWS", 2_000)
    asked = LayeredQueries.drawn(6, 100_000, SEED)

    made = plans.published(asked)

    left = asked.by_number[0][4:].sum()
    paid = 8 * sum(g.price.units for g in made.groups) + made.alone[-1] * left
    assert measure(asked, made, Noises(SEED)).spent == paid
    assert paid / 100_000 == pytest.approx(made.alone[-1], rel=0.01)


def test_a_large_table_is_dealt_again_with_new_signs(monkeypatch):
    """Magnitudes stay, signs are fair and new; small tables are drawn anew."""
    monkeypatch.setattr(module, "LARGE", 256)
    schema = LayeredQueries.drawn(10, 10, SEED).schema
    large = Group(Algebra.full(schema, range(10)), DiscreteLaplace.costing(10_000))
    small = Group(Algebra.full(schema, range(8)), DiscreteLaplace.costing(10_000))
    noises = Noises(SEED)

    (first, one), (second, other) = (noises.tables([large, small]) for _ in range(2))

    assert (abs(first) == abs(second)).all()
    assert 0.3 < (first == second).mean() < 0.7
    assert not np.array_equal(abs(one), abs(other))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({}, ""),
        ({"measured": 900.0}, "measured is 1.468 of predicted, 1.36 is allowed"),
        ({"measured": 380.0}, "measured is 0.620 of predicted, 1.56 is allowed"),
        ({"predicted": 650.0}, "predicted 650 is not within 5 % of 613"),
        ({"predicted": 650.0, "questions": 10**6}, ""),
        ({"strategy": plans.PLANNED}, "predicted 613, at most 333.3 is allowed"),
        ({"strategy": plans.PLANNED, "predicted": 333.0, "measured": 330.0}, ""),
    ],
)
def test_a_row_says_which_bound_it_misses(change, told):
    """Measured against predicted, predicted against what was derived."""
    assert beyond.row(replace(FINE, **change)).missed == told
