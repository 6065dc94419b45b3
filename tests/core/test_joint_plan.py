"""A joint plan travels as JSON, and is read with suspicion."""

import base64
import json
from dataclasses import replace

import numpy as np
import pytest

from sigmacount.contrasts import (
    ContrastMeasurement,
    Grid,
    MeasuredSet,
    ProductStrategy,
    edge,
)
from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidPlan
from sigmacount.release import Group, JointPlan, Plan
from sigmacount.release.joint import plan as plans
from sigmacount.sets import Algebra
from tests.core.joint_plans import (
    FRESH,
    GRID,
    TABLES,
    joint_of,
    measuring,
    of_contrasts,
    of_cuts,
    of_groups,
)
from tests.core.test_plan import HALF
from tests.core.tiny import OTHER, SCHEMA

BOTH = pytest.mark.parametrize(
    "plan", [of_groups(), of_contrasts((20.0, 30.0)), of_cuts()]
)
WEIGHTS = {(): 1.0, (0,): 0.25, (1, 2): 3.5}


def on_the_wire(plan):
    """As a topic carries it."""
    return json.loads(json.dumps(plan.to_wire()))


@BOTH
def test_a_joint_plan_comes_back_as_it_was(plan):
    """Equal in all that decides: units, tables, weights and their ids."""
    weighted = replace(plan, joint=replace(plan.joint, norm=WEIGHTS))

    again = Plan.from_wire(SCHEMA, on_the_wire(weighted))

    assert again == weighted
    assert hash(again.joint) == hash(weighted.joint)
    assert again.joint.norm == WEIGHTS
    assert again.units == weighted.units
    assert list(again.published) == list(weighted.published)


def test_the_grid_is_said_once():
    """However many measurements there are."""
    form = on_the_wire(of_contrasts((20.0, 30.0)))

    assert json.dumps(form).count('"blocks"') == 1


@BOTH
def test_a_plan_publishes_its_tables_and_charges_its_units(plan):
    """Tables are post-processing; noise is paid for by unit."""
    assert len(plan.published) == len(TABLES)
    assert plan.atoms == plan.joint.cells == sum(map(GRID.cells, TABLES))
    assert plan.beyond(None) == plan.units
    assert plan.beyond(plan) == ()


def test_a_noisy_table_is_measured_once_by_one_noise():
    """Two prices are two draws; one that is there twice would be paid twice."""
    once = of_groups()
    dearer = of_groups(micro=300_001).groups[0]
    twice = on_the_wire(once)
    twice["groups"].append(twice["groups"][0])

    with pytest.raises(InvalidPlan, match="a group twice"):
        replace(once, groups=(*once.groups, once.groups[0]))
    with pytest.raises(InvalidPlan, match="a group twice"):
        Plan.from_wire(SCHEMA, twice)
    both = replace(once, groups=(*once.groups, dearer))
    assert both.beyond(once) == (dearer,)
    assert both.tallied == once.tallied


def test_a_measurement_that_is_added_costs_alone():
    """What was measured before is kept."""
    first, second = of_contrasts((20.0,)), of_contrasts((20.0, 30.0), version=2)

    [added] = second.beyond(first)

    assert added == second.joint.measurements[1]


def test_two_joint_plans_are_told_apart_by_all_that_they_say():
    """Ids name what was released together."""
    one = joint_of()
    others = [
        replace(one, bits=one.bits + 1),
        replace(one, sd=one.sd * 2),
        replace(one, rows_max=one.rows_max + 1),
        replace(one, norm=WEIGHTS),
        replace(one, measurements=measuring()),
        joint_of(tables=TABLES[:2]),
    ]

    assert len({one.id, *(each.id for each in others)}) == len(others) + 1
    assert one != "joint"


def lied(change):
    """A plan's wire form with one thing changed."""
    form = on_the_wire(of_contrasts())
    change(form["joint"])
    return form


def packed(numbers):
    """Weights as they are packed."""
    return base64.b64encode(np.array(numbers, "<f8").tobytes()).decode()


