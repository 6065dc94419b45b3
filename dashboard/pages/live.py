"""Live: standing questions as curves with interval bands, and net changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from dashboard.curves import CurveLine, ShownCurve
from dashboard.history import AnswerPoint, WatchedQuestion
from dashboard.pages.answered import NO_REASON
from sigmaclient import Answer, NamedQuestion
from sigmaclient.words import promises
from streams.wire.messages.catalog import Catalog
from streams.wire.messages.events import QueryAnswered
from streams.wire.messages.tables import TableCell
from views import formats
from views.asking import standing

NEWEST: Final = 12  # points in the table beside a curve
SPOKEN: Final = 3  # questions whose newest answer is read out
NULL: Final = "NULL"
EXACT: Final = "fixed-noise"  # under which no change is told


@dataclass(frozen=True, slots=True)
class LivePoint:
    """One epoch's answer, in words."""

    epoch: str
    as_of: str
    count: str
    between: str
    stderr: str
    since: str


@dataclass(frozen=True, slots=True)
class LiveCell:
    """A row of the newest table."""

    levels: str
    count: str
    between: str


@dataclass(frozen=True, slots=True)
class LiveQuestion:
    """One standing question.

    Attributes:
        number: among those of the page; part of the ids in it.
        asks: the condition, or the change of it.
        kept: how many answers are kept here, and from when on.
        newest: the last of them; None: there is none yet.
        trouble: why there is no answer now; else empty.
        changes: whether its net change may be asked for by a button.
    """

    number: int
    name: str
    asks: str
    by: str
    every: str
    kept: str
    newest: LivePoint | None
    sure: str
    trouble: str
    points: tuple[LivePoint, ...]
    cells: tuple[LiveCell, ...]
    left_out: int
    curve: ShownCurve
    changes: bool


@dataclass(frozen=True, slots=True)
class LivePage:
    """What the page shows.

    Attributes:
        since: when this gateway began to listen; it knows no older answer.
        protects: whom the promise covers, in one sentence; empty: not known yet.
        changes_told: whether net changes may be asked for under the rule in force.
    """

    since: str
    questions: tuple[LiveQuestion, ...]
    protects: str
    changes_told: bool

    @property
    def news(self) -> str:
        """The newest answers in a sentence, as it is read out; the first few."""
        told = [
            f"{each.name}: {each.newest.count}, epoch {each.newest.epoch}"
            for each in self.questions
            if each.newest is not None
        ]
        more = len(told) - SPOKEN
        return "; ".join(told[:SPOKEN]) + (f"; and {more} more" if more > 0 else "")


def live_page(
    watched: Iterable[WatchedQuestion], catalog: Catalog | None, begun_ms: int
) -> LivePage:
    """The standing questions of one client."""
    promise = None if catalog is None else catalog.promise
    told = promise is not None and promise.rule != EXACT
    shown = tuple(
        live_question(each, number, changes_told=told)
        for number, each in enumerate(watched, 1)
    )
    protects = "" if promise is None else promise.protects
    return LivePage(formats.moment(begun_ms), shown, protects, told)


def live_question(
    watched: WatchedQuestion, number: int, *, changes_told: bool
) -> LiveQuestion:
    """One of them, as a card of the page."""
    points = tuple(map(_told, watched.points))
    asks, by, every = _asked(watched)
    unsaid = "" if watched.trouble is None else watched.trouble.message
    plain = watched.question is not None and watched.question.since is None
    return LiveQuestion(
        number,
        watched.name,
        asks,
        by,
        every,
        _kept(watched),
        points[-1] if points else None,
        formats.percent(watched.confidence) if points else "",
        unsaid,
        points[: -NEWEST - 1 : -1],
        tuple(map(_cell, watched.cells)),
        watched.of_cells - len(watched.cells),
        _curve(watched),
        changes_told and plain,
    )


def _asked(watched: WatchedQuestion) -> tuple[str, str, str]:
    if watched.question is None:
        return "", "", ""
    _, _, asks, by, every, _ = standing.row(NamedQuestion.of(watched.question))
    return asks, by, every


def _kept(watched: WatchedQuestion) -> str:
    if not watched.points:
        return "no answer was heard yet; the next epoch brings one"
    first = formats.moment(watched.points[0].as_of_ms)
    many = len(watched.points)
    return f"{many:,} answer{'s' * (many != 1)}, the first of {first}"


def _told(point: AnswerPoint) -> LivePoint:
    sign = "" if point.since_ms is None else "+"
    return LivePoint(
        f"{point.epoch:,}",
        formats.moment(point.as_of_ms),
        f"{point.count:{sign},}",
        f"{point.low:,} … {point.high:,}",
        f"{point.stderr:,.1f}",
        "" if point.since_ms is None else formats.moment(point.since_ms),
    )


def _cell(cell: TableCell) -> LiveCell:
    levels = ", ".join(NULL if level is None else level for level in cell.levels)
    low, high = cell.joint
    return LiveCell(levels, f"{cell.count:,}", f"{low:,} … {high:,}")


def _curve(watched: WatchedQuestion) -> ShownCurve:
    """Its counts with the band that holds each, over the times of their epochs."""
    points = list(_apart(watched.points))
    line = CurveLine(
        watched.name,
        tuple(point.count for point in points),
        tuple(point.low for point in points),
        tuple(point.high for point in points),
    )
    moments = tuple(point.as_of_ms / 1000 for point in points)
    return ShownCurve(watched.name, "rows", moments, (line,))


def _apart(points: Iterable[AnswerPoint]) -> Iterator[AnswerPoint]:
    """Those that are later than the one before: a curve has one at a time."""
    last = -1
    for point in points:
        if point.as_of_ms > last:
            last = point.as_of_ms
            yield point


@dataclass(frozen=True, slots=True)
class ChangePart:
    """What the part shows, or why there is no change to tell.

    Attributes:
        of: the condition, in the client's words.
        promises: what is promised to the people counted, name and fact.
    """

    trouble: str
    of: str = ""
    change: str = ""
    between: str = ""
    sure: str = ""
    stderr: str = ""
    since: str = ""
    until: str = ""
    cost: str = ""
    promises: tuple[tuple[str, str], ...] = ()


def change_part(of: str, answered: QueryAnswered) -> ChangePart:
    """The net change of what was asked, or why none is told."""
    answer = Answer.of(answered)
    if answer.count is None or answer.interval is None:
        return ChangePart(answer.error_message or NO_REASON)
    low, high = answer.interval
    return ChangePart(
        "",
        of or "every row",
        f"{answer.count:+,}",
        f"{low:+,} and {high:+,}",
        formats.percent(answer.confidence),
        f"{answer.stderr or 0:,.1f}",
        f"{formats.moment(answer.since_ms)}, epoch {formats.cell(answer.since_epoch)}",
        f"{formats.moment(answer.as_of_ms)}, epoch {formats.cell(answer.epoch)}",
        answer.cost,
        tuple(promises(answer.guarantee or {})),
    )
