"""A proposal spends no more than it may, carries over what it can, and says why."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.accounting import PAPER, PARALLEL, cost_of_groups
from sigmacount.errors import BudgetExhausted
from sigmacount.language import parse
from sigmacount.mechanisms import Amount
from sigmacount.planner import Subsets, propose
from sigmacount.planner.strategies import Disjoint, Greedy
from sigmacount.release import Group, Plan
from sigmacount.sets import Algebra, WeightedQuery
from tests.core.priced import laplace, options
from tests.core.tiny import SCHEMA, binary, groups, logs

QUICK = Greedy(effort=0.001)
FRESH = 20_000
LOG = [
    WeightedQuery(parse(SCHEMA, "a = 'a0' AND d = 'd0'"), 50.0),
    WeightedQuery(parse(SCHEMA, "a = 'a1'"), 30.0),
    WeightedQuery(parse(SCHEMA, "b = 'b0' AND c = 'c0'"), 40.0),
    WeightedQuery(parse(SCHEMA, "c IN ('c1', 'c2')"), 20.0),
]
currents = st.lists(groups, max_size=3, unique=True).map(
    lambda held: Plan(4, tuple(held), laplace(FRESH))
)


@settings(max_examples=60, deadline=None)
@given(
    log=logs,
    current=st.none() | currents,
    micro=st.integers(1, 2_000_000),
    rule=st.sampled_from([PARALLEL, PAPER]),
    strategy=st.sampled_from([QUICK, Disjoint()]),
)
def test_a_plan_never_exceeds_its_budget(log, current, micro, rule, strategy):
    """However small it is, under either rule, whatever is carried over."""
    held = frozenset(current.groups) if current else frozenset()

    proposal = propose(SCHEMA, log, options(micro, FRESH, rule), current, strategy)

    new = [g for g in proposal.groups if g not in held]
    charge = cost_of_groups(rule, [(g.algebra.size, g.price) for g in new])
    assert proposal.charge == charge <= Amount.pure(micro)
    assert len(set(proposal.groups)) == len(proposal.groups)
    assert set(proposal.carried) == {g.id for g in proposal.groups} & {
        g.id for g in held
    }


@settings(max_examples=60, deadline=None)
@given(log=logs, current=currents)
def test_more_noise_never_answers_worse(log, current):
    """Groups that serve stay unless others do better, fresh charges weighed in."""
    terms = options(500_000, FRESH)

    proposal = propose(SCHEMA, log, terms, current, QUICK)

    now, then = proposal.now, proposal.then
    assert terms.burden(then.error, then.charge.units) <= terms.burden(
        now.error, now.charge.units
    ) * (1 + 1e-9)


def test_the_first_plan_covers_the_log():
    """Four different questions, none of them fresh any more."""
    proposal = propose(SCHEMA, LOG, options(1_000_000, FRESH), grouping=QUICK)

    assert (proposal.now.covered, proposal.now.fresh) == (0, 4)
    assert (proposal.then.covered, proposal.then.fresh) == (pytest.approx(1), 0)
    assert proposal.plan.version == 1
    assert proposal.charge == Amount.pure(1_000_000)
    assert proposal.plan.fresh == laplace(FRESH)


def test_a_log_that_has_not_changed_is_no_reason_for_a_new_plan():
    """More budget buys less noise, which is no gain at equal ε."""
    terms = options(1_000_000, FRESH)
    first = propose(SCHEMA, LOG, terms, grouping=QUICK)

    second = propose(SCHEMA, LOG, terms, first.plan, QUICK)

    assert first.gain > 0.5
    assert second.gain < 0.05
    assert second.then.error < first.then.error
    assert second.plan.version == 2


def test_a_group_that_still_serves_is_carried_over():
    """Its noise is paid: only the table for the new questions is charged."""
    terms = options(10_000, FRESH)
    best = Group(Algebra.covering(SCHEMA, [e.query for e in LOG[:2]]), laplace(900_000))

    proposal = propose(SCHEMA, LOG, terms, Plan(1, (best,), laplace(FRESH)), QUICK)

    assert proposal.carried == (best.id,)
    assert best in proposal.groups
    assert proposal.charge == Amount.pure(10_000)
    assert proposal.then.covered == pytest.approx(1)


def test_a_group_that_serves_nothing_is_dropped():
    """It would be released again at every epoch, for nobody."""
    idle = Group(
        Algebra.covering(SCHEMA, [parse(SCHEMA, "d = 'd0'")]), laplace(900_000)
    )

    current = Plan(1, (idle,), laplace(FRESH))
    proposal = propose(SCHEMA, LOG[1:2], options(10_000, FRESH), current, QUICK)

    assert idle not in proposal.groups


def test_a_group_that_new_ones_outdo_is_dropped():
    """It served until now, with so much noise that nobody is sent there any more."""
    good = Group(Algebra.covering(SCHEMA, [LOG[2].query]), laplace(5_000_000))
    noisy = Group(Algebra.covering(SCHEMA, [LOG[1].query]), laplace(10))

    current = Plan(1, (good, noisy), laplace(FRESH))
    proposal = propose(SCHEMA, LOG[1:3], options(100_000, FRESH), current, QUICK)

    assert proposal.now.covered == pytest.approx(1)
    assert good in proposal.groups
    assert noisy not in proposal.groups


def test_a_group_made_again_is_carried_over():
    """Same atoms, same ε: it keeps its noise and is not paid twice."""
    held = Group(Algebra.covering(SCHEMA, [LOG[1].query]), laplace(10_000))

    current = Plan(1, (held,), laplace(FRESH))
    proposal = propose(SCHEMA, LOG[1:2], options(10_000, FRESH), current, QUICK)

    assert proposal.groups == (held,)
    assert (proposal.charge, proposal.carried) == (Amount.pure(0), (held.id,))


@pytest.mark.parametrize("current", [None, Plan(7, (), laplace(FRESH))])
def test_without_questions_nothing_changes(current):
    """There is nothing to plan from."""
    proposal = propose(SCHEMA, [], options(1_000_000, FRESH), current)

    assert proposal.groups == ()
    assert (proposal.gain, proposal.charge) == (0, Amount.pure(0))


def test_the_same_log_gives_the_same_plan():
    """Two reclusterers propose alike."""
    schema, log = binary(6, 1_000)
    terms = options(1_000_000, FRESH)

    one, two = (propose(schema, log, terms, grouping=QUICK) for _ in range(2))

    assert one == two


def test_the_papers_clusters_share_one_epsilon():
    """All sets of one attribute, wanted or not, at B over their cost."""
    proposal = propose(SCHEMA, LOG, options(100_001, FRESH, PAPER), None, Subsets(1))

    sizes = [group.algebra.size for group in proposal.groups]
    assert len(sizes) == 4
    assert {g.price.units for g in proposal.groups} == {100_001 // sum(sizes)}


def test_the_papers_clusters_need_one_unit_each():
    """They are wanted all or none."""
    with pytest.raises(BudgetExhausted):
        propose(SCHEMA, LOG, options(3, FRESH), None, Subsets(1))


def test_the_papers_clusters_replace_those_before():
    """Nothing is kept beside them, so the figures are those of the experiment."""
    first = propose(SCHEMA, LOG, options(100_000, FRESH), None, Subsets(1))
    terms = options(200_000, FRESH, max_total_atoms=first.plan.atoms)

    second = propose(SCHEMA, LOG, terms, first.plan, Subsets(1))

    assert len(second.groups) == len(first.groups)
    assert second.carried == ()


def test_the_explanation_tells_groups_charges_and_thresholds():
    """In plain text, a fact a line; the wire keeps it."""
    best = Group(Algebra.covering(SCHEMA, [e.query for e in LOG[:2]]), laplace(900_000))

    lines = propose(
        SCHEMA, LOG, options(10_000, FRESH), Plan(1, (best,), laplace(FRESH)), QUICK
    )

    text = "\n".join(lines.explanation)
    assert "from 140 questions, 4 of them different, on 4 attributes" in text
    assert "1 carried over at no charge, the others charge ε 0.01" in text
    assert f"group {best.id}: a (3) × d (2) = 6 atoms at ε 0.9, carried over" in text
    assert "Theorem 3" in text
    assert "Theorem 4" in text
    assert "rule paper" in text


def test_a_plan_without_groups_says_so():
    """A budget of 1 µε is too little for any product under the paper's rule."""
    proposal = propose(SCHEMA, LOG, options(1, FRESH, PAPER), grouping=QUICK)

    assert proposal.groups == ()
    assert "each has fresh noise" in proposal.explanation[-1]


