"""Tables: rows of figures, each with the bound it must keep, and whether it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from experiments.measuring.asked_rows import AskedRows
from experiments.measuring.data import Bits


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of a table.

    Attributes:
        cells: as they are printed.
        missed: why the row misses its bound; empty when it keeps it or has none.
    """

    cells: tuple[str, ...]
    missed: str = ""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """What one experiment found.

    Attributes:
        note: how to read it: what was drawn, what the bound is.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    note: str = ""

    @property
    def missed(self) -> list[str]:
        """Every row that misses its bound, with the reason."""
        return [f"{row.cells[0]}: {row.missed}" for row in self.rows if row.missed]

    def markdown(self) -> Iterator[str]:
        """Title, note, table, and what was missed."""
        yield from (f"### {self.title}", "")
        if self.note:
            yield from (self.note, "")
        yield _line(self.header)
        yield _line(["---"] * len(self.header))
        for row in self.rows:
            yield _line(row.cells)
        yield ""
        for reason in self.missed:
            yield from (f"**Missed.** {reason}", "")


@dataclass(frozen=True, slots=True)
class Setting:
    """What the experiments share.

    Attributes:
        data: the tables of bits, by name; ``adult`` is missing when only made-up
            rows are to be had.
        step: called with what comes next, so that a progress bar can say it.
        figures: plots by file name, SVG text, filled by the experiments.
        asked: the demo's rows and questions; None: they were not handed over.
    """

    data: Mapping[str, Bits]
    step: Callable[[str], None] = lambda _: None
    figures: dict[str, str] = field(default_factory=dict)
    asked: AskedRows | None = None


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
