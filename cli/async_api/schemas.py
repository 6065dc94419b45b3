"""JSON Schemas (draft 07) of all messages, made from the types that decode them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from streams.wire.messages.events import VERSION, Event
from streams.wire.topics import Topics

DRAFT: Final = "http://json-schema.org/draft-07/schema#"
JsonSchema = dict[str, Any]
_ENTRY: Final = re.compile(r"^    (\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)


def messages_of(kind: type[Event]) -> tuple[type[Event], ...]:
    """The messages that a topic carries: one type, or all that a tag tells apart."""
    told_apart = kind.__struct_config__.tag_field is not None
    return (told_apart and tuple(kind.__subclasses__())) or (kind,)


def carried(topics: Topics) -> dict[str, type[Event]]:
    """Every type of message by its name, topic by topic."""
    kinds = (topic.carries for topic in topics.all() if topic.carries is not None)
    return {each.__name__: each for kind in kinds for each in messages_of(kind)}


def schemas(kinds: Iterable[type[Event]], at: str) -> dict[str, JsonSchema]:
    """The schema of each message, and of each part of one, by the name of its type.

    ``at`` is where they will stand in the document: ``#/definitions/``.
    """
    held = tuple(kinds)
    _, found = msgspec.json.schema_components(held, ref_template=f"{at}{{name}}")
    types = {each.__name__: each for each in _parts(held)}
    return {
        name: _explained(_draft_07(schema), types.get(name))
        for name, schema in sorted(found.items())
    }


def bundle() -> JsonSchema:
    """docs/messages.schema.json: all of them, for validators that know no AsyncAPI."""
    made = schemas(carried(Topics.named()).values(), "#/definitions/")
    return {"$schema": DRAFT, "definitions": made}


def _parts(kinds: Iterable[type[msgspec.Struct]]) -> Iterator[type[msgspec.Struct]]:
    """The types of messages, and of all that is inside them."""
    waiting, seen = [msgspec.inspect.type_info(kind) for kind in kinds], set()
    while waiting:
        about: Any = waiting.pop()
        if isinstance(about, msgspec.inspect.StructType) and about.cls not in seen:
            seen.add(about.cls)
            yield about.cls
            waiting += [field.type for field in about.fields]
        waiting += getattr(about, "types", ())
        waiting += getattr(about, "item_types", ())
        waiting += [about.item_type] if hasattr(about, "item_type") else []


def _draft_07(schema: Any) -> Any:  # noqa: ANN401 - any JSON
    """The same in words that AsyncAPI's tools know: tuples, no mapping of tags."""
    if isinstance(schema, list):
        return [_draft_07(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    made = {k: _draft_07(v) for k, v in schema.items() if k != "discriminator"}
    if "prefixItems" in made:
        made["items"] = made.pop("prefixItems")
        made["additionalItems"] = False
    return made


def _explained(schema: JsonSchema, kind: type[msgspec.Struct] | None) -> JsonSchema:
    """With the first paragraph of the docstring, and a line for each field in it."""
    if kind is None:
        return schema
    fields = schema.get("properties", {})
    if issubclass(kind, Event):
        fields["v"] = _versions(kind)
    schema["description"] = _plain((kind.__doc__ or "").partition("\n\n")[0])
    for each in reversed(kind.__mro__):
        for name, words in _ENTRY.findall(inspect.cleandoc(each.__doc__ or "")):
            if name in fields:
                fields[name] |= {"description": _plain(words)}
    return schema


def _versions(kind: type[Event]) -> JsonSchema:
    if kind.versions == (VERSION,):
        return {"const": VERSION, "default": VERSION}
    return {"enum": list(kind.versions), "default": VERSION}


def _plain(words: str) -> str:
    return " ".join(words.replace("``", "`").split())
