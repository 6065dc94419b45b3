"""Faults that the test of tables must see."""

from tests.theorems.mutation import Mutation

TABLES = "theorems/test_additive_tables.py"

FAULTS = (
    Mutation(
        "a row is its whole condition",
        "sets/grouped.py",
        "yield GroupedCell(levels, whole.cell(levels, slots))",
        "yield GroupedCell(levels, condition)",
        TABLES,
    ),
    Mutation(
        "a total leaves a row out",
        "release/answers/tables.py",
        "sum(each.count for each in counts), sum(",
        "sum(each.count for each in counts[1:]), sum(",
        TABLES,
    ),
    Mutation(
        "a row is not post-processed",
        "release/answers/answerer.py",
        "return NoisyCount.drawn(count, noisy,",
        "return NoisyCount.drawn(noisy, noisy,",
        TABLES,
    ),
)
