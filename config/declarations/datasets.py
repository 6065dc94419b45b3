"""Datasets: a TOML declaration → the Schema of a dataset, with errors that teach.

    name = "people"

    [attributes.age]
    kind = "integer"
    edges = { start = 0, stop = 100, step = 10 }
    outside = "bins"

    [attributes.sex]
    kind = "categorical"
    levels = ["F", "M"]
    nullable = true

Tables stand in the order of the columns. ``[source]`` says how files of the data set
look (``columns`` of a CSV file without a header, texts that mean ``missing``, the
column that is the ``id``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from config.declarations.declaration import MANY_ROWS, Declaration
from config.declarations.faults import sentences
from sigmacount.domain import Schema, suggestion
from sigmacount.errors import InvalidSchema

SHIPPED: Final = Path(__file__).parents[1] / "datasets"


@dataclass(frozen=True, slots=True)
class Dataset:
    """What an operator declared about one dataset.

    Attributes:
        description: one line for people.
        about: a sentence for each attribute that has one.
        columns: names of the columns of a CSV file without a header; empty when
            files of this dataset have one. Names that are no attribute are skipped.
        missing: texts that stand for a missing value in files.
        id: the column of files that names a row, or None if it is not said.
        rows_max: how many rows there may ever be.
    """

    schema: Schema
    description: str
    about: Mapping[str, str]
    columns: tuple[str, ...]
    missing: frozenset[str]
    id: str | None = None
    rows_max: int = MANY_ROWS


def load_schema(dataset: str | Path) -> Schema:
    """The schema of a shipped dataset (by name) or of a TOML file (by path)."""
    return load(dataset).schema


def load(dataset: str | Path) -> Dataset:
    """The declaration of a shipped dataset (by name) or of a TOML file (by path).

    Raises:
        InvalidSchema: no such file, or it contradicts itself; the text names the
            file, the place and the remedy. DomainTooLarge names what to coarsen.
    """
    path = _path(dataset)
    try:  # ValueError is TOML's own, too, and that of a number of 5,000 digits
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as wrong:
        msg = f"{path.name} cannot be read as TOML: {wrong}"
        raise InvalidSchema(msg) from None
    return read(declared, path.name)


def shipped() -> tuple[str, ...]:
    """Names of the datasets whose declaration comes with the service."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def read(declared: Mapping[str, Any], where: str = "the declaration") -> Dataset:
    """The dataset that a parsed TOML document declares.

    Raises:
        InvalidSchema: a line for each fault, with its place and remedy.
    """
    try:
        sound = Declaration.model_validate(declared)
    except ValidationError as error:
        raise InvalidSchema("\n".join(sentences(error, where))) from None
    tables, source = sound.attributes, sound.source
    return Dataset(
        Schema(sound.name, tuple(t.attribute(name) for name, t in tables.items())),
        sound.description,
        {name: t.description for name, t in tables.items() if t.description},
        tuple(source.columns),
        frozenset(source.missing),
        source.id,
        sound.rows_max,
    )


def _path(dataset: str | Path) -> Path:
    """The file that a name or a path means."""
    path = Path(dataset)
    if path.suffix == ".toml" or path.is_file():
        return path
    if str(dataset) in shipped():
        return SHIPPED / f"{dataset}.toml"
    msg = (
        f"there is no dataset {str(dataset)!r}. {suggestion(str(dataset), shipped())} A"
        " declaration of your own is named by its path: people.toml"
    )
    raise InvalidSchema(msg)
