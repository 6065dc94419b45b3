"""Asked over HTTP: a gateway, as a process of its own, in front of a whole service."""

from __future__ import annotations

import json
import signal

import pytest

from tests.fixtures.gateway_service import gateway_service
from tests.fixtures.until import until
from tests.fixtures.worker_processes import page
from workers.gateway import new_token

pytestmark = [pytest.mark.kafka, pytest.mark.integration, pytest.mark.one_broker]

FRESH = 20_000  # µε: the operator's price of a question that no algebra holds
BODY = 20_000  # bytes
BATCH = 5


@pytest.fixture(scope="module")
def served(kafka, tmp_path_factory):
    """A service, and a gateway in front of it."""
    settings = {
        "SIGMA_GATEWAY_BODY_BYTES": str(BODY),
        "SIGMA_GATEWAY_BATCH": str(BATCH),
        "SIGMA_GATEWAY_RATE": "0.5",
        "SIGMA_GATEWAY_BURST": "200",
    }
    folder = tmp_path_factory.mktemp("gateway")
    with gateway_service(kafka, folder, **settings) as found:
        yield found


@pytest.fixture
def web(served):
    """The gateway's client."""
    return served[0]


def test_a_question_that_the_plan_holds_is_free(web):
    """In the client's name, which the token says."""
    status, answer = web.post("/v1/ask", {"where": "city = 'Lyon'"})

    assert status == 200, answer
    assert (answer["status"], answer["client"]) == ("ok", "ada")
    assert "spent" not in answer
    assert answer["count"] >= 0


def test_a_question_that_costs_is_charged_once(web):
    """Its price first, which charges nothing; asked again it is free."""
    before = web.get("/v1/budget")["spent"]
    question = {"where": "age >= 30"}

    _, quoted = web.post("/v1/price", question)
    assert quoted["quote"]["cost"] == FRESH
    assert "count" not in quoted
    assert web.get("/v1/budget")["spent"] == before
    _, first = web.post("/v1/ask", question)
    _, again = web.post("/v1/ask", question)

    assert first["spent"] == {"measure": "epsilon", "units": FRESH}
    assert web.get("/v1/budget")["spent"] >= before + FRESH
    assert again["epoch"] > first["epoch"] or again["count"] == first["count"]


def test_a_limit_on_the_cost_refuses_with_the_price(web):
    """With a status of its own."""
    status, said = web.post("/v1/ask", {"where": "age >= 60", "max_cost": 0})

    assert status == 422
    assert said["error"]["code"] == "above_max_cost"
    assert said["quote"]["cost"] == FRESH


def test_a_batch_is_answered_in_its_order(web):
    """Each by itself: one that is wrong harms no other."""
    asked = [{"where": "sex = 'F'"}, {"where": "sex = = 'F'"}, {"by": ["city"]}]

    status, said = web.post("/v1/ask", {"questions": asked})

    assert status == 200, said
    one, wrong, table = said["answers"]
    assert (one["status"], wrong["status"], table["status"]) == ("ok", "invalid", "ok")
    assert table["table"]["by"] == ["city"]
    assert web.post("/v1/ask", asked[1])[0] == 400
    assert web.post("/v1/ask", {"questions": asked * BATCH})[0] == 400


def test_a_field_that_is_not_known_is_refused(web):
    """Nobody asks in another's name."""
    for field in ("client", "request_id", "maxcost"):
        status, said = web.post("/v1/ask", {"where": "sex = 'F'", field: "ben"})

        assert status == 400
        assert said["error"]["code"] == "invalid_request"
        assert "ben" not in said["error"]["message"]


@pytest.mark.parametrize("token", ["sigma_wrong", "x" * 5_000])
@pytest.mark.parametrize("path", ["/v1/ask", "/v1/price"])
def test_a_stranger_is_let_in_nowhere(web, path, token):
    """Before a body is looked at."""
    status, headers, said = web.sent("POST", path, b"nonsense", token=token)

    assert status == 401
    assert headers["www-authenticate"] == "Bearer"
    assert said["error"]["code"] == "unauthorised"
    for other in ("/v1/schema", "/v1/plan", "/v1/budget"):
        assert web.sent("GET", other, token=token)[0] == 401


