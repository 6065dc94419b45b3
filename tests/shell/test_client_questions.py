"""A question as it travels: one name or several, options once."""

from dataclasses import asdict, fields

import msgspec
import pytest

from sigmaclient import Answer, Question, Quote, Row
from sigmaclient.question import Options
from streams.wire.codec import decode, encode
from streams.wire.messages import tables
from streams.wire.messages.events import QueryAnswered, QueryAsked
from tests.fixtures.tables import QUOTE, answer_with, cell


def test_every_field_travels():
    """A field that the wire gains is one of the question, or this says which is not."""
    travels = set(QueryAsked.__struct_fields__) - {"v", "request_id", "client"}

    assert {each.name for each in fields(Question)} == travels
    assert set(Options.__annotations__) == travels - {"where"}


def test_a_question_is_asked_as_it_was_meant():
    """One attribute may be text; what was left out has the wire's default."""
    asked = Question(
        {"sex": ["F"]},
        by="age",
        having={"ge": 100},
        order_by=("-count", "age"),
        limit=3,
        max_cost=0,
        error=50,
        confidence=0.9,
    )

    travelled = decode(QueryAsked, encode(asked.event("r", "ada")))

    assert (travelled.request_id, travelled.client) == ("r", "ada")
    assert travelled.by == ("age",)
    assert travelled.order_by == ("-count", "age")
    assert (travelled.having, travelled.limit) == ({"ge": 100}, 3)
    assert (travelled.max_cost, travelled.error, travelled.confidence) == (0, 50, 0.9)
    assert travelled.price is False
    plain = Question("sex = 'F'").event("r", "ada")
    assert plain == QueryAsked(request_id="r", client="ada", where="sex = 'F'")


def test_options_beside_a_question_are_refused():
    """It would not be clear which of them counts."""
    assert Question.of("x", by="age") == Question("x", by="age")
    assert Question.of(Question("x")) == Question("x")
    with pytest.raises(TypeError, match="price"):
        Question.of(Question("x"), price=True)


def test_a_quote_shows_every_field_there_is():
    """By their names on the wire."""
    quote = Quote.of(QUOTE)

    assert asdict(quote) == msgspec.to_builtins(QUOTE) | {
        "fresh_left": None,
        "affordable": True,
    }
    assert set(asdict(quote)) == set(tables.Quote.__struct_fields__)
    assert (quote.free, quote.width) == (False, 300)


def test_a_table_shows_every_field_there_is():
    """Its rows are values, and travel on as they came."""
    wire = answer_with(["sex"], [cell(["F"], 9), cell([None], 2)], hidden=1)

    answer = Answer.of(wire)

    assert {each.name for each in fields(Row)} == set(
        tables.TableCell.__struct_fields__
    )
    assert answer.table.rows[1].levels == (None,)
    sent = msgspec.convert(answer.table.as_dict(), tables.CountTable)
    assert sent == wire.table
    assert len(answer.table) == 2


def test_a_price_is_no_count():
    """``require`` says so; nothing was spent."""
    event = QueryAnswered(request_id="r", client="ada", status="ok", quote=QUOTE)

    answer = Answer.of(event)

    assert not answer.ok
    assert answer.cost == "nothing"
