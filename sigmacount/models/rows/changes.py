"""Changes of rows: how many a move is, under a limit of how many there may be."""

from __future__ import annotations

GONE = -1  # the code of a row that is deleted
UNLIMITED = "none"  # what the store says where rows may change as often as they like
Changed = tuple[int, int]  # how often a row changed, and its cell after that


def moves(before: int, after: int) -> int:
    """Changes that a move is: to come or to go 1, from cell to cell 2, to stay 0."""
    return 0 if before == after else (before != GONE) + (after != GONE)
