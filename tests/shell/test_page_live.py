"""The page Live: standing questions as curves with bands, and net changes."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from dashboard import part, whole
from dashboard.history import StandingPoints
from dashboard.pages.live import NEWEST, change_part, live_page
from streams.wire.messages.events import QueryAnswered, Trouble
from streams.wire.messages.standing import StandingQuestion
from tests.fixtures.catalogs import published
from tests.shell.test_standing_points import answer

NOON = 1_764_500_400_000


@pytest.fixture
def held():
    """A question that was answered in twenty epochs."""
    made = StandingPoints()
    made.stands(StandingQuestion(client="ada", name="watched", where="sex = 'F'"))
    for epoch in range(1, 21):
        made.take(answer(epoch, as_of_ms=NOON + epoch * 1_000))
    return made


def shown(held, catalog=None):
    """The page of ada."""
    return live_page(held.of("ada"), catalog or published("rho"), NOON)


def test_a_curve_has_its_band_and_a_table_its_newest_points(held):
    """The same numbers in both."""
    [question] = shown(held).questions

    [line] = question.curve.lines
    assert line.values == tuple(range(1, 21))
    assert line.low == tuple(range(-1, 19))
    assert len(question.points) == NEWEST
    assert (question.points[0].epoch, question.points[0].between) == ("20", "18 … 22")
    assert question.asks == "sex = 'F'"


def test_what_the_script_reads_is_what_the_page_says(held):
    """JSON in an attribute, whatever is in a name."""
    held.stands(StandingQuestion(client="ada", name='"><b>&', where=""))
    held.take(answer(1, name='"><b>&'))
    text = whole("live.html", shown(held), "/live", "ada")

    curves = [
        json.loads(unescape(c)) for c in re.findall(r'data-curve="([^"]*)"', text)
    ]
    assert [curve["title"] for curve in curves] == ['"><b>&', "watched"]
    assert "<b>&" not in text
    assert len(curves[1]["at"]) == len(curves[1]["lines"][0]["low"]) == 20


def test_without_a_past_the_page_says_how_far_back_it_goes():
    """As after a restart: what stands is named, and waits for the next epoch."""
    made = StandingPoints()
    assert "No standing question" in part("parts/live.html", shown(made))
    made.stands(StandingQuestion(client="ada", name="watched", where=""))

    text = whole("live.html", shown(made), "/live", "ada")

    assert "listens since 2025-11-30 11:00:00 UTC" in text
    assert "no answer was heard yet" in text
    assert "every row" in text


def test_another_question_of_the_name_begins_anew(held):
    """Its curve would be of two questions."""
    held.stands(StandingQuestion(client="ada", name="watched", where="sex = 'M'"))

    [question] = shown(held).questions
    assert question.newest is None


def test_a_refusal_is_shown_with_what_to_do(held):
    """In the words of the answer."""
    refused = {"status": "refused", "count": None}
    trouble = Trouble(code="above_max_cost", message="it costs 0.02 ε: allow it")
    held.take(answer(21, **refused, error=trouble))

    assert "it costs 0.02 ε: allow it" in part("parts/live.html", shown(held))


@pytest.mark.parametrize(
    ("rule", "told"), [("continual", True), ("fixed-noise", False)]
)
def test_changes_are_offered_where_noise_protects_them(held, rule, told):
    """Under fixed noise the difference would be exact."""
    page = shown(held, published(rule=rule))
    text = whole("live.html", page, "/live", "ada")

    assert page.changes_told is told
    assert ("/live/change" in text) is told
    assert ("each change is protected" in text) is told


def test_a_net_change_has_an_error_of_its_own():
    """With sign, between, since when, and what is promised."""
    said = QueryAnswered(
        request_id="r",
        client="ada",
        status="ok",
        count=-12,
        interval=(-31, 7),
        stderr=9.8,
        confidence=0.95,
        epoch=4_118,
        as_of_ms=NOON + 3_600_000,
        since_epoch=4_112,
        since_ms=NOON,
    )

    text = part("parts/change.html", change_part("sex = 'F'", said))

    for words in ("-12", "-31 and +7", "9.8 rows", "epoch 4,112", "nothing"):
        assert words in text


def test_a_change_that_is_not_told_says_why():
    """An alert that a screen reader reads."""
    trouble = Trouble(code="since_too_early", message="ask since 11:00")
    refused = QueryAnswered(
        request_id="r", client="ada", status="refused", error=trouble
    )

    text = part("parts/change.html", change_part("", refused))

    assert "ask since 11:00" in text
    assert 'role="alert"' in text
