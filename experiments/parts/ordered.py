"""One order over all routes: a million nested pairs, and what the order costs.

All questions that ask each of nine columns for 1, for 0 or for both, in random order:
five tables of eight columns hold most of them, the others are fresh draws. Of any two
questions of which one holds the other, whatever their routes, the answers are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.measuring.answers import answered
from experiments.measuring.data import SEED, Bits
from experiments.measuring.layered_queries import LayeredQueries
from experiments.measuring.spectrum import looked_up, spectrum
from experiments.report.tables import ResultTable, Setting, TableRow
from sigmacount.accounting import with_noise
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Group, common_total, simplex, tally
from sigmacount.sets import Algebra

COLUMNS: Final = 9
WITHOUT: Final = (
    0,
    1,
    2,
    3,
    4,
)  # a table of all columns but this, for each
BUDGET: Final = 100_000  # µε of the tables together
FRESH: Final = 2_000  # µε of one fresh question
LEAST: Final = 1_000_000  # nested pairs
CHUNK: Final = 500  # questions compared with all others at a time
NOTE: Final = (
    "All 19,683 questions on 9 columns in random order; five tables of 8 columns"
    " (B = 0.1 in all, rule `parallel`, `simplex` with a common total), and 0.002 ε for"
    " each question that none holds. Bounds: no violation in at least 10^6 nested"
    " pairs, no larger squared error than without the order (fresh counts cut at 0)."
)


def tables(setting: Setting) -> Iterator[ResultTable]:
    """Violations and squared errors, before and after."""
    rows = []
    for name, data in setting.data.items():
        setting.step(f"one order over all routes: {name}")
        rows.append(_row(data.first(COLUMNS)))
    header = (
        "data",
        "fresh",
        "nested pairs",
        "violations before",
        "after",
        "squared error",
        "in tables",
        "fresh ones",
    )
    yield ResultTable("One order over all routes", header, tuple(rows), NOTE)


def _row(data: Bits) -> TableRow:
    rng = np.random.default_rng(SEED)
    codes = rng.permutation(3**COLUMNS)
    every = (codes[:, None] // 3 ** np.arange(COLUMNS) % 3).astype(np.int8)
    asked = LayeredQueries.of(every)
    queries = [asked.spelled(row) for row in every]
    true = looked_up(spectrum(data.counts), every)
    groups, counts = _released(data)
    alone = true.astype(np.int64) + DiscreteLaplace.costing(FRESH).draw(len(queries))
    before, after, fresh = answered(groups, counts, queries, alone)
    before = np.maximum(before, 0)
    pairs, broken = nested(every, before, after)
    errors = [(each - true) ** 2 for each in (before, after)]
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
    return TableRow(
        (data.name, *cells), missed or ("it costs accuracy" if share > 1 else "")
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
