"""Answers as they come: a live table on a terminal, or a line each."""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from typing import Self

from rich.live import Live
from rich.table import Table

from cli import terminal
from sigmaclient.answer import Answer
from views import formats
from views.asking import answers

LINES = 20  # of the live table
WINDOW_S = 10.0  # over which the rate is taken


class LiveAnswers:
    """Shows each answer once; ``seen`` says how many there were.

    A terminal gets a table of the newest ones, a pipe one line each, a program JSON.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.seen = 0
        self._as_json = as_json
        self._console = terminal.console()
        self._newest: deque[tuple[str, ...]] = deque(maxlen=LINES)
        self._times: deque[float] = deque()
        self._live: Live | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        if not self._as_json and self._console.is_terminal:
            live = Live(self._table(), console=self._console, refresh_per_second=4)
            self._live = self._open.enter_context(live)
        return self

    def __exit__(self, *exc: object) -> None:
        self._open.close()

    def show(self, answer: Answer, at_ms: int) -> None:
        """One answer that the broker took at ``at_ms`` (ms since 1970)."""
        self.seen += 1
        if self._as_json:
            terminal.print_json(answers.as_dict(answer))
            return
        row = answers.row(answer)
        if self._live is None:
            print("  ".join(filter(None, row)), flush=True)
            return
        self._newest.append(row)
        self._times.append(at_ms / 1000)
        while self._times and self._times[0] < at_ms / 1000 - WINDOW_S:
            self._times.popleft()
        self._live.update(self._table())

    def _table(self) -> Table:
        table = formats.table(answers.HEADS, self._newest)
        rate = len(self._times) / WINDOW_S
        table.title = f"{self.seen:,} answers, {rate:,.1f} a second lately"
        table.title_justify = "left"
        return table
