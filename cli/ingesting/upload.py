"""Upload: one file into the rows topic, with dataset, bookmark and progress bar."""

from __future__ import annotations

import time
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from cli import terminal
from cli.exits import CommandRefused
from cli.ingesting import bookmark, ingest_options, report, row_ids
from cli.ingesting.bookmark import Bookmark
from cli.ingesting.ingest_options import IngestOptions
from cli.ingesting.progress import Progress
from cli.ingesting.progress_bar import ProgressBar
from cli.ingesting.report import IngestOutcome
from cli.ingesting.row_ids import RowIds
from cli.ingesting.row_sender import CHUNK, RowSender
from cli.options import ChosenSettings
from cli.reading.feed import Feed
from cli.reading.header import Spelling
from cli.reading.row import Sheet
from cli.reading.type_conversion import TypeConversion
from config.declarations.datasets import Dataset
from config.servers import Kafka
from sigmacount.errors import Mismatch, StreamUnavailable
from streams.clients.publisher import Publisher
from streams.wire.topics import Topic
from workers import clients

NOT_NATIVE = (
    "the rows topic is read as SIGMA_ROWS_FORMAT says, and `sigma ingest` writes native"
    " rows alone: nobody would count them. Let the connector that feeds the topic send"
    " these rows, or unset SIGMA_ROWS_FORMAT. Nothing was sent."
)


async def upload(wanted: IngestOptions, given: ChosenSettings) -> bool:
    """Send the file; True when every row fitted.

    Raises:
        Refusal: an option or the file as a whole is wrong; the text says what was sent.
    """
    terminal.hush()
    settings = clients.load_settings(**given)
    dataset = clients.load_dataset(settings)
    if settings.rows.format != "native":
        raise CommandRefused(NOT_NATIVE)
    renamed = ingest_options.renames(wanted.renamed, dataset.schema)
    conversion = TypeConversion(dataset.schema, dataset.missing, renamed, wanted.nulls)
    run = _Run(
        wanted,
        settings.kafka,
        clients.rows_topic(settings),
        dataset,
        conversion,
        _feed(wanted, dataset, conversion),
        clients.owner_rows(settings),
    )
    with ProgressBar(run.feed) as bar:
        outcome = await run.sent(bar)
    if wanted.as_json:
        terminal.print_json(report.for_programs(outcome))
    else:
        report.for_people(outcome)
    return not outcome.progress.bad


def _feed(wanted: IngestOptions, dataset: Dataset, conversion: TypeConversion) -> Feed:
    columns = wanted.columns or dataset.columns
    spelling = Spelling(
        multiline=wanted.multiline, columns=columns, needed=conversion.columns
    )
    return Feed.of(
        wanted.file, wanted.form, ingest_options.delimiter(wanted.delimiter), spelling
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """One file on its way."""

    options: IngestOptions
    kafka: Kafka
    topic: Topic
    dataset: Dataset
    conversion: TypeConversion
    feed: Feed
    owner_rows: int | None

    async def sent(self, bar: ProgressBar) -> IngestOutcome:
        """What became of the file.

        Raises:
            Refusal: it cannot be read to its end; the text says what was sent before.
            StreamUnavailable: the broker went away; so is what it acknowledged.
        """
        progress = Progress()
        try:
            return await self._sent(bar, progress)
        except CommandRefused as refusal:
            raise self._after(refusal, progress.sent) from None
        except StreamUnavailable as gone:
            msg = (
                f"the broker went away ({gone}); {progress.sent:,} rows were"
                f" acknowledged; {self.options.afterwards}."
            )
            raise StreamUnavailable(msg) from None

    async def _sent(self, bar: ProgressBar, progress: Progress) -> IngestOutcome:
        topic, schema = self.topic, self.dataset.schema
        mark = None
        if not self.options.check:
            incarnation = self._incarnation()
            self._look_through(bar)
            mark = self._bookmark(topic.name, *incarnation)
        begun = time.monotonic()
        async with self._sender() as publisher:
            with self.feed.sheet(bar.meter) as sheet:
                ids = self._ids(sheet)
                sender = RowSender(
                    schema, self.conversion, ids, publisher, topic, progress
                )
                await sender.send(sheet.rows, mark, bar.sent)
        progress.cut = bar.meter.cut and self.feed.form == "csv"
        took = time.monotonic() - begun
        return IngestOutcome(self.options, schema, ids, progress, topic.name, took)

    def _look_through(self, bar: ProgressBar) -> None:
        """Read a file to its end, so that nothing of one that is cut is sent."""
        if not self.feed.again:
            return
        with self.feed.sheet(bar.meter) as sheet:
            self._ids(sheet)
            for number, _ in enumerate(sheet.rows, 1):
                if number % CHUNK == 0:
                    bar.looked(number)

    def _ids(self, sheet: Sheet) -> RowIds:
        return row_ids.chosen(
            self.options,
            self.dataset,
            sheet.names,
            self.conversion.columns,
            self.owner_rows,
        )

    def _after(self, refusal: CommandRefused, sent: int) -> CommandRefused:
        """The refusal, and what it means for what was to be sent."""
        if self.options.check:
            return refusal
        if not sent:
            return CommandRefused(f"{refusal}. Nothing was sent.")
        return CommandRefused(
            f"{refusal}. {sent:,} rows before that were sent; the mended file, sent"
            " under the same ids, replaces them."
        )

    def _sender(self) -> AbstractAsyncContextManager[Publisher | None]:
        if self.options.check:
            return nullcontext()
        return clients.publisher(self.kafka, "sigma-ingest")

    def _incarnation(self) -> tuple[str, ...]:
        """Which topic of which cluster it is; no topic, no ingest."""
        with clients.kafka_admin(self.kafka) as admin:
            facts = admin.facts(self.topic.name)
            cluster = admin.cluster_id()
        if facts is None:
            msg = f"topic {self.topic.name} is missing; {self.topic.maker}"
            raise Mismatch(msg)
        return facts.topic_id, cluster

    def _bookmark(self, *incarnation: str) -> Bookmark | None:
        """Where an earlier run came to; a pipe cannot be read again."""
        if self.options.check or not self.feed.again:
            return None
        folder = self.options.state_dir or bookmark.state_dir()
        if folder is None:
            return None
        if not bookmark.writable(folder):
            msg = f"--state-dir {folder}: nothing can be written there"
            raise CommandRefused(msg)
        meaning = self.options.meaning(self.dataset)
        return Bookmark.of(self.options.file, *incarnation, meaning, folder=folder)
