"""The page of results: the data it needs, and where it is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cli.demo.census.uci_adult import adult
from cli.paper_tables.asked_rows import asked_rows
from experiments.measuring import data
from experiments.measuring.asked_rows import AskedRows
from experiments.measuring.data import Bits
from experiments.paper import Results

PAGE = Path("docs/results.md")
MADE_UP = (
    "UCI Adult could not be fetched, so its cells were left out. Try again with a"
    " network, or put adult.data into the cache that `sigma demo` uses."
)


def inputs() -> tuple[Mapping[str, Bits], AskedRows, str]:
    """The simulated bits and UCI Adult's, the demo's log, and what is lacking."""
    population = adult()
    asked, made_up = asked_rows(population), {"simulated": data.simulated()}
    if not population.real:
        return made_up, asked, MADE_UP
    return made_up | {"adult": data.adult(population.rows)}, asked, ""


def write(results: Results) -> None:
    """The page and its figures, in the folder of documents."""
    figures = PAGE.parent / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for name, svg in results.figures.items():
        (figures / f"{name}.svg").write_text(svg, encoding="utf-8")
    PAGE.write_text("\n".join(results.markdown()) + "\n", encoding="utf-8")
