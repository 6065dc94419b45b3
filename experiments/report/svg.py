"""SVG: a chart as text, the same text for the same numbers, and nothing but text.

Colours differ on white and on black; words take the tone of the page that
shows them. Readers of screens get the title and the description.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 784, 440
LEFT, RIGHT, TOP, BOTTOM = 78, 548, 52, 376  # of the plane; the legend is beside it
ROW: Final = 20  # height of a line of the legend
COLOURS: Final = (  # the lightness of each is midway between black and white
    "#3d85c6", "#d9622b", "#3a9a5b", "#b2559f", "#a08a00", "#d0476b", "#3f9aa5",
    "#8a6fd1",
)  # fmt: skip
SUPERSCRIPT: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
WIDE: Final = 3.0  # decades from which on powers of ten alone are named
XML: Final = "http://www.w3.org/2000/svg"
NAMED: Final = 'aria-labelledby="title words"'
STYLE: Final = (
    "text{font:13px sans-serif;fill:#444}.title{font-size:16px;font-weight:600}"
    ".axis{stroke:#777}.grid{stroke:#777;stroke-opacity:.22}"
    "@media(prefers-color-scheme:dark){text{fill:#ccc}}"
)

Point = tuple[float, float]
Look = Literal["line", "dashed", "dots", "rings"]


@dataclass(frozen=True, slots=True)
class PlotAxis:
    """One axis, from ``low`` to ``high``; by powers of ten unless it is ``even``."""

    label: str
    low: float
    high: float
    even: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value lies, 0 to 1."""
        if self.even:
            return (value - self.low) / (self.high - self.low)
        return math.log(value / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[tuple[float, str]]:
        """Values that have a line of their own, each with what is written there."""
        if self.even:
            step = _step((self.high - self.low) / 5)
            first, last = math.ceil(self.low / step), math.floor(self.high / step)
            return [(n * step, f"{n * step:g}") for n in range(first, last + 1)]
        low, high = math.log10(self.low), math.log10(self.high)
        factors = (1,) if high - low >= WIDE else (1, 2, 5)
        return [
            (factor * 10.0**n, _said(factor, n))
            for n in range(math.floor(low), math.ceil(high) + 1)
            for factor in factors
            if self.low * 0.999 <= factor * 10.0**n <= self.high * 1.001
        ]


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one kind, joined or not; without a name it is not in the legend."""

    name: str
    points: Sequence[Point]
    colour: int
    look: Look = "line"

    @property
    def joined(self) -> bool:
        """Whether it is a line, not marks."""
        return self.look in {"line", "dashed"}


@dataclass(frozen=True, slots=True)
class Chart:
    """What a figure shows; ``words`` says it."""

    title: str
    words: str
    x: PlotAxis
    y: PlotAxis
    series: Sequence[Series]

    def svg(self) -> str:
        """The figure as an SVG document."""
        size = f'width="{RIGHT - LEFT}" height="{BOTTOM - TOP}"'
        plane = f'<rect x="{LEFT}" y="{TOP}" {size}/>'
        lines = [
            f'<svg xmlns="{XML}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" {NAMED}>',
            f'<title id="title">{escape(self.title)}</title>',
            f'<desc id="words">{escape(self.words)}</desc>',
            f"<style>{STYLE}</style>",
            f'<clipPath id="plane">{plane}</clipPath>',
            _text(LEFT, 26, self.title, "start", ' class="title"'),
            *self._frame(),
            *(part for each in self.series for part in self._drawn(each)),
            *self._legend(),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _place(self, point: Point) -> Point:
        """Where a point lies on the page."""
        x, y = point
        return (
            LEFT + self.x.share(x) * (RIGHT - LEFT),
            BOTTOM - self.y.share(y) * (BOTTOM - TOP),
        )

    def _frame(self) -> Iterator[str]:
        """Axes with their ticks and labels."""
        for value, said in self.x.ticks():
            x, _ = self._place((value, self.y.low))
            yield _line((x, TOP), (x, BOTTOM), "grid")
            yield _text(x, BOTTOM + 18, said, "middle")
        for value, said in self.y.ticks():
            _, y = self._place((self.x.low, value))
            yield _line((LEFT, y), (RIGHT, y), "grid")
            yield _text(LEFT - 8, y + 4, said, "end")
        yield _line((LEFT, BOTTOM), (RIGHT, BOTTOM), "axis")
        yield _line((LEFT, TOP), (LEFT, BOTTOM), "axis")
        yield _text((LEFT + RIGHT) / 2, BOTTOM + 44, self.x.label, "middle")
        middle = (TOP + BOTTOM) / 2
        turned = f' transform="rotate(-90 18 {_n(middle)})"'
        yield _text(18, middle, self.y.label, "middle", turned)

    def _drawn(self, series: Series) -> Iterator[str]:
        """The marks of one series, in a group that bears its name."""
        label = escape(series.name, {'"': "&quot;"})
        within = ' clip-path="url(#plane)"' if series.joined else ""
        yield f'<g aria-label="{label}"{within}>'
        yield _marks([self._place(point) for point in series.points], series)
        yield "</g>"

    def _legend(self) -> Iterator[str]:
        """A sample and a name for each series that has one."""
        named = [each for each in self.series if each.name]
        for row, each in enumerate(named):
            y = TOP + 8 + row * ROW
            left, right = RIGHT + 16, RIGHT + 40
            middle = (left + right) / 2, y
            spots = [(left, y), (right, y)] if each.joined else [middle]
            yield _marks(spots, each)
            yield _text(right + 8, y + 4, each.name, "start")


def _marks(spots: Sequence[tuple[float, float]], series: Series) -> str:
    """A line through places on the page, or a mark at each."""
    colour = COLOURS[series.colour % len(COLOURS)]
    if series.joined:
        path = " ".join(f"{_n(x)},{_n(y)}" for x, y in spots)
        dash = ' stroke-dasharray="6 4"' if series.look == "dashed" else ""
        return (
            f'<polyline points="{path}" fill="none" stroke="{colour}"'
            f' stroke-width="2"{dash}/>'
        )
    inside, radius = (colour, 3.5) if series.look == "dots" else ("none", 6)
    return "".join(
        f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{radius}" fill="{inside}"'
        f' stroke="{colour}" stroke-width="1.5"/>'
        for x, y in spots
    )


def _line(start: Point, end: Point, kind: str) -> str:
    (x1, y1), (x2, y2) = start, end
    return (
        f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"'
        f' class="{kind}"/>'
    )


def _text(x: float, y: float, said: str, anchor: str, more: str = "") -> str:
    place = f'x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}"'
    return f"<text {place}{more}>{escape(said)}</text>"


def _n(value: float) -> str:
    """A tenth of a pixel is enough, and hides how floats were rounded."""
    return f"{value + 0.0:.1f}"


def _said(factor: int, power: int) -> str:
    """Small numbers in full, others as powers of ten."""
    if -3 < power < 4:
        return f"{factor * 10.0**power:,.{max(0, -power)}f}"
    raised = "10" + str(power).translate(SUPERSCRIPT)
    return raised if factor == 1 else f"{factor}·{raised}"


def _step(least: float) -> float:
    """The round number, 1, 2 or 5 times a power of ten, that is not below."""
    power = 10.0 ** math.floor(math.log10(least))
    return power * next(f for f in (1, 2, 5, 10) if f * power >= least * 0.999)
