"""docs/asyncapi.json and docs/messages.schema.json, made from the types on the wire.

Run by ``make docs``; a house test compares the files with what this prints.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from cli.async_api.channels import channel, messages, named_topics, operations
from cli.async_api.schemas import bundle, carried, schemas
from cli.command import version
from config.servers import Kafka
from streams.wire.topics import Topics

ASYNCAPI: Final = "3.0.0"
ABOUT: Final = (
    "Differentially private counts of changing rows: rows and questions come in,"
    " answers go out. Topics are shown with the prefix, partitions and days that the"
    " settings have by default; fields that a reader does not know are ignored."
)


def document() -> dict[str, Any]:
    """The whole AsyncAPI 3 document."""
    topics = Topics.named()
    broker = Kafka.model_fields["bootstrap"].default
    return {
        "asyncapi": ASYNCAPI,
        "info": {
            "title": "sigma-counting",
            "version": version(),
            "description": ABOUT,
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "servers": {"broker": {"host": broker, "protocol": "kafka"}},
        "channels": {n: channel(n, t) for n, t in named_topics(topics).items()},
        "operations": operations(topics),
        "components": {
            "messages": messages(topics),
            "schemas": schemas(carried(topics).values(), "#/components/schemas/"),
        },
    }


def as_text(value: object) -> str:
    """JSON as the files in docs/ hold it."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


PAGES: Final = {"asyncapi": document, "schemas": bundle}

if __name__ == "__main__":
    sys.stdout.write(as_text(PAGES[sys.argv[1]]()))
