"""How long does a plan take from 10^5 logged questions, and how good is it?

The paper's workload: each binary column asks for 1, for 0 or for both, with 0.05, 0.05
and 0.9. Error is told in units of 2/B², beside the cheapest-cluster plans of
docs/mathematics.md; one product algebra over all columns has 613 and 7.1·10^5.

Joint plans of either family of noise are made of the demo's log and of 21 columns;
their seconds are of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.figures import Figure
from benchmarks.joint_plans import FAMILIES, demo_log, planned
from sigmacount.domain import Attribute, Schema
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.planner import PlanOptions, Proposal, propose
from sigmacount.sets import Query, WeightedQuery

QUESTIONS = 100_000
BUDGET, FRESH = 1_000_000, 10_000  # µε; B = 1
SEED = 20230101  # the workload is part of the name
MOST_SECONDS = 20
MOST_JOINT, MOST_DEMO = 60, 5  # s
WIDE, NARROW = (21, 146_000), (10, 330)


def measure() -> Iterator[Figure]:
    """Figures of the planner: time and error of a first plan, time of the next."""
    for columns, bar in (NARROW, WIDE):
        schema = Schema(
            "bits", tuple(Attribute.boolean(f"x{i}") for i in range(columns))
        )
        log = questions(schema)
        seconds, first = _timed(schema, log)
        error = first.then.error * (BUDGET / 1_000_000) ** 2 / 2
        assert first.then.fresh == 0, "error is comparable when all are answered"
        assert first.charge.units <= BUDGET
        yield Figure(f"planner.seconds_{columns}", seconds, "s", MOST_SECONDS, "most")
        yield Figure(f"planner.error_{columns}", error, "2/B²", bar, "most")
    seconds, _ = _timed(schema, log, first)
    yield Figure(f"planner.again_{columns}", seconds, "s", MOST_SECONDS, "most")
    for family in FAMILIES:
        yield from _joint(family, schema, log)


def _joint(family: str, schema: Schema, log: list[WeightedQuery]) -> Iterator[Figure]:
    """The same of joint plans: of the demo's log, of a long one, of that once more."""
    seconds, _ = planned(*demo_log(), family)
    yield Figure(f"planner.{family}_demo", seconds, "s", MOST_DEMO, "most")
    seconds, first = planned(schema, log, family)
    yield Figure(f"planner.{family}_21", seconds, "s", MOST_JOINT, "most")
    yield Figure(f"planner.{family}_21_error", first.then.error, "rows²")
    seconds, _ = planned(schema, log, family, first)
    yield Figure(f"planner.{family}_21_again", seconds, "s", MOST_JOINT, "most")


def questions(schema: Schema, count: int = QUESTIONS) -> list[WeightedQuery]:
    """One entry a question, each with a query of its own, as a log has them."""
    rng = np.random.default_rng(SEED)
    drawn = rng.choice(3, (count, len(schema.sizes)), p=(0.05, 0.05, 0.9))
    return [WeightedQuery(_query(schema, row)) for row in drawn]


def _query(schema: Schema, row: np.ndarray) -> Query:
    """The columns that ask for one value, all at once."""
    active = np.flatnonzero(row < 2).tolist()
    table = np.zeros((2,) * len(active), np.bool_)
    table[tuple(row[active])] = True
    return Query.build(schema, active, [np.arange(2)] * len(active), table)


def _timed(
    schema: Schema, log: list[WeightedQuery], current: Proposal | None = None
) -> tuple[float, Proposal]:
    """Seconds from the log to the proposal, and the proposal."""
    began = time.perf_counter()
    proposal = propose(
        schema,
        log,
        PlanOptions(Amount.pure(BUDGET), DiscreteLaplace.costing(FRESH)),
        None if current is None else current.plan,
    )
    return time.perf_counter() - began, proposal
