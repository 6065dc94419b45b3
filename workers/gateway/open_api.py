"""The gateway's OpenAPI document, made from the messages themselves."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from streams.wire.messages.catalog import Catalog
from streams.wire.messages.events import QueryAnswered, Trouble
from streams.wire.messages.standing import StandingQuestion
from workers.gateway.bodies import QUESTION, STANDING

NAMED: Final = {
    "name": "name",
    "in": "path",
    "required": True,
    "schema": {"type": "string"},
}
VERSION: Final = "3.1.0"
_REFERENCE: Final = "#/components/schemas/{name}"


def document() -> dict[str, Any]:
    """What may be sent to the gateway, and what comes back; JSON-able."""
    kinds = (QUESTION, STANDING, StandingQuestion, QueryAnswered, Catalog, Trouble)
    _, schemas = msgspec.json.schema_components(kinds, ref_template=_REFERENCE)
    schemas["Refusal"] = _object(error=_schema("Trouble"))
    schemas["Questions"] = _object(questions=_list("HttpQuestion"))
    schemas["Answers"] = _object(answers=_list("QueryAnswered"))
    return {
        "openapi": VERSION,
        "info": {
            "title": "sigma-counting",
            "version": "1",
            "description": "Private counts over HTTP; docs/gateway.md.",
        },
        "security": [{"token": []}],
        "paths": _paths(),
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _paths() -> dict[str, Any]:
    return {
        "/v1/ask": {"post": _asked("Ask a question, or several at once")},
        "/v1/price": {"post": _asked("What they would cost; nothing is charged")},
        "/v1/schema": {"get": _told("What may be asked", _schema("Catalog"))},
        "/v1/plan": {"get": _told("The plan in force", {"type": "object"})},
        "/v1/budget": {"get": _told("What is left", {"type": "object"})},
        "/v1/standing": {"get": _told("What stands of this client", _standing())},
        "/v1/standing/{name}": {
            "parameters": [NAMED],
            "put": _stands("Answered in every epoch from now on", "HttpStanding"),
            "delete": _stands("It is answered no more", ""),
        },
        "/v1/results/stream": {"get": _streamed()},
        "/v1/openapi.json": {
            "get": _told("This document", {"type": "object"}) | {"security": []}
        },
    }


def _asked(summary: str) -> dict[str, Any]:
    one = {"anyOf": [_schema("HttpQuestion"), _schema("Questions")]}
    answered = {"anyOf": [_schema("QueryAnswered"), _schema("Answers")]}
    refused = {"anyOf": [_schema("QueryAnswered"), _schema("Refusal")]}
    told = _told(summary, answered)
    told["responses"] |= {
        "400": _content("No question, or an invalid one", refused),
        "413": _content("Longer than a request may be", _schema("Refusal")),
        "422": _content("Refused: no budget, or above max_cost", refused),
        "504": _content("No answer in time; asking again is safe", refused),
    }
    return told | {"requestBody": _content("", one) | {"required": True}}


def _standing() -> dict[str, Any]:
    listed = _list("StandingQuestion") | {"minItems": 0}
    return _object(questions=listed)


def _stands(summary: str, body: str) -> dict[str, Any]:
    """A record of the topic `standing` is taken; answers and refusals come later."""
    told = _told(summary, {"type": "object"})
    told["responses"]["202"] = told["responses"].pop("200")
    refusal = _schema("Refusal")
    told["responses"] |= {
        "400": _content("No question that can stand under this name", refusal),
        "403": _content("The gateway may not write the topic", refusal),
        "422": _content("Too many stand", refusal),
        "504": _content("The broker is silent; sending it again is safe", refusal),
    }
    if body:
        told["requestBody"] = _content("", _schema(body)) | {"required": True}
    return told


def _told(summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    refusal = _schema("Refusal")
    return {
        "summary": summary,
        "responses": {
            "200": _content("Done", schema),
            "401": _content("No token that is known", refusal),
            "429": _content("Above the client's rate", refusal),
            "503": _content("Busy, or a server is away", refusal),
        },
    }


def _streamed() -> dict[str, Any]:
    told = _told("Answers of this client as they come", {})
    told["responses"]["200"] = {
        "description": "Events: `open`; `answer`, each a QueryAnswered under its"
        " request's id; `missed` after `Last-Event-ID`, for nothing is sent again;"
        " `end`, a Trouble that says why",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
    return told


def _content(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    about = {"description": description} if description else {}
    return about | {"content": {"application/json": {"schema": schema}}}


def _schema(name: str) -> dict[str, Any]:
    return {"$ref": _REFERENCE.format(name=name)}


def _list(name: str) -> dict[str, Any]:
    return {"type": "array", "items": _schema(name), "minItems": 1}


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
