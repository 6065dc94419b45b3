"""Any file that says what columns there are → the tables in it, by what it holds."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, Final

from cli.drafting.columns import Tables
from cli.drafting.sources import connect, headers, sql
from cli.drafting.sources.avro import AvroRecord
from cli.drafting.sources.json_schema import ObjectSchema
from cli.exits import CommandRefused

HEADERS: Final = {
    ".csv": headers.of_csv,
    ".tsv": headers.of_csv,
    ".parquet": headers.of_parquet,
}
MALFORMED: Final = (AttributeError, IndexError, KeyError, TypeError, ValueError)


def tables(path: Path, dialect: str | None = None) -> Tables:
    """Every table that the file describes, by name.

    Raises:
        CommandRefused: it cannot be read, or describes none; its text says why.
    """
    try:
        if of_header := HEADERS.get(path.suffix.lower()):
            return {path.stem: of_header(path)}
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        msg = f"{path} cannot be read: {type(error).__name__}"
        raise CommandRefused(msg) from None
    if not text.lstrip().startswith(("{", "[")):
        return sql.tables(text, dialect)
    try:
        return _of_json(path, json.loads(text))
    except (*MALFORMED, RecursionError) as error:
        msg = f"{path.name} is no schema that can be read: {type(error).__name__}"
        raise CommandRefused(msg) from None


def _of_json(path: Path, held: Any) -> Tables:  # noqa: ANN401 - any JSON
    """The payload of a message is a row, and is not looked at."""
    if isinstance(held, dict) and isinstance(held.get("schema"), str):
        held = json.loads(held["schema"])  # as a registry answers
    if isinstance(held, dict) and isinstance(held.get("schema"), dict):
        held = held["schema"]
    match held:
        case {"type": "struct", "fields": [*_]}:
            return {path.stem: connect.columns(held)}
        case {"type": "record", "fields": [*_], "name": str(name)}:
            return {name: AvroRecord(held).columns()}
        case {"properties": dict()} | {"$ref": str()} | {"oneOf": list()}:
            return {str(held.get("title") or path.stem): ObjectSchema(held).columns()}
    raise ValueError
