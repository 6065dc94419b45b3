"""Paper: every experiment in turn, one page of results, and an exit code.

A page can be believed when it says how it came about: the command, the seed, the
versions, the kind of machine, the time and the memory.
"""

from __future__ import annotations

import os
import platform
import resource
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from typing import Final

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from experiments.measuring.asked_rows import AskedRows
from experiments.measuring.data import SEED, Bits
from experiments.report.tables import ResultTable, Setting

# Module of each part, and how many steps it reports.
PARTS: Final[Mapping[str, int]] = {
    "utility": 8,
    "violations": 6,
    "ordered": 2,
    "theorem5": 1,
    "bias": 3,
    "beyond": 28,
    "optimal": 13,
    "continual": 7,
}
NAMES: Final = {
    "ordered": "One order",
    "theorem5": "Theorem 5",
    "optimal": "Optimal releases",
    "continual": "Continual counts",
}
ABOUT: Final = """# Results

What `make results` (that is, `sigma paper`) measured. Made by that command; do not edit
by hand. Figures of the benchmarks (`make bench`) are in [benchmarks.md](benchmarks.md).
"""


@dataclass(frozen=True, slots=True)
class Results:
    """What the experiments found, and what it took.

    Units: ``seconds`` by part; ``megabytes``, the most that was in use.
    """

    tables: Mapping[str, Sequence[ResultTable]]
    seconds: Mapping[str, float]
    megabytes: float
    figures: Mapping[str, str] = field(default_factory=dict)
    lacking: str = ""

    @property
    def missed(self) -> list[str]:
        """Every row that misses its bound, and data that were not to be had."""
        rows = [m for found in self.tables.values() for t in found for m in t.missed]
        return [*rows, self.lacking] if self.lacking else rows

    def markdown(self) -> Iterator[str]:
        """The page."""
        yield from ABOUT.splitlines()
        yield from ("", "## How these figures came about", "")
        yield from (f"* {line}" for line in self._circumstances())
        for part, found in self.tables.items():
            yield from ("", f"## {NAMES.get(part, part.capitalize())}", "")
            for table in found:
                yield from table.markdown()
        if self.figures:
            yield from ("", "## Figures", "")
            for name in self.figures:
                yield from (f"![{name}](figures/{name}.svg)", "")

    def _circumstances(self) -> Iterator[str]:
        yield f"Command: `make results`. Seed of workloads and simulated data: {SEED}."
        yield "Noise comes from a secure sampler, which has no seed: figures vary."
        yield (
            f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python"
            f" {platform.python_version()}, numpy {version('numpy')}, OpenDP"
            f" {version('opendp')}."
        )
        took = ", ".join(f"{part} {s:.0f} s" for part, s in self.seconds.items())
        yield (
            f"Time: {sum(self.seconds.values()):.0f} s ({took}). Memory at most:"
            f" {self.megabytes:,.0f} MB."
        )
        if self.lacking:
            yield f"**Lacking.** {self.lacking}"


def run(
    chosen: Sequence[str],
    data: Mapping[str, Bits],
    asked: AskedRows | None,
    lacking: str,
) -> Results:
    """The experiments of these names, all when none is named, one after the other."""
    names = list(chosen) or list(PARTS)
    found: dict[str, list[ResultTable]] = {}
    seconds: dict[str, float] = {}
    figures: dict[str, str] = {}
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns) as bar:
        task = bar.add_task("", total=sum(PARTS[name] for name in names))

        def step(what: str) -> None:
            bar.update(task, advance=1, description=what)

        for name in names:
            began = time.perf_counter()
            tables = import_module(f"{__package__}.parts.{name}").tables
            found[name] = list(tables(Setting(data, step, figures, asked)))
            seconds[name] = time.perf_counter() - began
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Results(found, seconds, most, figures, lacking)
