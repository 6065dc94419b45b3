"""How a file is ingested: dataset, broker, bookmark and progress bar together."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from cli import shipment, show
from cli.bookmark import Bookmark, state_dir
from cli.cast import Cast
from cli.exits import Refusal
from cli.feed import STDIN, Feed, Form, Meter, Row
from cli.options import Overrides
from cli.shipment import Shipment
from config.servers import Kafka
from sigmacount.errors import Mismatch
from sigmacount.schema import Schema
from streams.producer import Publisher
from workers import wiring


@dataclass(frozen=True, slots=True)
class Order:
    """What the caller of ``sigma ingest`` wants."""

    file: Path
    id_column: str | None = None
    nulls: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    form: Form | None = None
    delimiter: str | None = None
    check: bool = False
    state_dir: Path | None = None
    as_json: bool = False


async def carry_out(order: Order, given: Overrides) -> bool:
    """Send the file; True when every row fitted."""
    show.hush()
    settings = wiring.load_settings(**given)
    dataset = wiring.load_dataset(settings)
    columns = order.columns or dataset.columns
    feed = Feed.of(order.file, order.form, order.delimiter, columns)
    nulls = {"", *dataset.missing, *order.nulls}
    cast = Cast(dataset.schema, nulls, _renames(order.renamed, dataset.schema))
    bookmark = None if order.check else _bookmark(order, settings.kafka)
    async with _sender(order, settings.kafka) as publisher:
        topic = wiring.topics(settings.kafka).rows
        load = Shipment(dataset.schema, cast, _naming(order), publisher, topic)
        begun = time.monotonic()
        with _bar(feed) as (meter, tell), closing(feed.rows(meter)) as rows:
            await load.send(_checked(rows, feed, cast), bookmark, tell)
    _report(order, load.progress, topic.name, time.monotonic() - begun)
    return not load.progress.bad


def _sender(
    order: Order, kafka: Kafka
) -> AbstractAsyncContextManager[Publisher | None]:
    return nullcontext() if order.check else wiring.publisher(kafka, "sigma-ingest")


def _bookmark(order: Order, kafka: Kafka) -> Bookmark | None:
    """Where an earlier run came to; no topic, no ingest."""
    topic = wiring.topics(kafka).rows.name
    with wiring.kafka_admin(kafka) as admin:
        facts, cluster = admin.facts(topic), admin.cluster_id()
    if facts is None:
        msg = f"topic {topic} is missing; `sigma topics create` makes it"
        raise Mismatch(msg)
    if not order.file.is_file():
        return None  # a pipe cannot be read again
    folder = order.state_dir or state_dir()
    return Bookmark.of(order.file, topic, facts.topic_id, cluster, folder=folder)


def _renames(pairs: tuple[str, ...], schema: Schema) -> dict[str, str]:
    """Attribute → column, as the options say."""
    columns = {}
    for pair in pairs:
        column, equals, attribute = pair.partition("=")
        if not (column and equals):
            msg = f"--rename {pair!r} is not COLUMN=ATTRIBUTE"
            raise Refusal(msg)
        columns[schema.names[schema.index(attribute)]] = column
    return columns


def _naming(order: Order) -> Callable[[Row], object]:
    """What the id of a row is: a column's value, or the file and the line."""
    if order.id_column is not None:
        column = order.id_column
        return lambda row: row.values.get(column)
    stem = "stdin" if order.file == STDIN else order.file.name.partition(".")[0]
    return lambda row: f"{stem}:{row.line}"


def _checked(rows: Iterator[Row], feed: Feed, cast: Cast) -> Iterator[Row]:
    """The rows, once the first one shows that the columns are the dataset's."""
    first = next(rows, None)
    if first is None:
        return
    if feed.form == "csv" and (lacking := cast.missing(first.values)):
        named = ", ".join(lacking)
        msg = (
            f"{feed.path} has no column {named}. A file without a header line takes"
            " --columns, one that names columns otherwise --rename COLUMN=ATTRIBUTE"
        )
        raise Refusal(msg)
    yield first
    yield from rows


@contextmanager
def _bar(
    feed: Feed,
) -> Iterator[tuple[Meter, Callable[[shipment.Progress], None]]]:
    """A bar by bytes read; rows and rate beside it. Silent where nobody looks."""
    console, meter, begun = show.console(stderr=True), Meter(), time.monotonic()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rows]:,} rows, {task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task(feed.path.name, total=feed.size, rows=0, rate=0.0)

        def tell(progress: shipment.Progress) -> None:
            rate = progress.sent / max(time.monotonic() - begun, 1e-9)
            read = meter.bytes()
            bar.update(task, completed=read, rows=progress.rows, rate=rate)

        yield meter, tell


def _report(
    order: Order, progress: shipment.Progress, topic: str, seconds: float
) -> None:
    rate = progress.sent / max(seconds, 1e-9)
    if order.as_json:
        faults = [
            {"reason": reason, "attribute": attribute, "rows": rows, "first_line": line}
            for (reason, attribute), (rows, line) in progress.refused.items()
        ]
        found = {"sent": progress.sent, "skipped": progress.skipped}
        show.as_json(found | {"seconds": round(seconds, 3), "refused": faults})
        return
    out, name = show.console(), order.file.name
    verb = "would send" if order.check else "sent"
    out.print(
        f"{verb} {progress.sent:,} rows of {name} to {topic}"
        f" in {seconds:.1f} s ({rate:,.0f} rows/s)"
    )
    if progress.skipped:
        out.print(f"{progress.skipped:,} rows before them had been sent already")
    if progress.refused:
        out.print(f"{progress.bad:,} rows do not fit and were not sent:")
        lines = [(*fault, *told) for fault, told in progress.refused.items()]
        out.print(show.table(("reason", "attribute", "rows", "first line"), lines))
