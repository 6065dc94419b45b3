"""How far overlapping Laplace tables err on the demo's log."""

from __future__ import annotations

from collections import Counter

import pytest

from cli.demo.questions.analysts import TEAMS, Team
from config.declarations.datasets import load_schema
from sigmacount.language import parse
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.planner import Optimal, PlanOptions, propose
from sigmacount.sets import WeightedQuery

SEED, QUESTIONS = 20230101, 1_550  # of each team
TERMS = PlanOptions(Amount.pure(1_000_000), DiscreteLaplace.costing(20_000))


def test_the_demos_log_errs_less_than_was_foreseen():
    """V ≤ 1,017 (and 1,147 of the sets that are asked for): 2V/ε² for every question.

    Nothing is fresh, and twenty tables are enough.
    """
    schema = load_schema("adult")
    asked: Counter[str] = Counter()
    for name in TEAMS:
        team = Team(name, SEED)
        asked.update(team.question() for _ in range(QUESTIONS))
    log = [WeightedQuery(parse(schema, text), times) for text, times in asked.items()]

    made = propose(schema, log, TERMS, grouping=Optimal())

    assert made.then.fresh == 0
    assert made.charge == TERMS.budget
    assert len(made.plan.joint.tables) == 27
    assert len(made.groups) <= 20
    assert made.then.error / 2 == pytest.approx(896.8, rel=0.01)
