"""A forecast is what routing would have done with the log, query by query."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.mechanisms import Amount
from sigmacount.planner.proposal import at_equal_epsilon, forecast
from sigmacount.release import Group
from sigmacount.release.answers.router import route
from sigmacount.sets import Algebra, Workload
from tests.core.priced import laplace, options
from tests.core.tiny import SCHEMA, algebras, logs, products, subsets

FRESH = 20_000
TERMS = options(10**6, FRESH)
prices = st.integers(10_000, 900_000).map(laplace)


def routed(demand, among):
    """Variance of each answer, and whether it was fresh, by asking ``route``."""
    for shape in demand.shapes:
        for query, weight in shape.asked:
            found = route(query, among)
            error = laplace(FRESH).variance if found is None else found.variance
            yield weight / demand.weight, error, found


@given(log=logs, one=st.builds(Group, products(), prices))
def test_it_is_what_routing_to_a_group_would_do(log, one):
    """Error, cover and charge of one group and the fresh rest."""
    demand = Workload.of(SCHEMA, log)
    answers = list(routed(demand, (one,)))

    said = forecast(demand, (one,), TERMS)

    fresh = [found for _, _, found in answers if found is None]
    assert said.error == pytest.approx(
        sum(share * error for share, error, _ in answers)
    )
    assert said.covered == pytest.approx(sum(s for s, _, found in answers if found))
    assert (said.fresh, said.charge) == (len(fresh), len(fresh) * Amount.pure(FRESH))


full = st.builds(lambda names: Algebra.full(SCHEMA, names), subsets)
tables = st.builds(Group, full, prices)


@given(log=logs, among=st.lists(tables, max_size=4, unique=True).map(tuple))
def test_among_tables_that_cut_alike_it_is_what_routing_would_do(log, among):
    """A whole shape then goes one way, and so does each of its queries."""
    demand = Workload.of(SCHEMA, log)

    said = forecast(demand, among, TERMS)

    kept = sum(share * error for share, error, found in routed(demand, among) if found)
    inside = sum(s * e for s, e in zip(said.shares, said.errors, strict=True))
    assert said.covered == pytest.approx(sum(said.shares))
    assert kept == pytest.approx(inside)


@given(log=logs, algebra=algebras)
def test_groups_without_demand_have_no_error(log, algebra):
    """The dearer of two equal groups answers nothing."""
    cheap, dear = (Group(algebra, laplace(800_000)), Group(algebra, laplace(10_000)))

    said = forecast(Workload.of(SCHEMA, log), (dear, cheap), TERMS)

    assert (said.shares[0], said.errors[0]) == (0, 0)


@given(log=logs)
def test_without_groups_everything_is_fresh(log):
    """As before the first plan."""
    demand = Workload.of(SCHEMA, log)

    said = forecast(demand, (), TERMS)

    assert (said.covered, said.fresh) == (0, demand.distinct.sum())


def test_error_at_equal_epsilon_does_not_know_the_scale():
    """Twice every ε and a quarter of the error is the same plan."""
    one, two = Amount.pure(5_000), Amount.pure(10_000)

    assert at_equal_epsilon(400.0, two, one) == at_equal_epsilon(100.0, 2 * two, two)
