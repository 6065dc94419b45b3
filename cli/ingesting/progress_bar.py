"""Progress bar: how far a file has come, by bytes read; silent where nobody looks."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.progress import (
    BarColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bars

from cli import terminal
from cli.ingesting.progress import Progress
from cli.reading.feed import Feed
from cli.reading.text import Meter, called


class ProgressBar:
    """A bar that the reading of a file moves.

    Attributes:
        meter: follows the file that is read now.
    """

    def __init__(self, feed: Feed) -> None:
        console = terminal.console(stderr=True)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rows]:,} rows, {task.fields[rate]:,.0f}/s"),
            TimeRemainingColumn(),
        )
        self.meter, self._begun = Meter(), time.monotonic()
        self._bars = Bars(*columns, console=console, disable=not console.is_terminal)
        name = called(feed.path)
        self._task = self._bars.add_task(name, total=feed.size, rows=0, rate=0.0)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def looked(self, rows: int) -> None:
        """So many rows were looked through, before any is sent."""
        self._move(rows, rows)

    def sent(self, progress: Progress) -> None:
        """So many rows are dealt with."""
        self._move(progress.rows, progress.sent)

    def _move(self, rows: int, done: int) -> None:
        rate = done / max(time.monotonic() - self._begun, 1e-9)
        read = self.meter.bytes()
        self._bars.update(self._task, completed=read, rows=rows, rate=rate)
