"""The page Health: who is at work, how old the epoch is, how many questions wait."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dashboard import part, whole
from dashboard.pages.health import WITHOUT, ServiceSeen, health_page

NOW = 1_764_500_400_000
SEEN = ServiceSeen(
    epoch=7,
    as_of_ms=NOW - 12_000,
    frozen=None,
    tick_seconds=10.0,
    workers=dict.fromkeys(WITHOUT, 1),
    waiting=0,
    begun_ms=NOW - 3_600_000,
    asked_here=0,
)


def verdicts(seen):
    """What is said of each part."""
    return {line.about: line.verdict for line in health_page(seen, NOW).lines}


def test_all_is_well():
    """One line of each part, and the verdict in words."""
    page = health_page(SEEN, NOW)

    assert page.verdict == "ok"
    assert set(verdicts(SEEN).values()) == {"ok"}
    assert set(WITHOUT) < set(verdicts(SEEN))
    assert "All is well" in whole("health.html", page, "/health", "ada")


def test_a_short_time_is_not_none():
    """Epochs of less than a second come, though seldom outside of tests."""
    [epoch, *_] = health_page(replace(SEEN, tick_seconds=0.5), NOW).lines

    assert epoch.said.endswith("one is due every 0.5 s")


@pytest.mark.parametrize(
    ("about", "verdict", "change"),
    [
        ("epoch", "warn", {"epoch": 0}),
        ("epoch", "warn", {"frozen": "no budget is left"}),
        ("epoch", "fail", {"as_of_ms": NOW - 31_000}),
        ("epoch", "ok", {"as_of_ms": 0, "tick_seconds": None}),
        ("responder", "fail", {"workers": {"counter": 1, "curator": 2}}),
        ("reclusterer", "warn", {"workers": {**SEEN.workers, "reclusterer": 0}}),
        ("workers", "warn", {"workers": None}),
        ("questions", "warn", {"waiting": 1_001}),
        ("questions", "warn", {"waiting": None}),
    ],
)
def test_what_is_not_well_is_said(about, verdict, change):
    """And is the worst of all, or as bad."""
    seen = replace(SEEN, **change)
    page = health_page(seen, NOW)

    assert verdicts(seen)[about] == verdict
    assert verdict == "ok" or page.verdict in {verdict, "fail"}


def test_a_verdict_is_not_said_by_colour_alone():
    """In a word beside it, also where htmx asks for the part."""
    text = part("parts/health.html", health_page(replace(SEEN, workers={}), NOW))

    assert "fault" in text
    assert "nobody is at work: no question is answered" in text
