"""What a gateway keeps of the topics it follows."""

from __future__ import annotations

import pytest

from sigmacount.mechanisms import Measure
from streams.wire.codec import encode
from streams.wire.messages.audit_events import EpochAnnounced
from streams.wire.messages.events import QueryAnswered
from streams.wire.messages.standing import StandingQuestion
from tests.shell.test_spending_history import charge, everything
from tests.shell.test_standing_points import answer
from workers.gateway.results import Heard

STANDS = StandingQuestion(client="ada", name="watched", where="sex = 'F'")


@pytest.fixture
def heard():
    """Of a gateway that has a token of ada alone."""
    return Heard("people", lambda client: client == "ada", 1_764_500_400_000)


def test_charges_are_added_up_and_all_else_passed_over(heard):
    """Of this data set; what is no message of ours does no harm."""
    other = charge(2, 50)
    for event in (
        charge(1, 5),
        EpochAnnounced(dataset="people", token=1, served=0, at_ms=1, epoch=1),
        type(other)(
            **{f: getattr(other, f) for f in other.__struct_fields__} | {"dataset": "x"}
        ),
        charge(2, 7),
    ):
        heard.charge(b"", encode(event))
    for value in (b"", b"{", b"[]", b'{"kind":"charge","dataset":"people"}', None):
        heard.charge(b"", value)

    assert heard.spending.total(Measure.EPSILON, everything) == 12


def test_it_says_until_when_the_past_is_not_whole(heard):
    """And where it may not be read at all."""
    assert "is being read" in heard.untold
    heard.told()
    assert heard.untold == ""
    heard.forbidden()
    assert "may not read" in heard.untold


def test_standing_answers_of_those_who_have_a_token_are_kept(heard):
    """No one-off answer, and nothing of others, whose names are many."""
    heard.answer(encode(answer(1)))
    heard.answer(encode(answer(1, client="ben")))
    heard.answer(encode(QueryAnswered(request_id="r", client="ada", status="ok")))
    for value in (b"", b"nonsense", b'{"client":"ada","name":"watched"}'):
        heard.answer(value)

    assert [each.name for each in heard.standing.of("ada")] == ["watched"]
    assert heard.standing.of("ben") == ()


def test_what_stands_is_known_by_its_words_until_it_ends(heard):
    """The record's key must be its own."""
    heard.stands(b"ada/other", encode(STANDS))
    assert heard.standing.of("ada") == ()
    heard.stands(b"ada/watched", encode(STANDS))
    assert heard.standing.one("ada", "watched").question == STANDS

    heard.stands(b"ada/watched", None)

    assert heard.standing.of("ada") == ()
