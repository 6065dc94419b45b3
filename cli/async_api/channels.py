"""Channels and operations of the AsyncAPI document: who sends what, under which key."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from cli.async_api.examples import examples_of
from cli.async_api.message_headers import headers_of
from cli.async_api.schemas import messages_of
from streams.wire.messages.events import Event
from streams.wire.topics import Topic, Topics

BINDINGS: Final = "0.5.0"  # of Kafka's bindings
# What the service does with a topic of clients; its workers do both with any other.
SERVICE: Final = {
    "rows": ("receive",),
    "queries": ("receive",),
    "results": ("send",),
    "standing": ("receive",),
    "catalog": ("send",),
    "dead_letters": ("send",),
    "ledger": ("send",),
}
BOTH: Final = ("send", "receive")
TOMBSTONE: Final = "Deleted"
DELETED_FROM: Final = ("rows", "standing")  # a null value ends what has its key
LETTER: Final = "DeadLetter"
JsonValue = dict[str, Any]


def named_topics(topics: Topics) -> dict[str, Topic]:
    """Every topic by its name in the code."""
    return {field.name: getattr(topics, field.name) for field in fields(topics)}


def channel(name: str, topic: Topic) -> JsonValue:
    """A topic: its address, how Kafka keeps it, and which messages it carries."""
    return {
        "address": topic.name,
        "title": name,
        "description": f"Key: {topic.key}.",
        "messages": {
            message: {"$ref": f"#/components/messages/{message}"}
            for message in _names(name, topic)
        },
        "bindings": {"kafka": _kept(topic)},
    }


def messages(topics: Topics) -> dict[str, JsonValue]:
    """Every message by its name: payload, headers, key, examples."""
    made: dict[str, JsonValue] = {}
    for name, topic in named_topics(topics).items():
        for kind in messages_of(topic.carries) if topic.carries else ():
            made[kind.__name__] = _message(name, topic, kind)
    made[LETTER] = _letter(topics.dead_letters)
    made[TOMBSTONE] = {
        "name": TOMBSTONE,
        "summary": "Null: what has this key is gone.",
        "payload": {"type": "null"},
        "bindings": {"kafka": _key(topics.rows)},
    }
    return made


def operations(topics: Topics) -> dict[str, JsonValue]:
    """What the service does with each topic; a question has its answer as reply."""
    named = named_topics(topics)
    made = {
        f"{action}_{name}": {
            "action": action,
            "channel": {"$ref": f"#/channels/{name}"},
            "messages": _refs(name, topic),
        }
        for name, topic in named.items()
        for action in SERVICE.get(name, BOTH)
    }
    made["receive_queries"]["reply"] = {
        "channel": {"$ref": "#/channels/results"},
        "messages": _refs("results", topics.results),
    }
    return made


def _names(name: str, topic: Topic) -> tuple[str, ...]:
    if topic.carries is None:
        return (LETTER,)
    kinds = tuple(kind.__name__ for kind in messages_of(topic.carries))
    return (*kinds, TOMBSTONE) if name in DELETED_FROM else kinds


def _refs(name: str, topic: Topic) -> list[JsonValue]:
    at = f"#/channels/{name}/messages/"
    return [{"$ref": f"{at}{message}"} for message in _names(name, topic)]


def _message(name: str, topic: Topic, kind: type[Event]) -> JsonValue:
    """One type of message. Its examples are texts that `decode` takes."""
    made = {
        "name": kind.__name__,
        "summary": (kind.__doc__ or "").splitlines()[0].replace("``", "`"),
        "payload": {"$ref": f"#/components/schemas/{kind.__name__}"},
        "examples": [{"payload": each} for each in examples_of(kind)],
        "bindings": {"kafka": _key(topic)},
    }
    return made | headers_of(name)


def _letter(topic: Topic) -> JsonValue:
    return {
        "name": LETTER,
        "summary": "A record that could not be taken: its bytes, and why, in headers.",
        "contentType": "application/octet-stream",
        "payload": {"description": "the bytes of the record, as they came"},
        "bindings": {"kafka": _key(topic)},
    } | headers_of("dead_letters")


def _key(topic: Topic) -> JsonValue:
    key = {"type": "string", "description": topic.key}
    return {"key": key, "bindingVersion": BINDINGS}


def _kept(topic: Topic) -> JsonValue:
    """A topic's partitions and settings by Kafka's names, as the binding types them."""
    settings: JsonValue = {
        name: int(value) if value.lstrip("-").isdigit() else value
        for name, value in topic.configs().items()
    }
    settings["cleanup.policy"] = [settings["cleanup.policy"]]
    return {
        "topic": topic.name,
        "partitions": topic.partitions,
        "topicConfiguration": settings,
        "bindingVersion": BINDINGS,
    }
