"""Faults of what rows that change are promised: charges, κ, owners, limits."""

from tests.theorems.mutation import Mutation

RULE = "core/test_continual_rule.py"
CHANGES = "core/test_changes.py"
ROWS = "core/test_row_changes.py"
LAZY = "core/test_lazy_noise.py"

FAULTS = (
    Mutation(
        "noise that is drawn and not charged",
        "accounting/evolving/continual.py",
        'new = (use for use in showing.uses if use.state != "shown")',
        'new = (use for use in showing.uses if use.state == "drawn")',
        RULE,
    ),
    Mutation(
        "κ left out of what changes cost",
        "accounting/guarantees/changes.py",
        "times = (1 + Fraction(overlap)) * changes",
        "times = Fraction(changes)",
        CHANGES,
    ),
    Mutation(
        "rows of one owner added up",
        "accounting/guarantees/changes.py",
        "else one * min(rows, changes)",
        "else one",
        CHANGES,
    ),
    Mutation(
        "an owner whose rows share their changes",
        "accounting/guarantees/of_changes.py",
        "changes = rows * limit",
        "changes = limit",
        RULE,
    ),
    Mutation(
        "a change more than the limit",
        "models/rows/partition.py",
        "moves(now, code) <= self.limit",
        "moves(now, code) <= self.limit + 1",
        ROWS,
    ),
    Mutation(
        "a telling with the error of the first",
        "release/lazy.py",
        "squares = NoiseWeights.of(LAZY).squares(tick)",
        "squares = NoiseWeights.of(LAZY).squares(1)",
        LAZY,
    ),
)
