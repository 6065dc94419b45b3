"""Quantile: the bin in which the q-th part of the rows is reached, and its bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from sigmaclient.row import Row
from sigmaclient.schema import SchemaAttribute
from streams.wire.messages.catalog import Edge


@dataclass(frozen=True, slots=True)
class Quantile:
    """The first bin up to which at least a part q of all rows lies.

    Rows whose value is missing are left out, as SQL's percentiles do.

    Attributes:
        bin: its label, by the noisy counts; None where all of them are 0.
        interval: lowest and highest bin that hold the quantile of the true counts
            with the probability that ``covers`` names.
        bins: all bins of the interval.
    """

    q: float
    bin: str | None
    interval: tuple[str, str]
    bins: tuple[str, ...]
    covers: str

    def edges(self, attribute: SchemaAttribute) -> tuple[Edge | None, Edge | None]:
        """The values between which the true quantile lies: [lowest, highest).

        ``attribute`` is that of the table, ``session.schema()["age"]``. None: the bin
        has no end on this side.

        Raises:
            ValueError: it has no bins of these names; it is another attribute, or one
                of labels.
        """
        try:
            first, last = map(attribute.levels.index, self.interval)
        except ValueError:
            bins = " and ".join(self.interval)
            msg = f"attribute {attribute.name!r} has no bins {bins}"
            raise ValueError(msg) from None
        if not attribute.edges:
            msg = (
                f"attribute {attribute.name!r} has labels, not bins: they have no edges"
            )
            raise ValueError(msg)
        outer = attribute.outside == "bins"  # one more bin on either side
        ends = (None, *attribute.edges, None) if outer else attribute.edges
        return ends[first], ends[last + 1]


def quantile(rows: Sequence[Row], q: float, covers: str) -> Quantile:
    """The quantile over bins in ascending order.

    The quantile of counts n₁, n₂, … is the first bin j with n₁ + … + nⱼ ≥ q·n, which
    is (1 − q)(n₁ + … + nⱼ) ≥ q(nⱼ₊₁ + …). Within the joint intervals that is easiest
    for the largest counts up to j and the least ones after it, and hardest the other
    way round: the first bin where it is possible, and the first one where it cannot
    fail, bound the bin of the true counts.

    Raises:
        ValueError: q is not between 0 and 1, or no row has a value.
    """
    if not 0 < q < 1:
        msg = f"quantile({q}): q lies between 0 and 1, neither of them included"
        raise ValueError(msg)
    bins = [(row, level) for row in rows if (level := row.levels[0]) is not None]
    if not bins:
        msg = "no row of the table has a value"
        raise ValueError(msg)
    counts = [row.count for row, _ in bins]
    lows = [row.box[0] for row, _ in bins]
    highs = [row.box[1] for row, _ in bins]
    first = _reached(highs, lows, q)
    last = _reached(lows, highs, q)
    found = bins[_reached(counts, counts, q)][1] if any(counts) else None
    between = tuple(level for _, level in bins[first : last + 1])
    return Quantile(q, found, (between[0], between[-1]), between, covers)


def _reached(until: Sequence[int], after: Sequence[int], q: float) -> int:
    """The first bin up to which a part q lies, counts after it being ``after``."""
    part = Fraction(str(q))
    rest = sum(after)
    for j, (below, own) in enumerate(zip(accumulate(until), after, strict=True)):
        rest -= own
        if (1 - part) * below >= part * rest:
            return j
    raise AssertionError  # the last bin has nothing after it
