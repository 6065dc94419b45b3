"""The page of results: the data it needs, and where it is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cli.demo.uci_adult import adult
from experiments.measuring import data
from experiments.measuring.data import Bits
from experiments.paper import Results

PAGE = Path("docs/results.md")
MADE_UP = (
    "UCI Adult could not be fetched, so its cells were left out. Try again with a"
    " network, or put adult.data into the cache that `sigma demo` uses."
)


def tables_of_bits() -> tuple[Mapping[str, Bits], str]:
    """The simulated bits, UCI Adult's, and what is lacking."""
    population = adult()
    made_up = {"simulated": data.simulated()}
    if not population.real:
        return made_up, MADE_UP
    return made_up | {"adult": data.adult(population.rows)}, ""


def write(results: Results) -> None:
    """The page and its figures, in the folder of documents."""
    figures = PAGE.parent / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    for name, svg in results.figures.items():
        (figures / f"{name}.svg").write_text(svg, encoding="utf-8")
    PAGE.write_text("\n".join(results.markdown()) + "\n", encoding="utf-8")
