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
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast, get_args

from config.edges import edges
from sigmacount.domain import Attribute, BinnedKind, Schema, suggestion
from sigmacount.errors import InvalidSchema

SHIPPED: Final = Path(__file__).parent / "datasets"
FILE_KEYS: Final = {"name", "description", "attributes", "source"}
SOURCE_KEYS: Final = {"columns", "missing", "id"}
_COMMON: Final = {"kind", "nullable", "description"}
_BINNED: Final = {*_COMMON, "edges", "outside"}
ATTRIBUTE_KEYS: Final[dict[str, set[str]]] = {
    "categorical": {*_COMMON, "levels", "other"},
    "boolean": _COMMON,
    **dict.fromkeys(get_args(BinnedKind), _BINNED),
}
_NEEDED: Final = {"levels", "edges"}
_TYPES: Final[dict[str, type]] = {
    "name": str,
    "description": str,
    "attributes": dict,
    "source": dict,
    "kind": str,
    "nullable": bool,
    "levels": list,
    "other": str,
    "outside": str,
    "columns": list,
    "missing": list,
    "id": str,
}
_SHOWN: Final = {str: "text", dict: "a table", bool: "true or false", list: "a list"}


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
    """

    schema: Schema
    description: str
    about: Mapping[str, str]
    columns: tuple[str, ...]
    missing: frozenset[str]
    id: str | None = None


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
    try:
        declared = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        msg = f"{path.name} cannot be read as TOML: {wrong}"
        raise InvalidSchema(msg) from None
    return read(declared, path.name)


def shipped() -> tuple[str, ...]:
    """Names of the datasets whose declaration comes with the service."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def read(declared: Mapping[str, Any], where: str = "the declaration") -> Dataset:
    """The dataset that a parsed TOML document declares; raises InvalidSchema."""
    _check(where, declared, FILE_KEYS)
    _require(where, declared, ("name", "attributes"))
    source = declared.get("source", {})
    _check(f"{where}: source", source, SOURCE_KEYS)
    found = declared["attributes"]
    attributes = [_attribute(where, name, found[name]) for name in found]
    for key in {"columns", "missing"} & source.keys():
        if not all(isinstance(text, str) for text in source[key]):
            msg = f"{where}: source: {key} must be a list of text"
            raise InvalidSchema(msg)
    columns = tuple(source.get("columns", ()))
    if columns and (absent := [name for name in found if name not in columns]):
        msg = f"{where}: source: columns lack the attribute {absent[0]!r}"
        raise InvalidSchema(msg)
    return Dataset(
        Schema(declared["name"], tuple(attributes)),
        declared.get("description", ""),
        {n: a["description"] for n, a in found.items() if "description" in a},
        columns,
        frozenset(source.get("missing", ())),
        source.get("id"),
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


def _attribute(where: str, name: str, table: object) -> Attribute:
    """One attribute of the declaration."""
    place = f"{where}: attribute {name!r}"
    if not isinstance(table, dict):
        msg = f"{place} must be a table: [attributes.{name}]"
        raise InvalidSchema(msg)
    _require(place, table, ("kind",))
    kind = table["kind"]
    if kind not in ATTRIBUTE_KEYS:
        kinds = suggestion(str(kind), tuple(ATTRIBUTE_KEYS))
        msg = f"{place}: kind {kind!r} is unknown. {kinds}"
        raise InvalidSchema(msg)
    _check(place, table, ATTRIBUTE_KEYS[kind])
    _require(place, table, sorted(ATTRIBUTE_KEYS[kind] & _NEEDED))
    told = {k: v for k, v in table.items() if k not in {"kind", "description"}}
    try:
        return _built(name, kind, told)
    except InvalidSchema as wrong:
        told_by_core = str(wrong).startswith("attribute ")
        msg = f"{where}: {wrong}" if told_by_core else f"{place}: {wrong}"
        raise InvalidSchema(msg) from None


def _built(name: str, kind: str, told: dict[str, Any]) -> Attribute:
    """The attribute that keys of the right types describe."""
    if kind == "boolean":
        return Attribute.boolean(name, **told)
    if kind == "categorical":
        return Attribute.categorical(name, told.pop("levels"), **told)
    places = edges(kind, told.pop("edges"))
    return Attribute.binned(name, cast("BinnedKind", kind), places, **told)


def _check(place: str, table: Mapping[str, Any], known: Collection[str]) -> None:
    """Raise InvalidSchema for a key that has no meaning or a value of another type."""
    for key, value in table.items():
        if key not in known:
            advice = suggestion(key, sorted(known))
            msg = f"{place}: the key {key!r} has no meaning. {advice}"
            raise InvalidSchema(msg)
        wanted = _TYPES.get(key)
        if wanted is not None and not isinstance(value, wanted):
            msg = f"{place}: {key} must be {_SHOWN[wanted]}"
            raise InvalidSchema(msg)


def _require(place: str, table: Mapping[str, Any], keys: Collection[str]) -> None:
    """Raise InvalidSchema for a key that is not there."""
    for key in keys:
        if key not in table:
            msg = f"{place}: the key {key!r} is missing"
            raise InvalidSchema(msg)
