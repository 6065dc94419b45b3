"""Tables: estimates of a GROUP BY, each row by itself, all together, and their sum.

A row is the very answer that its set gets alone. The total is the sum of all rows, so
that shares add up to one; the condition asked alone may have a better answer, read off
an algebra of less noise. In a joint release it has the same one: rows add up to it
before they are rounded, and their sum has an error of its own.

Intervals that hold together do so by Bonferroni: no independence is assumed between
rows, nor between the groups of noise that the rows were read off.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from sigmacount.release.answers.error_law import ErrorLaw
from sigmacount.release.answers.estimates import Estimate, NoisyCount, around
from sigmacount.sets import GroupedQuery, Query


@dataclass(frozen=True, slots=True)
class RowEstimate:
    """One row of a table.

    Attributes:
        levels: of each attribute of the table, in the order of the schema.
        estimate: what the same set is answered when it is asked alone.
        joint: intervals of this kind hold for all rows at once with the confidence.
        source: what it was read off; None: nothing had to be.
    """

    levels: tuple[int, ...]
    estimate: Estimate
    joint: tuple[int, int]
    source: str | None


@dataclass(frozen=True, slots=True)
class TableEstimate:
    """All rows of a table, by their levels, and what they add up to.

    Attributes:
        total: of the rows together; the interval is of that sum.
        sources: what the rows were read off, each once, in order of appearance.
    """

    rows: tuple[RowEstimate, ...]
    total: Estimate
    sources: tuple[str, ...]


class TellsRows(Protocol):
    """What a table can be read off: the counts of an epoch, or changes since one."""

    def noisy_count(self, query: Query) -> NoisyCount | None:
        """Of one row; None: it is not held."""
        ...

    def union(self, grouped: GroupedQuery) -> NoisyCount | None:
        """Of all rows together; None: they are to be added up."""
        ...


def answered_table(
    answerer: TellsRows, grouped: GroupedQuery, confidence: float
) -> TableEstimate | None:
    """The table from what was released; None: some row needs noise of its own."""
    levels, counts = [], []
    for cell in grouped.cells():
        found = answerer.noisy_count(cell.query)
        if found is None:
            return None
        levels.append(cell.levels)
        counts.append(found)
    return tabulated(levels, counts, confidence, answerer.union(grouped))


def tabulated(
    levels: Iterable[tuple[int, ...]],
    counts: Sequence[NoisyCount],
    confidence: float,
    total: NoisyCount | None = None,
) -> TableEstimate:
    """The table of these rows, of disjoint sets, in this order.

    ``total`` is of all of them together, if it was released; else they are added up.
    """
    together = joint(confidence, len(counts))
    rows = tuple(
        RowEstimate(
            at, each.estimate(confidence), each.estimate(together).interval, each.source
        )
        for at, each in zip(levels, counts, strict=True)
    )
    sources = dict.fromkeys(each.source for each in counts if each.source is not None)
    whole = total.estimate(confidence) if total else summed(counts, confidence)
    return TableEstimate(rows, whole, tuple(sources))


def joint(confidence: float, parts: int) -> float:
    """Of how many intervals each, for all to hold with ``confidence`` (Bonferroni).

    Rounded up, and always below 1: what is that near to 1 is not told apart from it.
    """
    if parts <= 1:
        return confidence
    each = math.nextafter(1 - (1 - confidence) / parts, 1)
    return min(each, math.nextafter(1, 0))


def summed(counts: Sequence[NoisyCount], confidence: float) -> Estimate:
    """The sum of counts of disjoint sets, each atom in it once.

    What one mechanism drew is taken together: of m draws the error is that of their
    sum. Between sources nothing is assumed, so their quantiles add up.
    """
    errors: dict[tuple[str | None, str], ErrorLaw] = {}
    for each in counts:
        if each.error is not None:
            key = each.source, each.error.key
            before = errors.get(key)
            errors[key] = each.error if before is None else before.plus(each.error)
    share = joint(confidence, len(errors))
    half = sum(error.quantile(share) for error in errors.values())
    stderr = math.sqrt(sum(error.variance for error in errors.values()))
    count, noisy = sum(each.count for each in counts), sum(e.noisy for e in counts)
    signed = any(each.signed for each in counts)
    interval = around(count, noisy, half, signed=signed)
    atoms = sum(each.atoms for each in counts)
    return Estimate(count, stderr, interval, confidence, atoms, noisy, half)