LIES = {
    "its id": lambda j: j.update(id="0" * 16),
    "a table twice": lambda j: j["tables"].append(j["tables"][0]),
    "a table in another": lambda j: j["tables"].insert(0, [0]),
    "tables out of order": lambda j: j["tables"].reverse(),
    "attributes out of order": lambda j: j["tables"][0].reverse(),
    "attributes of the last out of order": lambda j: j["tables"][-1].reverse(),
    "an attribute twice": lambda j: j["tables"][0].append(1),
    "an attribute of no grid": lambda j: j["tables"][0].append(9),
    "no number": lambda j: j["tables"][0].append("a"),
    "no tables": lambda j: j.update(tables=[]),
    "negative bits": lambda j: j.update(bits=-1),
    "too many bits": lambda j: j.update(bits=62),
    "bits as text": lambda j: j.update(bits="3"),
    "too many rows": lambda j: j.update(rows_max=2**60),
    "no rows": lambda j: j.update(rows_max=0),
    "no error": lambda j: j.update(sd=0.0),
    "an infinite error": lambda j: j.update(sd=float("inf")),
    "weights of too few sets": lambda j: j.update(norm=packed([1.0])),
    "weights of too many sets": lambda j: j.update(norm=packed([1.0] * 99)),
    "negative weights": lambda j: j.update(norm=packed([-2.0] * 12)),
    "weights that are none": lambda j: j.update(norm=packed([float("nan")] * 12)),
    "weights that are not packed": lambda j: j.update(norm="AAAA"),
    "a measurement twice": lambda j: j["measurements"].append(j["measurements"][0]),
    "no measurements and no groups": lambda j: j.update(measurements=[]),
    "sets in no table": lambda j: j["tables"].pop(),
    "no grid": lambda j: j.pop("grid"),
    "a grid of nothing": lambda j: j.update(grid=None),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_plan_that_lies_is_refused(lie):
    """It becomes a dead letter; the old plan stays."""
    with pytest.raises(InvalidPlan):
        Plan.from_wire(SCHEMA, lied(lie))


@pytest.mark.parametrize("form", [[], "joint", 7])
def test_what_is_no_joint_plan_is_refused(form):
    """Of any type that JSON has."""
    with pytest.raises(InvalidPlan):
        Plan.from_wire(SCHEMA, on_the_wire(of_groups()) | {"joint": form})


def test_a_plan_of_another_schema_is_refused():
    """Its blocks would mean other levels."""
    with pytest.raises(InvalidPlan):
        Plan.from_wire(OTHER, on_the_wire(of_contrasts()))


def test_a_joint_plan_is_measured_one_way():
    """Noise of two families has no common price."""
    mixed = replace(of_groups().joint, measurements=measuring())

    with pytest.raises(InvalidPlan, match="contrasts"):
        Plan(1, of_groups().groups, FRESH, joint=mixed)


def test_a_weight_of_what_nobody_measures_is_refused():
    """No fit could be held to it."""
    first = of_groups(sets=TABLES[:1])

    with pytest.raises(InvalidPlan):
        replace(first, joint=joint_of())


def test_a_group_off_the_grid_is_refused():
    """It could not be estimated together with the others."""
    group = replace(of_groups().groups[0], algebra=HALF)

    with pytest.raises(InvalidPlan):
        Plan(1, (group,), FRESH, joint=joint_of())


def test_a_measurement_twice_is_refused_whatever_its_id():
    """One draw of noise would be weighed as two."""
    with pytest.raises(InvalidPlan, match="twice"):
        joint_of(measurements=measuring() * 2)


def test_a_coarse_group_over_a_vast_table_is_refused():
    """The table of the grid over its attributes is too large to be made."""
    levels = tuple(map(str, range(64)))
    wide = [Attribute(f"a{i}", "categorical", levels) for i in range(5)]
    schema = Schema("wide", tuple(wide))
    grid = Grid.of(schema, {i: np.arange(64) for i in range(5)})
    coarse = Algebra.product(schema, {i: np.arange(64) // 32 for i in range(5)})
    joint = JointPlan(grid, ((0,),), (), {}, 1, 1.0, 1_000)

    with pytest.raises(InvalidPlan, match="over its grid"):
        Plan(1, (Group(coarse, FRESH),), FRESH, joint=joint)


@pytest.mark.parametrize("limit", ["MOST_POOLED", "MOST_MIXED"])
def test_two_strategies_of_a_large_set_are_refused(monkeypatch, limit):
    """To pool them takes a dense matrix; of one strategy it takes none."""
    edges = ProductStrategy(tuple(edge(b) for b in GRID.shape((1, 2))))
    other = ContrastMeasurement.of(GRID, {(1, 2): MeasuredSet((1, 2), edges, 20.0)})
    both = (*measuring(), other)
    assert joint_of(measurements=both).measurements == both
    monkeypatch.setattr(plans, limit, 1)

    assert joint_of(measurements=measuring((20.0, 30.0)))
    with pytest.raises(InvalidPlan, match="mixes"):
        joint_of(measurements=both)


LIMITS = ["MOST_CELLS", "MOST_SETS", "MOST_LISTED", "MOST_DRAWS"]


@pytest.mark.parametrize("limit", LIMITS)
def test_a_plan_that_is_too_large_is_refused(monkeypatch, limit):
    """Before anything is made of it."""
    monkeypatch.setattr(plans, limit, 5)

    with pytest.raises(InvalidPlan, match=r"larger|too many"):
        JointPlan(GRID, TABLES, measuring(), {}, 3, 1.0, 10)
