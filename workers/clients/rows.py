"""The topic of rows as the settings describe it: which, how it is read, what it is."""

from __future__ import annotations

from pathlib import Path

from config.roles import RowsSettings
from config.settings import Settings
from sigmacount.domain import Schema
from sigmacount.models import RowIdentity
from streams.admin.topics_admin import Admin
from streams.formats.choice import Reading
from streams.formats.registry.folder import Folder
from streams.formats.registry.http_registry import HttpRegistry
from streams.formats.registry.schemas import Registry
from streams.wire.topics import Topic
from workers.clients.kafka import topics


def rows_topic(settings: Settings) -> Topic:
    """The topic whose rows are counted, ours or another's."""
    return topics(settings.kafka, settings.rows.topic).rows


def rows_reading(settings: Settings) -> Reading:
    """How its records are read."""
    rows = settings.rows
    return Reading(
        rows.format,
        rows.encoding,
        rows.partitioner,
        _registry(rows),
        owner_rows(settings),
    )


def _registry(rows: RowsSettings) -> Registry | None:
    if rows.registry is None:
        return None
    if not rows.registry.lower().startswith(("http://", "https://")):
        return Folder(Path(rows.registry))
    password = rows.registry_password
    secret = None if password is None else password.get_secret_value()
    return HttpRegistry(rows.registry, rows.registry_user, secret)


def changes_limit(settings: Settings) -> int | None:
    """How often a row may change, or None: as often as it likes."""
    return None if settings.privacy is None else settings.privacy.changes_limit


def owner_rows(settings: Settings) -> int | None:
    """How many rows an owner may have, or None: ids do not say whose rows they are."""
    return None if settings.privacy is None else settings.privacy.owner_rows


def rows_fingerprint(settings: Settings, schema: Schema) -> str:
    """What gives ids and cell codes their meaning, as the counts remember it."""
    return rows_reading(settings).fingerprint(schema)


def rows_identity(settings: Settings, admin: Admin, schema: Schema) -> RowIdentity:
    """What there is to count at this moment.

    Raises:
        Mismatch: there is no such topic.
        StreamUnavailable: the broker did not answer.
    """
    stream = admin.stream(rows_topic(settings).name)
    return RowIdentity(*stream, rows_fingerprint(settings, schema))