def test_a_question_for_every_row_needs_one_atom():
    """No attribute is constrained, so the table has none."""
    log = [WeightedQuery(parse(SCHEMA, ""), 10.0)]

    groups_of = {
        strategy: propose(SCHEMA, log, options(1_000, FRESH), None, strategy).groups
        for strategy in (QUICK, Disjoint())
    }

    assert all([g.algebra.size for g in made] == [1] for made in groups_of.values())
    assert "every row = 1 atoms" in "\n".join(
        propose(SCHEMA, log, options(1_000, FRESH), None, QUICK).explanation
    )


def test_a_table_too_large_gives_way_to_smaller_ones():
    """Where the product of everything is out of reach, several tables cover the log."""
    terms = options(1_000_000, FRESH, max_atoms=8)

    proposal = propose(SCHEMA, LOG, terms, grouping=QUICK)

    assert max(g.algebra.size for g in proposal.groups) <= 8
    assert proposal.then.covered == pytest.approx(1)


def test_what_no_table_may_hold_is_fresh_and_priced():
    """A query of more atoms than a table may have stays outside, at its own ε."""
    large = parse(SCHEMA, "a = 'a0' AND b = 'b0' AND c = 'c0' AND d = 'd0'")
    terms = options(1_000_000, FRESH, max_atoms=8)

    proposal = propose(
        SCHEMA, [*LOG, WeightedQuery(large, 10.0)], terms, grouping=QUICK
    )

    assert (proposal.then.fresh, proposal.then.charge.units) == (1, FRESH)
    assert proposal.then.covered == pytest.approx(14 / 15)
    assert np.isclose(terms.burden(1.0, FRESH), 1.02**2)
