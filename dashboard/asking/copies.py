"""A question written down: as SQL, as JSON over HTTP, and for the client of Python."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words of the language; names that are none of them need no quotes.
WORDS: Final = re.compile(
    "AND|AS|ASC|BETWEEN|BY|CASE|COUNT|DATE|DESC|DISTINCT|EXISTS|FALSE|FROM|GROUP|HAVING"
    "|IN|IS|JOIN|LIKE|LIMIT|NOT|NULL|OFFSET|ON|OR|ORDER|SELECT|TIMESTAMP|TRUE|UNION"
    "|WHERE|WITH"
)
SIGNS: Final = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
PYTHON: Final = """\
from sigmaclient import SyncSession

with SyncSession("BROKER:9092", client={client!r}) as session:
    answer = session.ask({arguments})
    print(answer.count, answer.interval)
"""


@dataclass(frozen=True, slots=True)
class QuestionCopies:
    """One question in three ways of asking it; not all JSON is written as SQL."""

    sql: str | None
    json: str
    python: str


def copies(dataset: str, client: str, body: Mapping[str, Any]) -> QuestionCopies:
    """The question of these fields, as `POST /v1/ask` takes them."""
    options = {name: value for name, value in body.items() if name != "where"}
    arguments = [repr(body["where"])] if "where" in body else []
    arguments += [f"{name}={value!r}" for name, value in options.items()]
    return QuestionCopies(
        sql(dataset, body),
        json.dumps(body, ensure_ascii=False),
        PYTHON.format(client=client, arguments=", ".join(arguments)),
    )


def sql(dataset: str, body: Mapping[str, Any]) -> str | None:
    """The whole statement; one that was typed whole stays as it is.

    None for JSON of other forms than clicking makes, and for more than SQL can say.
    """
    where, by = body.get("where", ""), body.get("by", ())
    if isinstance(where, str) and where[:6].upper() == "SELECT":
        return where
    if not isinstance(where, str) and not all(map(_writable, where.values())):
        return None
    names = ", ".join(map(quoted_name, by))
    counted = f"{names}, COUNT(*)" if names else "COUNT(*)"
    said = f"SELECT {counted} FROM {quoted_name(dataset)}"  # noqa: S608 - to read
    text = where if isinstance(where, str) else " AND ".join(_conditions(where))
    if text:
        said += f" WHERE {text}"
    return f"{said} GROUP BY {names}" if names else said


def quoted_name(name: str) -> str:
    """A name as it may stand in a statement."""
    if PLAIN_NAME.fullmatch(name) and not WORDS.fullmatch(name.upper()):
        return name
    return '"' + name.replace('"', '""') + '"'


def _writable(wanted: object) -> bool:
    if isinstance(wanted, Mapping):
        said = wanted.items()
        return all(w in SIGNS and isinstance(v, str | int | float) for w, v in said)
    return isinstance(wanted, list) and all(isinstance(e, str | None) for e in wanted)


def _conditions(where: Mapping[str, Any]) -> Iterator[str]:
    """A condition on each attribute, of the forms that clicking makes."""
    for name, wanted in where.items():
        said = quoted_name(name)
        if isinstance(wanted, Mapping):
            for word, value in wanted.items():
                yield f"{said} {SIGNS[word]} {_constant(value)}"
        else:
            yield _listed(said, wanted)


def _listed(name: str, wanted: list[str | None]) -> str:
    labels = [_constant(each) for each in wanted if each is not None]
    parts = []
    if len(labels) == 1:
        parts.append(f"{name} = {labels[0]}")
    elif labels:
        parts.append(f"{name} IN ({', '.join(labels)})")
    if None in wanted:
        parts.append(f"{name} IS NULL")
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _constant(value: str | float) -> str:
    """A number, or text in quotes."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)
