"""One order over all routes: a million nested pairs, and what the order costs.

A plan as the planner makes it, from the first tenth of the questions and with room for
few tables, so that every route is taken: several tables, and fresh draws with a memo.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.beyond_asked import SHARES, Asked
from experiments.beyond_sums import spectrum
from experiments.data import SEED, Bits
from experiments.tables import Row, Setting, Table
from experiments.violations import looked_up
from sigmacount.counting import tally
from sigmacount.evolving import noisy
from sigmacount.groups import Plan
from sigmacount.noise import DiscreteLaplace
from sigmacount.online import Router
from sigmacount.order import Order, Told
from sigmacount.planner import Terms, plan
from sigmacount.postprocess import common_total, simplex
from sigmacount.predicate import Query
from sigmacount.sums import Sums
from sigmacount.units import MICRO

QUESTIONS: Final = 40_000
LEARNED: Final = 4_000  # the plan is made from the first of them
TABLES: Final = 6  # as many as the plan may have
FRESH: Final = 20_000  # µε of one fresh question
LEAST: Final = 1_000_000  # nested pairs; the last table must have them
CHUNK: Final = 500  # questions compared with all others at a time
NOTE: Final = (
    "21 columns, 40,000 questions of the paper's workload, each distinct one answered"
    " once in the order it is first asked; the planner's plan of at most 6 tables from"
    " the first 4,000 (B = 1, rule `parallel`), 0.02 ε for a fresh question. Every pair"
    " of distinct questions of which one holds the other is compared. Bounds: no"
    " violation in at least 10^6 pairs, and no larger squared error."
)


def tables(setting: Setting) -> Iterator[Table]:
    """Violations and squared errors, before and after."""
    rows = []
    for name, data in setting.data.items():
        setting.step(f"one order over all routes: {name}")
        rows.append(_row(name, data))
    header = (
        "data",
        "distinct questions",
        "of them fresh",
        "nested pairs",
        "violations before",
        "after",
        "squared error",
        "of fresh answers",
    )
    yield Table("One order over all routes", header, tuple(rows), NOTE)


def _row(name: str, data: Bits) -> Row:
    rng = np.random.default_rng(SEED)
    columns = data.values.shape[1]
    wanted = rng.choice([1, 0, 2], (QUESTIONS, columns), p=SHARES).astype(np.int8)
    distinct, times = _first_asked(wanted)
    terms = Terms(MICRO, FRESH, max_groups=TABLES)
    asked = Asked.of(wanted[:LEARNED])
    made = plan(data.schema, asked.log(), terms).plan
    queries = [_query(asked, row) for row in distinct]
    true = looked_up(spectrum(data.counts), distinct)
    before, after, fresh = _told(data, made, queries, true)
    pairs, broken = nested(distinct, before, after)
    spent = [times @ (each - true) ** 2 for each in (before, after)]
    alone = [float(np.mean((each - true)[fresh] ** 2)) for each in (before, after)]
    share = spent[1] / spent[0]
    missed = "the order is broken" if broken[1] or pairs < LEAST else ""
    return Row(
        (
            name,
            f"{len(queries):,}",
            f"{fresh.sum():,}",
            f"{pairs:,}",
            f"{broken[0]:,}",
            f"{broken[1]:,}",
            f"× {share:.3f}",
            f"× {alone[1] / alone[0]:.3f}",
        ),
        missed or ("the order costs accuracy" if share > 1 else ""),
    )


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


def _first_asked(
    wanted: NDArray[np.int8],
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Distinct questions in the order of their first asking, and how often asked."""
    codes = wanted @ 3 ** np.arange(wanted.shape[1], dtype=np.int64)
    _, first, times = np.unique(codes, return_index=True, return_counts=True)
    order = np.argsort(first)
    return wanted[first[order]], times[order]


def _query(asked: Asked, row: NDArray[np.int8]) -> Query:
    active = np.flatnonzero(row < 2)
    value = int("".join(map(str, row[active].tolist())) or "0", 2)
    return asked.query(active.tolist(), value)


def _told(
    data: Bits, made: Plan, queries: list[Query], true: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Answers without and with an order, as the service tells them; which are fresh."""
    shown = {}
    for g in made.groups:
        noise = DiscreteLaplace(g.micro_epsilon).draw(g.algebra.size)
        shown[g.id] = noisy(tally(g.algebra, *data.cells), noise)
    total = common_total((int(shown[g.id].sum()), g.rank[0]) for g in made.groups)
    counts = {gid: simplex(each, total) for gid, each in shown.items()}
    held = {g.id: Sums(g.algebra, counts[g.id]) for g in made.groups}
    router, order = Router(made.groups), Order(made.groups, counts)
    told = Told(order)
    noise = DiscreteLaplace(made.fresh_micro_epsilon).draw(len(queries))
    alone = true.astype(np.int64) + noise
    before, after, fresh = np.maximum(alone, 0), alone.copy(), np.ones(len(true), bool)
    for k, query in enumerate(queries):
        found = router.route(query)
        if found is None:
            after[k] = told.settle(query, int(alone[k]))
        else:
            fresh[k] = False
            before[k] = held[found.group.id].total(query)
            after[k] = order.bracket(query)[0]
    return before.astype(np.float64), after.astype(np.float64), fresh
