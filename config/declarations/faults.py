"""What is wrong with a declaration, a sentence for each fault, with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from pydantic import ValidationError

from config.declarations.declaration import KINDS, Declaration, Source
from config.declarations.questions import open_question
from sigmacount.domain import shortened, suggestion

WANTED: Final = {  # by pydantic's names of errors
    "string_type": "text",
    "string_too_short": "text that is not empty",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
}
FaultDetails = dict[str, Any]  # pydantic's details of one error
LEVELS: Final = "levels are non-empty text; write numbers in quotes."


def sentences(error: ValidationError, where: str) -> Iterator[str]:
    """One for each fault of the file called ``where``, table by table."""
    faults = cast("list[FaultDetails]", error.errors())
    said = (each for fault in faults for each in _sentences(fault, where))
    yield from dict.fromkeys(said)


def _sentences(fault: FaultDetails, where: str) -> Iterator[str]:
    """Mostly one; an attribute of unknown kind may hold other open questions."""
    table, known, path = _place(fault["loc"])
    place = f"{where}: {table}" if table else where
    questions = list(_open(fault, path))
    if questions:
        yield from (f"{place}: {question}" for question in questions)
    else:
        said = f": {_of_key(fault, known, path)}" if path else _of_table(fault)
        yield place + said


def _open(fault: FaultDetails, path: Sequence[int | str]) -> Iterator[str]:
    """The questions of a draft that stand where the fault is."""
    held = {path[0]: fault["input"]} if path else {}
    if fault["type"] == "union_tag_invalid":
        held = fault["input"]
    for key, value in held.items():
        if words := open_question(key, value):
            yield f"{key} is an open question: {words}"


def _place(loc: Sequence[int | str]) -> tuple[str, Sequence[str], Sequence[int | str]]:
    """The table at fault, the keys that it knows, and the way from there on."""
    match loc:
        case ["attributes", name]:
            return f"attribute {name!r}", (), ()
        case ["attributes", name, str(kind), *path]:
            return f"attribute {name!r}", sorted(KINDS[kind].model_fields), path
        case ["source", _, *_]:
            return "source", sorted(Source.model_fields), loc[1:]
    return "", sorted(Declaration.model_fields), loc


def _of_table(fault: FaultDetails) -> str:
    """What is wrong with a table as a whole, to stand behind its name."""
    about = fault.get("ctx", {})
    match fault["type"]:
        case "value_error":
            return f": {about['error']}"
        case "union_tag_not_found":
            return ": the key 'kind' is missing"
        case "union_tag_invalid":
            kinds = suggestion(about["tag"], tuple(KINDS))
            return f": kind {shortened(about['tag'])} is unknown. {kinds}"
    return f" must be a table: [{'.'.join(map(str, fault['loc']))}]"


def _of_key(
    fault: FaultDetails, known: Sequence[str], path: Sequence[int | str]
) -> str:
    """What is wrong with the value, or with the key, at ``path`` in its table."""
    about, key = fault.get("ctx", {}), path[0]
    match fault["type"]:
        case "value_error":
            return str(about["error"])
        case "missing":
            return f"the key {key!r} is missing"
        case "extra_forbidden":
            return f"the key {key!r} has no meaning. {suggestion(str(key), known)}"
        case "literal_error":
            return f"{key} must be one of {about['expected']}"
    if len(path) > 1:
        return LEVELS if key == "levels" else f"{key} must be a list of text"
    return f"{key} must be {WANTED.get(fault['type'], fault['msg'])}"
