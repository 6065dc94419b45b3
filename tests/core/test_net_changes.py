"""Changes: what came, less what went, and the noise that two epochs do not share."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.contrasts import Grid
from sigmacount.fitting import nearest
from sigmacount.release import answered_table
from sigmacount.release.changes import (
    ChangesOf,
    NoiseBetween,
)
from sigmacount.release.making import EpochMaker
from sigmacount.release.postprocess import clamp
from sigmacount.sets import GroupedQuery, Query
from tests.core.joint_plans import (
    SCHEMA,
    drawn,
    exact,
    gridded,
    of_contrasts,
    rows_of,
    tallies_of,
)
from tests.core.test_ages import HORIZON, PLANS, asked, of_gaussian


def between(plan, then, now, horizon=HORIZON):
    """The noise of a plan whose units are all at these ticks."""
    return NoiseBetween.ticks(
        horizon, *({unit.id: tick for unit in plan.units} for tick in (then, now))
    )


def shown(plan, seed):
    """What an epoch of some rows and some noise shows before post-processing."""
    rows, noise = rows_of(seed), drawn(plan, seed)
    return EpochMaker(clamp).arrays(plan, tallies_of(plan, rows), noise).noisy


def test_a_change_is_the_difference_of_two_sums_before_post_processing():
    """It may be negative, and so may both ends of its interval."""
    plan = of_gaussian(10**10)
    group, query = plan.groups[0], asked((0, 1))
    before = {group.id: np.arange(group.algebra.size)}
    after = {group.id: np.full(group.algebra.size, -90_000)}
    noise = between(plan, 3, 9)

    found = ChangesOf().between(plan, noise, before, after).noisy_count(query)

    atoms = group.algebra.atoms_of(query)
    said = found.estimate(0.95)
    variance = atoms.size * noise.apart.law(group.id, group.mechanism).variance
    assert found.count == found.noisy == -90_000 * atoms.size - atoms.sum()
    assert (found.source, found.atoms) == (group.id, atoms.size)
    assert said.stderr == pytest.approx(math.sqrt(variance))
    assert said.interval == (said.count - said.half, said.count + said.half)
    assert said.interval[1] < 0


def test_only_groups_that_both_epochs_show_tell_a_change():
    """Another plan may have been in force, of which some groups are left."""
    plan = of_gaussian(10**10, 10**10)
    first, second = plan.groups
    numbers = {g.id: np.zeros(g.algebra.size, np.int64) for g in plan.groups}
    noise = NoiseBetween.ticks(HORIZON, {first.id: 4}, {first.id: 9, second.id: 2})

    changes = ChangesOf().between(plan, noise, {first.id: numbers[first.id]}, numbers)

    assert changes.noisy_count(asked((0, 1))).source == first.id
    assert changes.noisy_count(asked((1, 2, 3))) is None
    assert changes.noisy_count(Query.nothing(SCHEMA)).estimate().half == 0


def test_the_group_that_errs_least_between_the_two_tells_the_change():
    """Which need not be the one that counts with less error now."""
    plan = of_gaussian(10**10, 10**10, 10**10)
    groups = {g.algebra.attributes: g for g in plan.groups}
    old, new = groups[0, 1], groups[0, 3]
    numbers = {g.id: np.zeros(g.algebra.size, np.int64) for g in plan.groups}
    ages = {g.id: 2 for g in plan.groups}

    def source(then, now):
        noise = NoiseBetween.ticks(HORIZON, ages | then, dict.fromkeys(ages, 900) | now)
        changes = ChangesOf().between(plan, noise, numbers, numbers)
        return changes.noisy_count(asked((0,))).source

    assert source({old.id: 899}, {}) == old.id
    assert source({new.id: 899}, {}) == new.id


@pytest.mark.parametrize("kind", ["contrasts", "cuts", "noisy tables"])
@given(query=gridded(), then=st.integers(1, 60), window=st.integers(1, 60))
@settings(max_examples=30, deadline=None)
def test_a_joint_change_is_rounded_once(kind, query, then, window):
    """Tables of two epochs are subtracted in their own units, not in rows."""
    plan = PLANS[kind]()
    before, after = shown(plan, 1), shown(plan, 2)

    found = (
        ChangesOf()
        .between(plan, between(plan, then, then + window), before, after)
        .noisy_count(query)
    )

    if query.empty:
        assert found.count == 0
        return
    net = exact(after, plan.joint, query) - exact(before, plan.joint, query)
    assert found.count == found.noisy == nearest(net.numerator, net.denominator)
    assert (found.source, found.signed) == (plan.joint.id, True)


def test_where_queries_lie_is_worked_out_once_for_all_pairs(monkeypatch):
    """And their errors once a pair; another plan starts anew."""
    plan, query, of = of_contrasts(), asked((1, 2)), ChangesOf()
    tables = {gid: np.ones(a.size, np.int64) for gid, a in plan.published.items()}
    worked, own = [], Grid.table_of
    monkeypatch.setattr(Grid, "table_of", lambda s, q: worked.append(q) or own(s, q))

    def stderr(plan, then, now):
        changes = of.between(plan, between(plan, then, now), tables, tables)
        return changes.noisy_count(query).estimate().stderr

    pairs = [stderr(plan, *pair) for pair in ((1, 2), (1, 50), (49, 50))]

    assert len(worked) == 1
    assert len(set(pairs)) == 3
    stderr(of_contrasts((30.0,)), 1, 2)
    assert len(worked) == 2


@pytest.mark.parametrize("kind", ["algebras", "contrasts"])
def test_a_table_of_changes_has_rows_of_either_sign_and_their_sum(kind):
    """Each as if it were asked alone; of a joint plan the sum has its own error."""
    plan = PLANS[kind]()
    before, after = shown(plan, 1), shown(plan, 2)
    changes = ChangesOf().between(plan, between(plan, 3, 9), before, after)
    grouped = GroupedQuery.of(
        Query.everything(SCHEMA), [SCHEMA.names[i] for i in (0, 1)]
    )

    table = answered_table(changes, grouped, 0.9)

    alone = [changes.noisy_count(cell.query).estimate(0.9) for cell in grouped.cells()]
    assert [row.estimate for row in table.rows] == alone
    assert min(each.interval[0] for each in alone) < 0
    assert table.total.interval[0] == table.total.noisy - table.total.half
    if plan.joint is None:
        assert table.total.count == sum(each.count for each in alone)
    else:
        whole = changes.noisy_count(Query.everything(SCHEMA)).estimate(0.9)
        assert table.total == whole