def test_a_long_body_is_refused(web):
    """Whether or not it says how long it is."""
    status, said = web.post("/v1/ask", b" " * (BODY + 1))

    assert status == 413
    assert said["error"]["code"] == "request_too_large"


def test_what_may_be_asked_and_the_plan_are_told(web):
    """The catalog of the curator, and the head that is served."""
    schema, plan = web.get("/v1/schema"), web.get("/v1/plan")

    assert schema["dataset"] == "people"
    assert {each["name"] for each in schema["attributes"]} == {"age", "city", "sex"}
    assert plan["epoch"] > 0
    assert plan["plan"]
    assert web.get("/v1/openapi.json")["openapi"].startswith("3.1")


def test_no_other_site_may_call_it(web):
    """CORS is closed unless a site is named."""
    origin = {"Origin": "https://example.org"}
    status, headers, _ = web.sent("OPTIONS", "/v1/ask", **origin)

    assert status == 405
    assert "access-control-allow-origin" not in headers
    _, headers, _ = web.sent("GET", "/v1/schema", **origin)
    assert "access-control-allow-origin" not in headers
    assert headers["cache-control"] == "no-store"


def test_who_asks_too_often_waits_and_nobody_else(web):
    """The rate is a client's own."""
    ben = new_token(web.folder / "tokens", "ben")

    def refused():
        status, headers, said = web.sent("GET", "/v1/budget", token=ben)
        return (status, headers, said) if status != 200 else None

    status, headers, said = until(refused)

    assert (status, said["error"]["code"]) == (429, "too_many_requests")
    assert int(headers["retry-after"]) >= 1
    assert web.get("/v1/budget")


def test_the_operator_sees_requests_and_no_client(served):
    """On the worker's own port."""
    web, _, member = served
    web.get("/v1/schema")

    shown = page(member, "metrics")

    assert 'sigma_http_requests_total{act="schema",status="200"}' in shown
    assert 'sigma_http_seconds_count{act="schema"}' in shown
    assert "sigma_http_in_flight 0.0" in shown
    assert "ada" not in shown


def answers(heard, number):
    """The next so many answers of a stream."""
    found = (json.loads(data) for event, _, data in heard if event == "answer")
    return [next(found) for _ in range(number)]


def test_answers_come_as_they_are_given(served):
    """All of one's own, and nobody else's; the operator sees how many listen."""
    web, service, member = served
    eve = new_token(web.folder / "tokens", "eve")
    with web.stream() as heard, web.stream(eve) as others:
        assert [next(heard)[0], next(others)[0]] == ["open", "open"]
        _, first = web.post("/v1/ask", {"where": "sex = 'F'"})
        _, second = web.post("/v1/ask", {"where": "city = 'Paris'"}, token=eve)

        [mine] = answers(heard, 1)
        [theirs] = answers(others, 1)
        listen = "sigma_http_listeners 2.0"
        service.processes.wait(lambda: listen in page(member, "metrics"))

    assert mine == first
    assert theirs == second
    assert theirs["client"] == "eve"


def test_who_comes_back_is_told_that_something_may_be_missing(web):
    """Nothing is kept, and nothing sent again."""
    with web.stream(**{"Last-Event-ID": "any"}) as heard:
        assert next(heard)[0] == "open"
        event, _, said = next(heard)

    assert event == "missed"
    assert json.loads(said)["code"] == "not_replayed"


def test_a_token_that_is_taken_away_ends_its_stream(web):
    """Though the connection was open before."""
    tokens = web.folder / "tokens"
    before = tokens.read_text()
    with web.stream(new_token(tokens, "gone")) as heard:
        assert next(heard)[0] == "open"
        tokens.write_text(before)

        *_, (event, _, said) = heard

    assert event == "end"
    assert json.loads(said)["code"] == "unauthorised"


def test_it_ends_when_it_is_told_to(served):
    """With 0, and who listens is told; the last test of this gateway."""
    web, service, member = served
    with web.stream() as heard:
        assert next(heard)[0] == "open"

        member.process.send_signal(signal.SIGTERM)

        *_, (event, _, said) = heard
    assert (event, json.loads(said)["code"]) == ("end", "stopping")
    assert service.processes.wait(lambda: member.process.poll() is not None)
    assert member.process.poll() == 0
