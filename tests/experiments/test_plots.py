"""Plots: well-formed SVG that holds its series, where they belong, and says so."""

import itertools
import xml.etree.ElementTree as ET

import pytest

from experiments.measuring import strategies as plans
from experiments.measuring.errors import Error
from experiments.report import plots, svg
from experiments.report.continual_plots import Curve, attack_figure, year_figure
from experiments.report.optimal_plots import ErrorCurve, strategies_figure
from experiments.report.svg import Chart, PlotAxis, Series

SVG = "{http://www.w3.org/2000/svg}"
PAPER = {(10, 10**5, 3): 77.1, (21, 10**5, 3): 5.2, (10, 10**6, 1): 3.8}
ERRORS = [
    Error(plans.PUBLISHED, 21, 10**5, 1_250_000_000, 1, 1.9e9, 2e9, 1e7),
    Error(plans.PLANNED, 21, 10**5, 154_000, 1, 1.4e5, 1.4e5, 1e3),
]
FIGURES = {
    "utility": plots.utility_figure(lambda c, q, u: u * q / c / 1e5, PAPER, PAPER),
    "error": plots.error_figure(ERRORS),
    "epochs": plots.epoch_figure(100_000, (1e-2, 1e-5)),
    "year": year_figure([Curve("counters", [(1, 11), (8_766, 23)], [(24, 17)])]),
    "attack": attack_figure(
        [
            Curve("counters", [(1, 0.2), (45, 0.4)]),
            Curve("bound", [(1, 0.4), (45, 0.4)]),
        ],
        0.5,
        45,
    ),
}
CHART = Chart(
    "Ups & downs",
    "It says <so>.",
    PlotAxis("x", 1, 100),
    PlotAxis("y", 0, 10, even=True),
    [
        Series('a "b" & c', [(1, 0), (10, 5), (100, 10)], 0),
        Series("", [(10, 5)], 1, "dots"),
    ],
)


def parsed(text):
    """The document; ParseError when it is not well-formed."""
    return ET.fromstring(text)  # noqa: S314 - our own text


def spots(polyline):
    """Places on the page of a line."""
    return [tuple(map(float, p.split(","))) for p in polyline.get("points").split()]


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_well_formed_and_speaks(name):
    """Title and description come first, for those who do not see it."""
    root = parsed(FIGURES[name])

    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert all(child.text for child in list(root)[:2])
    assert "nan" not in FIGURES[name]


@pytest.mark.parametrize(
    ("name", "series"),
    [
        ("utility", ["u=3, 10 columns", "u=1, 21 columns", "paper", "drawn"]),
        ("error", ["Algorithm 4 as published", "the planner's own plan", ""]),
        ("year", ["counters", ""]),
        ("attack", ["counters", "bound"]),
        ("epochs", ["ρ = 0.01", "ρ = 0.00001", "fresh noise, Tε"]),
    ],
)
def test_a_figure_holds_its_series(name, series):
    """Each in a group of its name, and in the legend when it has one."""
    root = parsed(FIGURES[name])

    groups = [group.get("aria-label") for group in root.findall(f"{SVG}g")]
    written = [text.text for text in root.findall(f"{SVG}text")]
    assert set(series) <= set(groups)
    assert set(filter(None, series)) <= set(written)


def test_points_lie_where_they_belong():
    """Corners in the corners; by powers of ten, 10 is midway from 1 to 100."""
    line = parsed(CHART.svg()).find(f"{SVG}g/{SVG}polyline")

    middle = (svg.LEFT + svg.RIGHT) / 2, (svg.TOP + svg.BOTTOM) / 2
    assert spots(line) == [(svg.LEFT, svg.BOTTOM), middle, (svg.RIGHT, svg.TOP)]


def test_every_published_point_is_in_the_figure():
    """A ring for each of the paper's, a dot for each of ours."""
    root = parsed(FIGURES["utility"])

    marks = {g.get("aria-label"): len(g) for g in root.findall(f"{SVG}g")}
    assert marks["paper"] == marks["drawn"] == len(PAPER)


def test_the_same_numbers_are_the_same_text():
    """A figure changes in a repository only when its numbers do."""
    assert plots.error_figure(ERRORS) == FIGURES["error"]
    assert "a &quot;b&quot; &amp; c" in CHART.svg()


@pytest.mark.parametrize("name", FIGURES)
def test_labels_keep_clear_of_each_other(name):
    """No two of one column closer than a line, none wider than the page."""
    title, *texts = parsed(FIGURES[name]).findall(f"{SVG}text")
    assert svg.LEFT + 9.5 * len(title.text) <= svg.WIDTH
    places = [(float(t.get("x")), float(t.get("y")), t.text) for t in texts]

    for column in {x for x, _, _ in places}:
        heights = sorted(y for x, y, _ in places if x == column)
        assert all(b - a >= 13 for a, b in itertools.pairwise(heights))
    legend = [(x, said) for x, _, said in places if x > svg.RIGHT]
    assert all(x + 7.2 * len(said) <= svg.WIDTH for x, said in legend)


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        (PlotAxis("", 0.1, 1_000), ["0.1", "1", "10", "100", "1,000"]),
        (PlotAxis("", 1e4, 1e7), ["10⁴", "10⁵", "10⁶", "10⁷"]),
        (PlotAxis("", 1, 10), ["1", "2", "5", "10"]),
        (PlotAxis("", 1e4, 1e5), ["10⁴", "2·10⁴", "5·10⁴", "10⁵"]),
        (PlotAxis("", 0, 200, even=True), ["0", "50", "100", "150", "200"]),
    ],
)
def test_ticks_are_round(axis, ticks):
    """Powers of ten over three decades; 1, 2 and 5 below that; else even steps."""
    assert [said for _, said in axis.ticks()] == ticks


def test_strategies_are_named_from_most_error_to_least():
    """In whatever order they come."""
    least, most = (
        ErrorCurve(name, [(0.1, 10 * error), (10.0, error)], None)
        for name, error in (("a", 1.0), ("b", 7.0))
    )

    svg = strategies_figure([least, most], 1e-9)

    assert "From most to least: b; a." in svg
