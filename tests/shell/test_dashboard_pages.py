"""What pages show of a price and of an answer, as values and as HTML."""

from __future__ import annotations

import json
import re

import pytest

from config.declarations import datasets
from dashboard import asset, part, whole
from dashboard.charts import ErrorBar, error_bars
from dashboard.pages.answered import AnswerPage, QuotePage, answer_page, quote_page
from dashboard.pages.ask import ask_page
from dashboard.pages.sign_in import RefusedPage
from streams.wire.messages.events import QueryAnswered, Trouble
from streams.wire.messages.tables import CountTable, Quote, TableCell
from workers.catalog import catalog_of

ODD = "<b>&'\""
QUOTE = Quote(
    measure="epsilon",
    cost=20_000,
    stderr=70.7,
    error=149.0,
    confidence=0.95,
    dataset_left=1_000_000,
)


def answered(**fields):
    """An answer on its way."""
    return QueryAnswered(
        **{"request_id": "r", "client": "ada", "status": "ok"} | fields
    )


def test_a_price_is_the_limit_of_what_is_asked_for_it():
    """In the measure that it was shown in."""
    page = quote_page("people", {"where": {"sex": ["F"]}}, answered(quote=QUOTE))

    assert isinstance(page, QuotePage)
    assert (page.price, page.sql) == (
        "0.02 ε",
        "SELECT COUNT(*) FROM people WHERE sex = 'F'",
    )
    asked = json.loads(page.body)
    assert asked["max_cost"] == 20_000
    assert asked["max_cost_measure"] == "epsilon"
    text = part("parts/quote.html", page)
    assert "Ask, for 0.02 ε" in text
    assert "± 149 rows" in text


def test_what_cannot_be_afforded_has_no_button():
    """It says what is left."""
    dear = Quote(
        **{n: getattr(QUOTE, n) for n in QUOTE.__struct_fields__}
        | {"affordable": False}
    )

    text = part("parts/quote.html", quote_page("people", {}, answered(quote=dear)))

    assert "<button" not in text
    assert "more than what is left" in text


def test_an_answer_that_would_cost_more_comes_back_as_its_new_price():
    """With the reason, and a button for the new one."""
    trouble = Trouble(code="above_max_cost", message="it costs more now.")
    event = answered(status="refused", quote=QUOTE, error=trouble)

    page = answer_page("people", "ada", {"max_cost": 0}, event)

    assert isinstance(page, QuotePage)
    assert page.trouble == "It costs more now."
    assert json.loads(page.body)["max_cost"] == 20_000


@pytest.mark.parametrize("status", ["refused", "invalid", "expired"])
def test_a_refusal_says_why(status):
    """In the service's words, whatever letters they hold."""
    trouble = Trouble(code="any", message=f"no {ODD}")

    page = answer_page("people", "ada", {}, answered(status=status, error=trouble))

    assert isinstance(page, RefusedPage)
    text = part("parts/refused.html", page)
    assert "No &lt;b&gt;&amp;&#39;&#34;" in text


def test_a_table_has_a_bar_and_an_error_bar_for_each_row():
    """Every figure of the picture stands beside it."""
    cells = tuple(
        TableCell(levels=(level,), count=n, stderr=1.0, interval=(n, n), joint=joint)
        for level, n, joint in (("Lyon", 50, (30, 100)), (None, 0, (-9, 20)))
    )
    table = CountTable(by=("city",), rows=cells, cells=2)

    page = answer_page(
        "people", "ada", {"by": ["city"]}, answered(count=50, table=table)
    )

    assert isinstance(page, AnswerPage)
    lyon, null = page.table.rows
    assert (lyon.levels, lyon.bar) == (("Lyon",), ErrorBar(500, 300, 1_000))
    assert (null.levels, null.bar) == (("NULL",), ErrorBar(0, 0, 200))
    text = part("parts/answer.html", page)
    assert text.count("<svg") == text.count("<rect") == 2
    assert "30 … 100" in text


def test_bars_of_nothing_are_nothing():
    """No count is divided by, and nothing is drawn below zero."""
    assert error_bars([(0, (-5, 0))]) == (ErrorBar(0, 0, 0),)
    assert error_bars([(0, (-5, 10))]) == (ErrorBar(0, 0, 1_000),)
    assert error_bars([]) == ()


def test_a_page_names_its_files_by_their_hash_and_escapes_what_it_shows():
    """The one who is signed in has a name that somebody else chose."""
    page = ask_page(catalog_of(datasets.load("people")), {"where": (ODD,)})

    text = whole("ask.html", page, "/", ODD)

    assert ODD not in text
    assert "&lt;b&gt;" in text
    assert 'aria-current="page"' in text
    for name in re.findall(r"/static/([^?\"]+)\?v=([0-9a-f]{12})", text):
        assert asset(name[0]).address.endswith(name[1])
    assert asset("../rendering.py") is None
    assert asset("vendored.toml") is None
