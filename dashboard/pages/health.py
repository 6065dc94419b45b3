"""Health: who is at work, how old the epoch is, how many questions wait.

Nothing is said of row events: how many come tells how many people changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from views import formats

Verdict = Literal["ok", "warn", "fail"]
# What does not happen while nobody is there.
WITHOUT: Final = {
    "counter": "rows are not counted",
    "curator": "nothing is released, no fresh question is answered",
    "responder": "no question is answered",
    "reclusterer": "the plan stays as it is",
}
LATE_EPOCHS: Final = 3  # by the clock one more is due; a takeover takes one or two
MANY_WAIT: Final = 1_000  # what a responder answers in one batch


@dataclass(frozen=True, slots=True)
class ServiceSeen:
    """What a gateway sees of the service around it.

    Attributes:
        epoch: that is served; 0 before the first.
        as_of_ms: the moment of its snapshot.
        frozen: why no epoch follows; None: one does.
        tick_seconds: from one epoch to the next, where the clock publishes.
        workers: processes of each role, as the broker hears them; None: it does not
            say.
        waiting: questions that no responder has taken yet; None: nobody says.
        begun_ms: when this gateway began to listen.
        asked_here: questions that wait in this gateway.
    """

    epoch: int
    as_of_ms: int
    frozen: str | None
    tick_seconds: float | None
    workers: Mapping[str, int] | None
    waiting: int | None
    begun_ms: int
    asked_here: int


@dataclass(frozen=True, slots=True)
class HealthLine:
    """One part of the service, and how it is; the verdict is said in words, too."""

    about: str
    verdict: Verdict
    said: str


@dataclass(frozen=True, slots=True)
class HealthPage:
    """What the page shows, the worst of all in front."""

    verdict: Verdict
    headline: str
    lines: tuple[HealthLine, ...]


HEADLINES: Final[Mapping[Verdict, str]] = {
    "ok": "All is well",
    "warn": "It works; something needs a look",
    "fail": "Something does not work",
}


def health_page(seen: ServiceSeen, now_ms: int) -> HealthPage:
    """How the service is, without a word about rows."""
    lines = (
        _epoch(seen, now_ms),
        *_workers(seen.workers),
        _questions(seen.waiting),
        _gateway(seen, now_ms),
    )
    found = {each.verdict for each in lines}
    worst: Verdict = "fail" if "fail" in found else "warn" if "warn" in found else "ok"
    return HealthPage(worst, HEADLINES[worst], lines)


def _epoch(seen: ServiceSeen, now_ms: int) -> HealthLine:
    if not seen.epoch:
        return HealthLine("epoch", "warn", "none is released yet")
    age = max(now_ms - seen.as_of_ms, 0) / 1000
    said = f"epoch {seen.epoch:,}, {_span(age)} old"
    if seen.frozen is not None:
        words = f"{said}; frozen: {seen.frozen}. It is served, and no newer"
        return HealthLine("epoch", "warn", words)
    if seen.tick_seconds is None:
        return HealthLine("epoch", "ok", said)
    said += f"; one is due every {_span(seen.tick_seconds)}"
    late = age > LATE_EPOCHS * seen.tick_seconds
    return HealthLine("epoch", "fail" if late else "ok", said)


def _workers(workers: Mapping[str, int] | None) -> Iterator[HealthLine]:
    if workers is None:
        yield HealthLine("workers", "warn", "the broker does not say who is at work")
        return
    for role, lost in WITHOUT.items():
        number = workers.get(role, 0)
        if number:
            yield HealthLine(role, "ok", f"{number} at work")
            continue
        verdict: Verdict = "warn" if role == "reclusterer" else "fail"
        yield HealthLine(role, verdict, f"nobody is at work: {lost}")


def _questions(waiting: int | None) -> HealthLine:
    if waiting is None:
        return HealthLine("questions", "warn", "the broker does not say how many wait")
    many = waiting > MANY_WAIT
    said = f"{waiting:,} wait to be taken" if waiting else "none waits"
    return HealthLine("questions", "warn" if many else "ok", said)


def _gateway(seen: ServiceSeen, now_ms: int) -> HealthLine:
    since = f"listens since {formats.moment(seen.begun_ms)}"
    open_ = f"{seen.asked_here:,} open questions in it"
    uptime = _span(max(now_ms - seen.begun_ms, 0) / 1000)
    return HealthLine("this gateway", "ok", f"{since} ({uptime}), {open_}")


def _span(seconds: float) -> str:
    """A time in its largest unit: ``3 h``."""
    for unit, length in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{round(seconds, 1):g} s"
