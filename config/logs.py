"""One line per event, structured, without a value of any row.

Text of foreign exceptions may quote what they choked on, which may be a row. So only
the texts of our own errors, of the operating system and of the broker's client are
written; of every other one the type and the place.
"""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Final, Literal, TextIO

from sigmacount.errors import SigmaError

Fact = str | int | float | bool | None
ROOT: Final = "sigma"
SAFE_MODULES: Final = ("aiokafka.errors", "kafka.errors")  # texts name servers only


class Log:
    """The events of one part of the service, such as ``counter``.

    An event is named like a message: a past participle. Facts are numbers, names of
    topics, partitions, reasons, durations; never a count of rows, never a value.
    """

    __slots__ = ("_logger",)

    def __init__(self, part: str) -> None:
        self._logger = logging.getLogger(f"{ROOT}.{part}")

    def debug(self, event: str, **facts: Fact) -> None:
        """Note what only a developer asks for."""
        self._logger.debug(event, extra={"facts": facts})

    def info(self, event: str, **facts: Fact) -> None:
        """Note what an operator may want to have seen."""
        self._logger.info(event, extra={"facts": facts})

    def warning(self, event: str, **facts: Fact) -> None:
        """Note what mends itself, but not for ever."""
        self._logger.warning(event, extra={"facts": facts})

    def error(self, event: str, error: BaseException, **facts: Fact) -> None:
        """Note what a person must look at, with the place it came from."""
        self._logger.error(event, extra={"facts": facts}, exc_info=error)


class Formatter(logging.Formatter):
    """A record as one line of ``key=value`` pairs or one JSON object."""

    def __init__(self, style: Literal["text", "json"]) -> None:
        super().__init__()
        self._json = style == "json"

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        pairs: dict[str, Fact] = {
            "at": _instant(record.created),
            "level": record.levelname.lower(),
            "part": record.name.removeprefix(f"{ROOT}."),
        }
        facts = getattr(record, "facts", None)
        pairs["event"] = _foreign(record) if facts is None else record.msg
        pairs |= facts or {}
        if record.exc_info and record.exc_info[1] is not None:
            pairs |= _failure(record.exc_info[1])
        if self._json:
            return json.dumps(pairs, ensure_ascii=False)
        return " ".join(f"{key}={_quoted(value)}" for key, value in pairs.items())


def start(
    level: Literal["debug", "info", "warning", "error"] = "info",
    style: Literal["text", "json"] = "text",
    stream: TextIO = sys.stderr,
) -> None:
    """Send our events to ``stream``; at debug the warnings of libraries with them."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Formatter(style))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # Libraries report every try that we report, too, and may print what passes
    # through them: theirs is for whoever looks for a fault in them.
    root.setLevel(logging.WARNING if level == "debug" else logging.CRITICAL + 1)
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # lost errors of our tasks
    logging.getLogger(ROOT).setLevel(level.upper())


def leave_out(logger: str, words: str) -> None:
    """Log no line with these words of a library, which raises what it says as well."""
    logging.getLogger(logger).addFilter(lambda record: words not in str(record.msg))


def safe_text(error: BaseException) -> str:
    """What may be written about an error: its text only where that is ours."""
    kind = type(error)
    safe = isinstance(error, SigmaError | OSError) or kind.__module__ in SAFE_MODULES
    return f"{kind.__name__}: {error}" if safe else kind.__name__


def _failure(error: BaseException) -> dict[str, Fact]:
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "error": safe_text(error),
        "where": " < ".join(f"{f.name}:{f.lineno}" for f in reversed(frames[-5:])),
    }


def _foreign(record: logging.LogRecord) -> str:
    """A library's message; exceptions among its arguments keep only their type."""
    if isinstance(record.args, tuple):
        record.args = tuple(
            safe_text(arg) if isinstance(arg, BaseException) else arg
            for arg in record.args
        )
    return " ".join(record.getMessage().split())


def _instant(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _quoted(value: Fact) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    plain = text and not set(text) & set(' ="\n\r\t')
    return text if plain else json.dumps(text, ensure_ascii=False)
