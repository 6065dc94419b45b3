"""Clients by other makers: rows are counted, questions answered, prices said."""

from __future__ import annotations

import json

import pytest

from tests.fixtures.kafka_clients import CLIENTS, Errand
from tests.fixtures.people_service import people_service
from tests.fixtures.until import until

pytestmark = [pytest.mark.kafka, pytest.mark.integration, pytest.mark.one_broker]

PEOPLE = 40  # of each client
FRESH = 20_000  # µε: the operator's price of a question that no algebra holds


@pytest.fixture(scope="module")
def service(kafka, redis_server, tmp_path_factory):
    """One for all clients; each sends rows of its own."""
    with people_service(kafka, redis_server, tmp_path_factory.mktemp("p")) as running:
        yield running


def counted(service):
    """How many people the counters hold: a row in a wrong partition is not taken."""
    return sum(service.books.row_map().values())


def rows_of(client):
    """Forty people of the client's own, as its producer sends them."""
    for number in range(PEOPLE):
        id_ = f"{client.__name__}-{number}"
        city = ("Oslo", "Paris", "Rome")[number % 3]
        row = {"sex": "F", "city": city, "job": "cook"}
        yield id_, json.dumps({"op": "insert", "id": id_, "row": row})


def questions_of(client):
    """A plain one, the price of one that no algebra holds, and a limit."""
    plain = {"where": "city = 'Oslo'"}
    price = {"where": "job = 'cook'", "price": True}
    limit = {"where": "job = 'cook'", "max_cost": 0}
    kinds = {"plain": plain, "price": price, "limit": limit}
    return [
        {"request_id": f"{client.__name__}-{kind}", "client": client.__name__} | asked
        for kind, asked in kinds.items()
    ]


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.__name__)
def test_it_sends_rows_and_hears_answers(service, client):
    """Rows lie where counters look for them; every answer finds its question."""
    before = counted(service)
    errand = Errand.to(service, list(rows_of(client)), questions_of(client))

    heard = client(errand, service)

    assert {request: echoed for request, echoed, _ in heard} == {
        request: f"re {request}" for request in errand.requests
    }
    answers = {request.rpartition("-")[2]: answer for request, _, answer in heard}
    assert answers["plain"]["status"] == "ok"
    assert answers["price"]["quote"]["cost"] == FRESH
    assert "count" not in answers["price"]
    assert answers["limit"]["error"]["code"] == "above_max_cost"
    until(lambda: counted(service) == before + PEOPLE)
