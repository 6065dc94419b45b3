"""A table of counts as a person reads it: bars, intervals, and what those cover."""

from __future__ import annotations

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Table

from sigmaclient import CountTable, Quantile

BAR = 24  # the width of the longest bar
EIGHTHS = " ▏▎▍▌▋▊▉█"


def parts(counts: CountTable) -> Iterator[str | Table]:
    """The rows, and a line that says which there are and what intervals cover."""
    longest = max((abs(row.count) for row in counts), default=0)
    made = Table(box=None, pad_edge=False, header_style="bold")
    for name in counts.by:
        made.add_column(escape(name))
    made.add_column("count", justify="right")
    made.add_column("")
    made.add_column("between", justify="right")
    for row in counts:
        low, high = row.joint
        levels = ("NULL" if level is None else escape(level) for level in row.levels)
        between = f"{low:,} … {high:,}"
        made.add_row(*levels, f"{row.count:,}", bar(abs(row.count), longest), between)
    yield made
    hidden = counts.cells - len(counts)
    left_out = f"; {hidden:,} of {counts.cells:,} rows are left out" if hidden else ""
    yield f"[dim]between: {counts.covers}{left_out}[/]"


def bar(count: int, longest: int) -> str:
    """A count as a bar of text, by eighths of a letter."""
    if not longest:
        return ""
    whole, eighth = divmod(round(8 * BAR * count / longest), 8)
    return "█" * whole + EIGHTHS[eighth].strip()


def quantile(found: Quantile) -> str:
    """A quantile and its bounds in one line of markup."""
    low, high = found.interval
    name = "median" if found.q == 0.5 else f"quantile {found.q:g}"  # noqa: PLR2004
    at = "no rows" if found.bin is None else found.bin
    between = f"between {escape(low)} and {escape(high)}"
    return f"{name}   [bold]{escape(at)}[/]   {between} [dim]({found.covers})[/]"


def quantile_as_dict(found: Quantile) -> dict[str, object]:
    """The same for a program."""
    names = ("q", "bin", "interval", "covers")
    return {name: getattr(found, name) for name in names}
