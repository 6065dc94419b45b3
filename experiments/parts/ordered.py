"""One order over all routes: a million nested pairs, and what the order costs.

All questions that ask each of nine columns for 1, for 0 or for both, in random order:
five tables of eight columns hold most of them, the others are fresh draws. Of any two
questions of which one holds the other, whatever their routes, the answers are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.measuring.answers import Answers, answered, told
from experiments.measuring.data import SEED, Bits
from experiments.measuring.layered_queries import LayeredQueries
from experiments.measuring.spectrum import looked_up, spectrum
from experiments.optimal.plans import at_epsilon, in_epsilon
from experiments.report.tables import ResultTable, Setting, TableRow
from sigmacount.accounting import with_noise
from sigmacount.mechanisms import MICRO, DiscreteLaplace
from sigmacount.planner import Optimal, PlanOptions, propose
from sigmacount.release import (
    Answerers,
    EpochMaker,
    Group,
    common_total,
    simplex,
    tally,
)
from sigmacount.sets import Algebra, Query, WeightedQuery

COLUMNS: Final = 9
WITHOUT: Final = (0, 1, 2, 3, 4)  # a table of all columns but this, for each
BUDGET: Final = 100_000  # µε of the tables together
FRESH: Final = 2_000  # µε of one fresh question
EVERY_NTH: Final = 9  # of the questions within the tables is in a joint plan's log
LEAST: Final = 1_000_000  # nested pairs
CHUNK: Final = 500  # questions compared with all others at a time
NOTE: Final = (
    "All 19,683 questions on 9 columns in random order. Tables: five of 8 columns"
    " (B = 0.1 in all, rule `parallel`, `simplex` with a common total), and 0.002 ε for"
    " each question that none holds. Joint: the planner's own plans of the same tables,"
    " Gaussian noise at (0.1, 10⁻⁹) and Laplace noise at ε = 0.1, and a hundredth of"
    " that for each question that they do not hold; before: unbiased estimates. Bounds:"
    " no violation in at least 10^6 nested pairs, no larger squared error than without"
    " the order (counts cut at 0)."
)
HEADER: Final = (
    "data, release", "fresh", "nested pairs", "violations before", "after",
    "squared error", "in tables", "fresh ones",
)  # fmt: skip


class EveryQuestion(NamedTuple):
    """All questions on some columns of a table, in random order.

    Shapes: wanted int8 (n, c) of 1, 0, 2 for both; true float64 (n,).
    """

    data: Bits
    wanted: NDArray[np.int8]
    queries: list[Query]
    true: NDArray[np.float64]

    @staticmethod
    def of(data: Bits) -> EveryQuestion:
        """Of the first columns."""
        rng = np.random.default_rng(SEED)
        codes = rng.permutation(3**COLUMNS)
        wanted = (codes[:, None] // 3 ** np.arange(COLUMNS) % 3).astype(np.int8)
        asked = LayeredQueries.of(wanted)
        queries = [asked.spelled(row) for row in wanted]
        true = looked_up(spectrum(data.counts), wanted)
        return EveryQuestion(data, wanted, queries, true)


def tables(setting: Setting) -> Iterator[ResultTable]:
    """Violations and squared errors, before and after."""
    rows = []
    for name, data in setting.data.items():
        setting.step(f"one order over all routes: {name}")
        every = EveryQuestion.of(data.first(COLUMNS))
        rows.append(_row(f"{name}: tables", every, _by_tables(every)))
        for family, terms in _joint_terms():
            said = _by_joint_plan(every, terms)
            rows.append(_row(f"{name}: joint, {family}", every, said))
    yield ResultTable("One order over all routes", HEADER, tuple(rows), NOTE)


def _joint_terms() -> Iterator[tuple[str, PlanOptions]]:
    yield "Gaussian", at_epsilon(BUDGET / MICRO)
    yield "Laplace", in_epsilon(BUDGET)


def _row(name: str, every: EveryQuestion, said: Answers) -> TableRow:
    before, after, fresh = np.maximum(said.before, 0), said.after, said.fresh
    pairs, broken = nested(every.wanted, before, after)
    errors = [(each - every.true) ** 2 for each in (before, after)]
    share, held, single = (
        float(errors[1][some].mean() / errors[0][some].mean())
        for some in (np.ones_like(fresh), ~fresh, fresh)
    )
    missed = "the order is broken" if broken[1] or pairs < LEAST else ""
    counted = (fresh.sum(), pairs, broken[0], broken[1])
    cells = (
        *(f"{n:,}" for n in counted),
        *(f"× {r:.3f}" for r in (share, held, single)),
    )
    return TableRow((name, *cells), missed or ("it costs accuracy" * (share > 1)))


def _by_tables(every: EveryQuestion) -> Answers:
    groups, counts = _released(every.data)
    noise = DiscreteLaplace.costing(FRESH).draw(len(every.queries))
    alone = every.true.astype(np.int64) + noise
    return answered(groups, counts, every.queries, alone)


def _by_joint_plan(every: EveryQuestion, terms: PlanOptions) -> Answers:
    """Of one release of the planner's plan for questions that five tables hold."""
    data, queries = every.data, every.queries
    held = [q for q in queries if not set(WITHOUT).issubset(q.active)]
    log = [WeightedQuery(query) for query in held[::EVERY_NTH]]
    plan = propose(data.schema, log, terms, None, Optimal()).plan
    tallies = {each.id: tally(each, *data.cells) for each in plan.tallied}
    noises = {unit.id: unit.mechanism.draw(unit.draws) for unit in plan.units}
    made = EpochMaker(simplex).arrays(plan, tallies, noises)
    alone = every.true.astype(np.int64) + terms.fresh.draw(len(queries))
    return told(Answerers().of(plan, made.noisy, made.counts), queries, alone)


def nested(
    distinct: NDArray[np.int8], *answers: NDArray[np.float64]
) -> tuple[int, Counter[int]]:
    """Pairs of which one holds the other, and how many of them each breaks.

    Shapes: distinct int8 (n, c) of 1, 0, 2 for both; answers float64 (n,).
    """
    place = 1 << np.arange(distinct.shape[1], dtype=np.int64)
    active, values = (distinct < 2) @ place, (distinct == 1) @ place
    pairs, broken = -len(distinct), Counter[int]()  # a question holds itself
    for at in range(0, len(distinct), CHUNK):
        a, v = active[at : at + CHUNK, None], values[at : at + CHUNK, None]
        small, large = np.nonzero((active & ~a == 0) & ((values ^ v) & active == 0))
        pairs += len(small)
        for number, each in enumerate(answers):
            broken[number] += int(np.sum(each[small + at] > each[large]))
    return pairs, broken


def _released(
    data: Bits,
) -> tuple[tuple[Group, ...], dict[str, NDArray[np.int64]]]:
    """The five tables, and the counts that an epoch shows of them."""
    every = set(range(COLUMNS))
    algebras = (Algebra.full(data.schema, sorted(every - {i})) for i in WITHOUT)
    mechanism = DiscreteLaplace.costing(BUDGET // len(WITHOUT))
    groups = tuple(Group(algebra, mechanism) for algebra in algebras)
    shown = {}
    for g in groups:
        noise = g.mechanism.draw(g.algebra.size)
        shown[g.id] = with_noise(tally(g.algebra, *data.cells), noise)
    total = common_total((int(shown[g.id].sum()), g.total_variance) for g in groups)
    return groups, {gid: simplex(each, total) for gid, each in shown.items()}
