"""Checkup: all that `sigma doctor` looks at, in the order in which it matters."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Iterator, Sequence
from importlib import metadata

from packaging.requirements import Requirement
from rich.markup import escape
from rich.table import Table

from cli import terminal
from cli.checkup import broker, connections, rows, service, store
from cli.checkup.check import Check, collected, fail, guarded, ok, refused, warn
from cli.command import DISTRIBUTION
from cli.options import ChosenSettings
from config.settings import Settings
from sigmacount.domain import Schema
from sigmacount.errors import SigmaError
from views import formats
from workers import clients
from workers.clients import DatasetStores


async def everything(given: ChosenSettings) -> list[Check]:
    """Every check; where one makes the next ones senseless, it is the last."""
    found = list(versions())
    try:
        settings = clients.load_settings(**given)
        schema = clients.load_dataset(settings).schema
    except SigmaError as error:
        return [*found, refused("settings", error)]
    cells = f"{len(schema.attributes)} attributes, {schema.cells:,} cells"
    found += [ok("dataset", f"{schema.name}: {cells}"), budget(settings)]
    topics = clients.topics(settings.kafka, settings.rows.topic)
    look = guarded("broker", lambda: broker.look(settings.kafka, topics))
    found += await asyncio.to_thread(list, look)
    async with clients.reach_stores(settings, "sigma-doctor") as stores:
        found += await collected("store", connections.of_store(stores, settings.redis))
        found += await _in_the_store(stores)
        if not _failed("broker", found) and not _failed("keys", found):
            found += await _between(stores, settings, schema)
    return found


def _failed(name: str, found: Sequence[Check]) -> bool:
    return (name, "fail") in {(check.name, check.mark) for check in found}


async def _in_the_store(stores: DatasetStores) -> list[Check]:
    found = await collected("store", store.server(stores.redis))
    found += await collected("keys", store.names(stores.redis, stores.keys))
    if _failed("keys", found):  # under these names there is nothing to look at
        return found
    return [
        *found,
        *await collected("functions", store.functions(stores.redis)),
        *await collected("users", store.users(stores.redis, stores.keys)),
        *await collected("service", service.look(stores)),
    ]


async def _between(
    stores: DatasetStores, settings: Settings, schema: Schema
) -> list[Check]:
    kafka, topic = settings.kafka, clients.rows_topic(settings).name
    fingerprint = clients.rows_fingerprint(settings, schema)
    return [
        *await collected("workers", service.workers(stores, kafka)),
        *await collected("audit", service.audited(stores, kafka)),
        *await collected("counting", service.counting(stores, kafka, topic)),
        *await collected("stream", rows.look(stores, kafka, topic, fingerprint)),
    ]


def show(found: Sequence[Check]) -> None:
    """One line a check, and how many need a look."""
    grid = Table.grid(padding=(0, 2))
    for check in found:
        words = escape(check.words)
        if check.remedy:
            words += f"\n[dim]→ {escape(check.remedy)}[/]"
        grid.add_row(formats.MARKS[check.mark], check.name, words)
    out = terminal.console()
    out.print(grid)
    marks = [check.mark for check in found]
    fails, warnings = marks.count("fail"), marks.count("warn")
    out.print(f"\n{len(found)} checks: {fails} to mend, {warnings} to know about")


def budget(settings: Settings) -> Check:
    """Whether anything may be spent at all."""
    if settings.privacy is None:
        return warn(
            "budget",
            "no total is named in this environment; curator and reclusterer need it",
            "decide on SIGMA_PRIVACY_BUDGET (docs/guarantee.md)",
        )
    privacy = settings.privacy
    said = f"{formats.price(privacy.total)} in all, rule {privacy.rule}"
    if privacy.rule == "continual":
        rated = privacy.rated_epochs(settings.curator.epoch_seconds)
        said += f", counters rated for {rated:,} epochs"
    if privacy.delta is None:
        return ok("budget", said)
    said += f", zcdp: {formats.promised(privacy.total, privacy.delta)}"
    if privacy.surcharges is not None:
        said += f", and {formats.price(privacy.surcharges)} for showing noise again"
    return ok("budget", said)


def versions() -> Iterator[Check]:
    """Python, and every library within the bounds it was tested with."""
    yield ok("python", f"{platform.python_version()} on {platform.system()}")
    try:
        wanted = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        yield warn(
            "libraries",
            "sigma is not installed here, so its bounds are not known",
            "pip install -e .",
        )
        return
    faults = [fault for line in wanted if (fault := outside(line))]
    for fault in faults:
        yield fail("libraries", fault, "make setup, or pip install -e .")
    if not faults:
        yield ok("libraries", "all within the bounds they were tested with")


def outside(line: str) -> str | None:
    """What is wrong with an installed library, or None: ``name>=1.2,<2``."""
    wanted = Requirement(line)
    if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
        return None  # an extra's, or another platform's
    try:
        version = metadata.version(wanted.name)
    except metadata.PackageNotFoundError:
        return f"{wanted.name} is not installed"
    for bound in wanted.specifier:
        if not bound.contains(version, prereleases=True):
            return f"{wanted.name} {version} is not {bound}"
    return None
