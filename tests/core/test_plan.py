"""A group is its atoms and its ε; a plan is its groups, and travels as JSON."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import InvalidPlan
from sigmacount.mechanisms import Amount, DiscreteLaplace, noise_costing
from sigmacount.release import Group, Plan
from sigmacount.sets import Algebra
from tests.core.priced import laplace
from tests.core.tiny import OTHER, SCHEMA, algebras, groups

HALF = Algebra.product(SCHEMA, {0: np.array([0, 1, 1])})


@given(one=groups, two=groups)
def test_a_group_is_known_by_atoms_and_mechanism(one, two):
    """Equal ids carry noise over from plan to plan, so nothing else may matter."""
    alike = one.algebra == two.algebra and one.mechanism == two.mechanism

    assert (one == two) == alike == (one.id == two.id)
    assert len({one, two}) == 1 + (not alike)


def test_a_group_is_nothing_but_a_group():
    """Comparing it with something else is no error."""
    assert Group(HALF, laplace(5)) != 5


@given(algebra=algebras, micro=st.integers(1, 3_000_000))
def test_the_variance_of_an_atom_is_that_of_its_noise(algebra, micro):
    """Routing and planning predict with it."""
    assert Group(algebra, laplace(micro)).variance == laplace(micro).variance


def test_a_group_without_epsilon_is_refused():
    """Nothing can be released for nothing."""
    with pytest.raises(ValueError, match="at least 1"):
        Group(HALF, laplace(0))


def test_a_group_of_another_sensitivity_is_refused():
    """A row is in one atom; its noise must neither cost nor cover more."""
    with pytest.raises(ValueError, match="one atom"):
        Group(HALF, DiscreteLaplace(Amount.pure(5), sensitivity=2))


def test_the_id_of_a_group_is_that_of_noise_that_is_kept():
    """A golden value: vaults hold noise under it since before mechanisms had a type."""
    assert Group(HALF, laplace(70_000)).id == "b7461c1050d2ffae"


plans = st.builds(
    Plan,
    st.integers(0, 9),
    st.lists(groups, max_size=3, unique=True).map(tuple),
    st.integers(1, 9).map(laplace),
    st.lists(st.text(), max_size=2).map(tuple),
)


@given(plan=plans)
def test_the_wire_keeps_a_plan(plan):
    """JSON there and back gives the same groups, ids and words."""
    assert Plan.from_wire(SCHEMA, json.loads(json.dumps(plan.to_wire()))) == plan


@pytest.mark.parametrize("tag", [{}, {"mechanism": "discrete-laplace"}])
def test_a_plan_that_names_no_mechanism_means_discrete_laplace(tag):
    """As all plans were written before a mechanism had a name."""
    form = GOOD | {"groups": [GOOD["groups"][0] | tag]}

    [group] = Plan.from_wire(SCHEMA, form).groups

    assert "mechanism" not in GOOD["groups"][0]
    assert group.mechanism == laplace(70_000)


IN_RHO = Plan(
    3,
    (Group(HALF, noise_costing(Amount.zcdp(10**9))),),
    noise_costing(Amount.zcdp(15_000_000)),
)


def test_the_wire_keeps_a_plan_in_rho_with_its_law():
    """A reader that knows ε alone misses what it reads, and refuses the plan."""
    form = json.loads(json.dumps(IN_RHO.to_wire()))

    assert Plan.from_wire(SCHEMA, form) == IN_RHO
    assert form["fresh"] == {"measure": "rho", "units": 15_000_000}
    [row] = form["groups"]
    assert row["mechanism"] == "discrete-gaussian"
    assert row["price"] == {"measure": "rho", "units": 10**9}
    assert "fresh_micro_epsilon" not in form
    assert "micro_epsilon" not in row


@pytest.mark.parametrize(
    "change",
    [
        {"fresh": {"measure": "rho", "units": 0}},
        {"fresh": {"measure": "none", "units": 5}},
        {"fresh": {"measure": "rho"}},
        {"fresh": 5},
        {"fresh": {"measure": "rho", "units": 2**53}},
        {"price": {"measure": "rho", "units": 10**9 + 10}},
        {"price": {"measure": "epsilon", "units": 10**9}},
        {"mechanism": "discrete-laplace"},
        {"price": None},
    ],
)
def test_a_malformed_plan_in_rho_is_refused(change):
    """Law, price and id must say the same."""
    form = IN_RHO.to_wire()
    [row] = form["groups"]
    on_group = {"price", "mechanism"} & set(change)
    form |= {"groups": [row | change]} if on_group else change

    with pytest.raises(InvalidPlan):
        Plan.from_wire(SCHEMA, form)


@given(plan=plans, other=plans)
def test_only_groups_that_were_not_there_are_to_be_paid(plan, other):
    """Everything else is carried over."""
    both = Plan(1, tuple(dict.fromkeys((*other.groups, *plan.groups))), laplace(1))

    assert set(both.beyond(other)) == set(plan.groups) - set(other.groups)
    assert both.beyond(None) == both.groups
    assert both.atoms == sum(group.algebra.size for group in both.groups)


GOOD = Plan(3, (Group(HALF, laplace(70_000)),), laplace(10_000)).to_wire()


@pytest.mark.parametrize(
    "change",
    [
        {"version": "3"},
        {"version": True},
        {"version": -1},
        {"version": 2**63},
        {"fresh_micro_epsilon": 1.5},
        {"fresh_micro_epsilon": 0},
        {"groups": [GOOD["groups"][0] | {"mechanism": "discrete-gaussian"}]},
        {"groups": [{"id": "no"}]},
        {"groups": 7},
        {"groups": [GOOD["groups"][0] | {"id": "0" * 16}]},
        {"groups": [GOOD["groups"][0] | {"micro_epsilon": 0}]},
        {"groups": [GOOD["groups"][0] | {"micro_epsilon": 70_001}]},
        {"explanation": None},
    ],
)
def test_a_malformed_plan_is_refused(change):
    """A group whose id is not its own would meet the noise of another."""
    with pytest.raises(InvalidPlan):
        Plan.from_wire(SCHEMA, GOOD | change)


def test_a_plan_of_another_schema_is_refused():
    """Its ids are not those its blocks have here."""
    with pytest.raises(InvalidPlan):
        Plan.from_wire(OTHER, GOOD)
