"""A dataset's schema, from the service or from a declaration, and shown."""

from __future__ import annotations

import asyncio

from cli import terminal
from cli.exits import CommandRefused
from cli.options import overrides
from sigmaclient import DatasetSchema
from sigmaclient.schema import published_schema
from views.asking import schema as shown
from workers import clients
from workers.catalog import catalog_of, promise_of


def published(kafka: dict[str, object]) -> DatasetSchema:
    """What the service published.

    Raises:
        NoSchema: nothing yet.
    """
    settings = clients.load_kafka(**kafka)
    return asyncio.run(
        published_schema(
            settings.bootstrap, settings.prefix, **clients.aiokafka_settings(settings)
        )
    )


def declared(dataset: str) -> DatasetSchema:
    """What a declaration says, and the promise of this environment's settings."""
    settings = clients.load_settings(**overrides(dataset=dataset))
    found, privacy = clients.load_dataset(settings), settings.privacy
    if privacy is None:
        return DatasetSchema.of(catalog_of(found))
    promise = promise_of(privacy, settings.curator.epoch_seconds)
    return DatasetSchema.of(catalog_of(found, promise, privacy.confidence))


def show(schema: DatasetSchema, wanted: list[str], *, as_json: bool) -> None:
    """All of it, or every level of some attributes.

    Raises:
        CommandRefused: there is no such attribute.
    """
    try:
        chosen = [schema[name] for name in wanted]
    except KeyError as error:
        raise CommandRefused(str(error.args[0])) from None
    if as_json:
        terminal.print_json(shown.as_dict(schema))
        return
    out = terminal.console()
    for each in chosen:
        out.print(*shown.details(each), "")
    if not chosen:
        out.print(shown.headline(schema), "", shown.attributes(schema), "")
        out.print(*shown.promise(schema))
