"""What a figure's change means: only a bar or a ratio may fail a run."""

from __future__ import annotations

import pytest

from benchmarks.compare import LOSS, NOISE, Compared, compared, missing
from benchmarks.figures import Figure


def seen(then, now, unit, bar=None, at="least"):
    """A figure that was ``then`` and is ``now``."""
    return Compared(Figure("f", now, unit, bar, at), Figure("f", then, unit, bar, at))


@pytest.mark.parametrize(
    ("then", "now", "unit", "verdict"),
    [
        (100, 100 * (1 - NOISE) + 1, "rows/s", "same"),
        (100, 100 * (1 - NOISE) - 1, "rows/s", "worse"),
        (100, 130, "rows/s", "better"),
        (100, 130, "ms", "worse"),
        (100, 110, "ms", "same"),
        (100, 70, "s", "better"),
        (10, 10 * (1 - LOSS) + 0.1, "ratio", "worse"),
        (10, 10 * (1 - LOSS) - 0.1, "ratio", "lost"),
        (10, 15, "ratio", "better"),
    ],
)
def test_a_change_has_a_direction(then, now, unit, verdict):
    """More rows a second are better, more milliseconds are not."""
    assert seen(then, now, unit).verdict == verdict


@pytest.mark.parametrize(
    ("at", "now", "verdict"),
    [("most", 14, "worse"), ("most", 6, "better"), ("least", 14, "better")],
)
def test_a_bar_tells_the_direction(at, now, verdict):
    """A figure that may be so much at most is better when it is less."""
    bar = 20 if at == "most" else 1

    assert seen(10, now, "s", bar, at).verdict == verdict


@pytest.mark.parametrize(
    ("line", "failed"),
    [
        (seen(100, 1, "rows/s"), False),  # a slow machine
        (seen(1, 100, "ms"), False),
        (seen(10, 6, "ratio", 5), True),  # above its bar, and much worse
        (seen(10, 8, "ratio", 5), False),
        (seen(10, 9.9, "ratio", 9.95), True),  # short
        (seen(10, 16, "ratio", 20, "most"), True),
        (Compared(Figure("f", 1, "ratio", 2), None), True),
        (Compared(Figure("f", 3, "ratio", 2), None), False),
    ],
)
def test_only_a_bar_or_a_ratio_fails(line, failed):
    """Absolute figures are told: another program may have had the machine."""
    assert line.failed is failed


@pytest.mark.parametrize("then", [None, Figure("f", 0, "ms")])
def test_what_has_no_past_is_new(then):
    """Nothing is divided by nothing."""
    line = Compared(Figure("f", 3, "ms"), then)

    assert (line.verdict, line.ratio) == ("new", None)
    assert str(line).endswith("3 ms - new")


def test_a_figure_that_fell_to_nothing_is_not_the_same():
    """Zero rows a second is no noise."""
    assert seen(100, 0, "rows/s").verdict == "worse"
    assert seen(10, 0, "ratio").verdict == "lost"


def test_a_line_shows_both_and_their_ratio():
    """``name baseline now unit ratio verdict``."""
    assert str(seen(4, 2, "ms")) == "f 4 2 ms 0.50 better"


def test_figures_meet_by_name():
    """What one of the two runs lacks is new, or missing."""
    then = {n: Figure(n, 1, "s") for n in "ab"}
    now = {n: Figure(n, 1, "s") for n in "bc"}

    assert [line.verdict for line in compared(now, then)] == ["same", "new"]
    assert missing(now, then) == ["a"]
