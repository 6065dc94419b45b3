"""Questions that are made to stand over HTTP and on a page, by their client alone."""

from __future__ import annotations

import asyncio
import json

import pytest

from sigmacount.errors import Mismatch
from streams.wire.messages.standing import StandingQuestion
from tests.fixtures.gateway_app import GatewayInMemory
from workers.gateway import new_token
from workers.gateway.open_api import document
from workers.gateway.results.standing import MOST_OF_ONE

WOMEN = {"where": "sex = 'F'", "every": 6}


@pytest.fixture
def gateway(tmp_path):
    """A gateway in memory, whose broker is soon found to be silent."""
    return GatewayInMemory(tmp_path, {"answer_seconds": 0.2})


def program(gateway, client="ada"):
    """Sends a method, an address and a body with the client's token."""
    token = new_token(gateway.tokens, client)
    web = gateway.client()
    del web.headers["cookie"]
    web.headers["authorization"] = f"Bearer {token}"

    def sent(method, path="", body=None):
        reply = web.request(method, f"/v1/standing{path}", json=body)
        return reply.status_code, reply.json()

    return sent


def test_it_stands_under_its_clients_name_until_that_client_ends_it(gateway):
    """As a record and a tombstone of the topic, and in the list."""
    ada = program(gateway)

    status, said = ada("PUT", "/women", WOMEN)
    assert (status, said["client"], said["every"]) == (202, "ada", 6)
    assert ada("GET") == (200, {"questions": [said]})
    assert ada("DELETE", "/women") == (202, {"name": "women"})
    assert ada("GET") == (200, {"questions": []})

    [(topic, key, event), (_, again, end)] = gateway.published.sent
    assert topic.name == "sigma.standing"
    assert key == again == "ada/women"
    assert event == StandingQuestion(client="ada", name="women", **WOMEN)
    assert end is None


def test_nobody_ends_what_another_asked(gateway):
    """By its name, or by a name that would reach into another's keys."""
    ada, ben = program(gateway), program(gateway, "ben")
    ada("PUT", "/women", WOMEN)

    ben("DELETE", "/women")
    ben("PUT", "/women", {"by": ["city"]})
    for path in ("/ada/women", "/..%2fada%2fwomen", "/%2Fwomen"):
        assert ben("DELETE", path)[0] == 404
    web = gateway.client()
    for name in ("x/women", "/women", ""):
        assert web.post("/live/end", data={"name": name}).status_code == 400

    assert [key for _, key, _ in gateway.published.sent[1:]] == ["ben/women"] * 2
    assert [each.name for each in gateway.heard.stood.of("ada")] == ["women"]


@pytest.mark.parametrize(
    "body",
    [
        {"client": "ben"},
        {"name": "men"},
        {"v": 1},
        {"price": True},
        {"every": 0},
        {"max_cost": -1},
        {"where": 7},
        [],
    ],
)
def test_what_cannot_stand_is_refused(gateway, body):
    """Whoever it names; nothing is sent."""
    status, said = program(gateway)("PUT", "/women", body)

    assert status == 400
    assert said["error"]["code"] == "invalid_request"
    assert gateway.published.sent == []
    long = program(gateway)("PUT", "/" + "é" * 200, {})
    assert long[0] == 400


def test_one_client_has_so_many_and_may_replace_them(gateway):
    """More would fill a topic that is kept for good."""
    ada, ben = program(gateway), program(gateway, "ben")
    for number in range(MOST_OF_ONE):
        gateway.heard.made(StandingQuestion(client="ada", name=f"n{number}"))

    status, said = ada("PUT", "/more", {})

    assert (status, said["error"]["code"]) == (422, "too_many_standing")
    assert ada("PUT", "/n7", WOMEN)[0] == ben("PUT", "/more", {})[0] == 202


async def forbidden(*_):
    """The topic is not granted."""
    raise Mismatch


async def silent(*_):
    """The broker does not answer."""
    await asyncio.sleep(60)


@pytest.mark.parametrize(
    ("send", "status", "code"),
    [(forbidden, 403, "standing_not_granted"), (silent, 504, "no_answer")],
)
def test_what_was_not_taken_is_not_said_to_stand(gateway, send, status, code):
    """Nor to be ended."""
    ada = program(gateway)
    gateway.published.send = send

    for method, body in (("PUT", WOMEN), ("DELETE", None)):
        found, said = ada(method, "/women", body)
        assert (found, said["error"]["code"]) == (status, code)
    assert ada("GET")[1] == {"questions": []}


def test_a_page_keeps_asking_for_nothing(gateway):
    """What was asked at a price stands without one, and is ended where it is shown."""
    web = gateway.client()
    body = {"where": {"sex": ["F"]}, "max_cost": 9, "max_cost_measure": "epsilon"}
    answer = web.post("/ask/answer", data={"question": json.dumps(body)}).text
    assert 'action="/ask/keep"' in answer
    assert "max_cost" not in answer[answer.index("/ask/keep") :].split("</form>")[0]
    question = json.dumps({"where": body["where"]})

    kept = web.post(
        "/ask/keep", data={"question": question, "name": "<b>", "every": "2"}
    )
    assert "in each 2 epochs once" in kept.text
    assert "<b>" not in kept.text
    assert "&lt;b&gt;" in web.get("/live").text
    assert web.post("/live/end", data={"name": "<b>"}).headers["location"] == "/live"
    assert "&lt;b&gt;" not in web.get("/live").text

    [stands] = [e for _, _, e in gateway.published.sent if hasattr(e, "every")]
    assert (stands.max_cost, stands.where) == (None, body["where"])


@pytest.mark.parametrize("every", ["", "x", "0", "-1", "1.5", "9" * 5_000])
def test_how_often_is_a_number_of_epochs(gateway, every):
    """Or the form is refused in words."""
    fields = {"question": "{}", "name": "women", "every": every}

    assert gateway.client().post("/ask/keep", data=fields).status_code == 400
    assert gateway.published.sent == []


def test_the_document_has_every_address_for_programs(gateway):
    """With its methods, whatever is added."""
    served = {
        (route.path, method.lower())
        for route in gateway.app.routes
        for method in route.methods - {"HEAD"}
        if route.path.startswith("/v1/")
    }

    said = {
        (path, method)
        for path, acts in document()["paths"].items()
        for method in acts
        if method != "parameters"
    }
    assert said == served
