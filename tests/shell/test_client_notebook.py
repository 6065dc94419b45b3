"""Frames, HTML and bars of an answer: the same numbers, and what intervals cover."""

import importlib
import json
import re

import pytest

from sigmaclient import Answer, ExtraMissing, NoCount, Quote
from streams.wire.messages.events import QueryAnswered
from tests.fixtures.tables import QUOTE, answer_with, cell

CELLS = [cell(["F", "<20"], 9), cell([None, "<20"], 2)]
COLUMNS = ["count", "stderr", "low", "high", "joint_low", "joint_high"]


@pytest.fixture
def answer():
    """A table of two attributes."""
    return Answer.of(answer_with(["sex", "age"], CELLS))


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")


def test_a_frame_of_pandas_has_a_row_for_each_row(answer):
    """Levels, count, error and both intervals; it says what the joint ones cover."""
    frame = answer.to_pandas()

    assert list(frame.columns) == ["sex", "age", *COLUMNS]
    assert frame["count"].tolist() == [9, 2]
    assert frame["count"].dtype == "int64"
    assert frame.joint_high.tolist() == [15, 8]
    assert frame.sex.isna().tolist() == [False, True]
    assert frame.attrs["joint_covers"] == "all rows together, 95 %"
    assert frame.attrs["guarantee"]["rule"] == "fixed-noise"
    assert answer.table.to_pandas().equals(frame)


def test_a_frame_of_polars_has_the_same_columns(answer):
    """Missing values are null."""
    frame = answer.to_polars()

    assert frame.columns == ["sex", "age", *COLUMNS]
    assert frame["sex"].to_list() == ["F", None]
    assert frame["low"].to_list() == [6, 0]


def test_a_single_count_is_a_frame_of_one_row():
    """So a program may treat both alike."""
    event = QueryAnswered(
        request_id="r", client="a", status="ok", count=5, stderr=1.0, interval=(2, 8)
    )

    frame = Answer.of(event).to_pandas()

    assert frame.to_dict("records") == [
        dict(zip(COLUMNS, [5, 1.0, 2, 8, 2, 8], strict=True))
    ]


def test_a_refusal_is_no_frame():
    """An empty one would be taken for no rows."""
    refused = Answer(request_id="r", client="a", status="refused")

    for frame in (refused.to_pandas, refused.to_polars, refused.plot):
        with pytest.raises(NoCount):
            frame()


def test_an_attribute_may_have_the_name_of_a_number():
    """The number's column has another one then."""
    frame = Answer.of(answer_with(["count"], [cell(["x"], 9)])).to_polars()

    assert frame.columns == ["count", "count_", *COLUMNS[1:]]
    assert frame["count_"].to_list() == [9]


def test_bars_have_the_joint_intervals_as_error_bars(answer):
    """The title says so; the axes that were given are drawn on."""
    ax = answer.plot(color="grey")

    assert [bar.get_height() for bar in ax.patches] == [9, 2]
    [errors] = next(each for each in ax.containers if hasattr(each, "has_yerr")).lines[
        2
    ]
    assert [line[:, 1].tolist() for line in errors.get_segments()] == [[3, 15], [0, 8]]
    assert ax.get_title() == "error bars: all rows together, 95 %"
    assert ax.get_xticklabels()[0].get_text() == "F · <20"
    assert answer.table.plot(ax) is ax
    importlib.import_module("matplotlib.pyplot").close("all")


def test_html_shows_counts_intervals_price_and_promise(answer):
    """And what the intervals cover."""
    text = re.sub(r"<[^>]*>", " ", answer._repr_html_())

    words = ["total 11", "9 3 … 15", "all rows together, 95 %", "0.02 ε", "fixed-noise"]
    for each in words:
        assert each in " ".join(text.split())


def test_html_runs_nothing_that_came_from_elsewhere():
    """Names and levels are a declaration's or a client's text, and stay text."""
    evil = "<script>alert(1)</script>"
    answer = Answer.of(answer_with([evil], [cell([evil], 9)]))
    refused = Answer("r", "a", "refused", error_code=evil, error_message=evil)
    assert "alert(1)" in refused._repr_html_()

    told = answer._repr_html_() + answer.table._repr_html_() + refused._repr_html_()

    assert "<script" not in told
    assert "&lt;script" in told
    assert "src=" not in told


def test_html_of_a_price():
    """What it costs, what it is worth and what is left."""
    event = QueryAnswered(request_id="r", client="ada", status="ok", quote=QUOTE)

    told = Answer.of(event)._repr_html_()

    assert told.count(Quote.of(QUOTE)._repr_html_()) == 1
    for words in ("0.02 ε", "± 150 rows with 95 %", "9 ε", "0.5 ε of your quota"):
        assert words in told


def test_a_long_table_is_not_shown_whole():
    """A notebook stays readable; the frame has all of it."""
    many = [cell([str(i)], i) for i in range(400)]

    told = Answer.of(answer_with(["n"], many))._repr_html_()

    assert "and 350 more rows" in told


@pytest.mark.parametrize(
    ("act", "library"),
    [("to_pandas", "pandas"), ("to_polars", "polars"), ("plot", "matplotlib")],
)
def test_a_missing_library_is_named_with_its_extra(answer, monkeypatch, act, library):
    """Nothing else of the answer needs it."""

    def without(name, *args):
        if name.split(".")[0] == library:
            msg = f"No module named {library!r}"
            raise ModuleNotFoundError(msg, name=library)
        return found(name, *args)

    found = importlib.import_module
    monkeypatch.setattr(importlib, "import_module", without)

    with pytest.raises(ExtraMissing, match=rf"{library}.*sigma-client\[notebook\]"):
        getattr(answer, act)()
    assert answer._repr_html_()


def test_an_answer_is_plain_data(answer):
    """It can be kept as JSON, its table included."""
    from dataclasses import asdict

    assert json.loads(json.dumps(asdict(answer)))["table"]["by"] == ["sex", "age"]
