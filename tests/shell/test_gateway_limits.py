"""How much a gateway takes of one client, and what it takes for a question."""

from __future__ import annotations

import json

import pytest

from workers.gateway.bodies import asked_in
from workers.gateway.entrance.limits import RateLimits
from workers.gateway.open_api import document
from workers.gateway.refusals import RequestRefused


def asked(said, *, price=False):
    """What a body of this JSON asks, of a client called ada, five at once at most."""
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    return asked_in(body, "ada", 5, price=price)


def test_a_bucket_refills_and_what_is_refused_takes_nothing():
    """Three at once, one every two seconds; each client has its own."""
    now = [0.0]
    rates = RateLimits(0.5, 3, lambda: now[0])

    assert rates.wait("ada", 3) == 0
    assert rates.wait("ada", 2) == 4
    assert rates.wait("ben", 3) == 0
    now[0] = 2.0
    assert rates.wait("ada", 2) == 2
    assert rates.wait("ada", 1) == 0
    now[0] = 1_000.0
    assert rates.wait("ada", 3) == 0
    assert rates.wait("ada", 1) == 2


def test_the_name_comes_from_the_token_and_the_id_from_the_gateway():
    """Two questions of one batch have two ids."""
    one = asked({"questions": [{"where": "age < 30"}, {"by": ["sex"]}]})

    assert [event.client for event in one.events] == ["ada", "ada"]
    assert len({event.request_id for event in one.events}) == 2
    assert one.batch


@pytest.mark.parametrize("field", ["client", "request_id", "v", "maxcost", "questions"])
def test_a_field_that_is_none_of_a_questions_is_refused(field):
    """Who asks is no part of it, and a misspelt limit would be none."""
    with pytest.raises(RequestRefused):
        asked({"where": "age < 30", field: "ben"})


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\xff",
        b"[]",
        b"[" * 10_000,
        {"where": 7},
        {"where": "x" * 20_000},
        {"where": "é" * 10_000},
        {"max_cost": -1},
        {"questions": []},
        {"questions": [{}] * 6},
        {"questions": [[]]},
        {"questions": {}},
    ],
)
def test_nonsense_is_refused_and_nothing_of_it_is_quoted(said):
    """With the status of an invalid request."""
    with pytest.raises(RequestRefused) as refused:
        asked(said)

    assert refused.value.status == 400
    assert "xxx" not in refused.value.message
    assert "nothing was asked" in refused.value.message


def test_a_price_is_asked_for_whatever_the_body_says():
    """Nothing is charged by that page."""
    (event,) = asked({"where": "age < 30", "price": False}, price=True).events

    assert event.price


def test_a_question_of_change_has_the_version_that_knows_it():
    """Others would leave ``since`` out, and count."""
    (event,) = asked({"since": "1h"}).events

    assert event.v == 2


def test_the_document_names_each_field_of_a_question_and_none_of_ours():
    """It is made from the messages."""
    fields = document()["components"]["schemas"]["HttpQuestion"]["properties"]

    assert {"where", "by", "max_cost", "since"} <= fields.keys()
    assert not fields.keys() & {"client", "request_id", "v"}
