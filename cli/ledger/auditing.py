"""Auditing from the command line: charges read from the store or from its topic."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cli import terminal
from cli.exits import CommandRefused
from cli.options import ChosenSettings
from config.exit_codes import Exit
from config.servers import Kafka
from sigmacount.errors import SigmaError
from store.lease import RoleLease
from store.server.clock import now_ms
from streams.audit.questions import KeptQuestions
from streams.audit.trail import Trail
from views.ledger import LedgerView
from workers import clients
from workers.clients import DatasetStores
from workers.operator.restorer import whole

PATIENCE_S = 15.0  # for a broker that does not answer; the store's ledger is shown then
UNITS = {"d": "days", "h": "hours", "m": "minutes"}


@dataclass(frozen=True, slots=True)
class LedgerOptions:
    """What is to be shown.

    Attributes:
        form: ``table``, ``json`` or ``csv``.
        newest: how many charges, or None for all.
        since: from when on, as typed.
    """

    form: str
    newest: int | None
    since: str | None
    from_topic: bool


async def show(given: ChosenSettings, options: LedgerOptions) -> Exit:
    """Show the ledger; what is wrong with it is the exit code."""
    terminal.hush()
    since = (
        None if options.since is None else moment_of(options.since, datetime.now(UTC))
    )
    settings = clients.load_settings(**given)
    if options.from_topic:
        dataset = clients.load_dataset(settings).schema.name
        view = await _from_topic(settings.kafka, dataset)
    else:
        async with clients.open_stores(settings, "sigma-ledger") as stores:
            view = await _from_store(settings.kafka, stores)
    view = view.since(since)
    if options.form == "json":
        terminal.print_json(view.as_dict())
    elif options.form == "csv":
        print(view.as_csv(), end="")
    else:
        out = terminal.console()
        for part in view.parts(options.newest):
            out.print(part)
    if not view.intact:
        return Exit.FAILED
    return Exit.OK if view.behind is None else Exit.WENT_BACK


async def _from_store(kafka: Kafka, stores: DatasetStores) -> LedgerView:
    """The topic is read first: a curator writes every line to the store before it.

    Read the other way round, a line that is charged in between is one that the store
    seems to lack.
    """
    trail, unknown = await _told(kafka, stores.keys.dataset)
    totals = await stores.ledger.totals()
    entries = await stores.ledger.entries()
    intact = await stores.ledger.verify()
    behind = None
    if trail is not None:
        newest = await RoleLease(stores.redis, stores.keys, "curator").newest()
        behind = trail.ahead_of(entries, await stores.released.epoch(), newest)
    kept = None if trail is None else KeptQuestions.of(trail, now_ms())
    return LedgerView(totals, entries, intact, behind, unknown, questions=kept)


async def _told(kafka: Kafka, dataset: str) -> tuple[Trail | None, str | None]:
    """What the topic says; why that is not known."""
    try:
        return await asyncio.wait_for(_trail(kafka, dataset), PATIENCE_S), None
    except (SigmaError, TimeoutError) as error:
        return None, str(error) or "the broker does not answer"


async def _from_topic(kafka: Kafka, dataset: str) -> LedgerView:
    trail = await _trail(kafka, dataset)
    kept = KeptQuestions.of(trail, now_ms())
    return LedgerView(None, whole(trail, []), True, topic=True, questions=kept)


async def _trail(kafka: Kafka, dataset: str) -> Trail:
    return Trail.of(dataset, await clients.audit(kafka, dataset).read())


def moment_of(text: str, now: datetime) -> int:
    """Milliseconds since 1970 of a date, a time, or so long before ``now``.

    Raises:
        Refusal: it is none of them; the caller types it anew.
    """
    if ago := re.fullmatch(r"(\d{1,6})([dhm])", text):
        then = now - timedelta(**{UNITS[ago[2]]: int(ago[1])})
        return int(then.timestamp() * 1000)
    try:
        then = datetime.fromisoformat(text)
    except ValueError:
        msg = (
            f"--since {text!r} is no time: write 2026-01-31, 2026-01-31T12:00, or 7d,"
            " 12h, 30m for so long ago; nothing was read"
        )
        raise CommandRefused(msg) from None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return int(then.timestamp() * 1000)
