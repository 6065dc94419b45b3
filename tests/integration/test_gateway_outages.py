"""A gateway over TLS, for sites that are named, while what is behind it goes away."""

from __future__ import annotations

import http.client
import json
import os
import signal
import ssl
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

import pytest

from config.gateway import GatewaySettings
from embedded.kafka_server import EmbeddedKafka
from embedded.local_gateway import LocalGateway
from tests.fixtures.certificates import Authority
from tests.fixtures.kafka_server import Broker, await_answer
from tests.fixtures.people_service import people_service
from tests.fixtures.proxy import HOST, Proxy
from tests.fixtures.until import until
from tests.fixtures.worker_processes import about

pytestmark = [pytest.mark.kafka, pytest.mark.integration, pytest.mark.redis]

PATIENCE = 2.0  # seconds that a question is waited for
FREE = {"where": "city = 'Lyon'", "max_cost": 0}
CHARTS, MORE = "https://charts.example.org", "https://more.example.org"
OTHER = "https://other.example.org"


class Secure:
    """A client that trusts one authority."""

    def __init__(self, gateway, authority):
        self.port, self.clear = gateway.port, gateway
        self._token = gateway.token_file.read_text().strip()
        self._trust = ssl.create_default_context(cafile=authority.ca)

    def sent(self, method, path, body=None, trust=None, **headers):
        """Status, headers and what the reply says."""
        connection = http.client.HTTPSConnection(
            HOST, self.port, timeout=60, context=trust or self._trust
        )
        with closing(connection):
            said = None if body is None else json.dumps(body)
            bearer = {"Authorization": f"Bearer {self._token}"}
            connection.request(method, path, said, bearer | headers)
            reply = connection.getresponse()
            text = reply.read()
            return reply.status, reply.headers, text

    def asked(self):
        """Status of a free question, and its code or its count."""
        status, _, text = self.sent("POST", "/v1/ask", FREE)
        said = json.loads(text)
        return status, said["error"]["code"] if "error" in said else said["count"]

    def plan(self):
        """Status of the plan, and the code of its refusal."""
        status, headers, text = self.sent("GET", "/v1/plan")
        return status, headers, json.loads(text).get("error", {}).get("code")


@contextmanager
def silent(pid):
    """It takes connections and answers nobody."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A service on a broker of its own, a gateway, and the way from it to the store."""
    folder = tmp_path_factory.mktemp("outages")
    authority = Authority(folder)
    server = authority.vouch("gateway")
    gateway = LocalGateway.of(GatewaySettings(port=0), folder)
    with EmbeddedKafka() as kafka:
        await_answer(kafka.bootstrap)
        with people_service(Broker(kafka.bootstrap, "embedded"), folder) as service:
            url = service.processes.place.urls["dashboard"]
            with Proxy(HOST, urlsplit(url).port) as store:
                settings = gateway.environment() | {
                    "SIGMA_GATEWAY_CERTIFICATE_FILE": str(server.certificate),
                    "SIGMA_GATEWAY_KEY_FILE": str(server.key),
                    "SIGMA_GATEWAY_ORIGINS": f"{CHARTS}, {MORE}",
                    "SIGMA_GATEWAY_ANSWER_SECONDS": str(PATIENCE),
                    "SIGMA_REDIS_URL": store.url(url),
                    "SIGMA_REDIS_TIMEOUT_SECONDS": "0.5",
                }
                [member] = service.processes.start("gateway", 1, **settings)
                service.processes.wait(lambda: about(member).get("ready"))
                web = Secure(gateway, authority)
                yield web, service, member, store, kafka


def test_over_tls_it_is_reached_by_who_trusts_it(served):
    """By nobody else, and never in the clear, so that no token is."""
    web, _, member, *_ = served

    assert web.asked()[0] == 200
    with pytest.raises(ssl.SSLCertVerificationError):
        web.sent("GET", "/v1/plan", trust=ssl.create_default_context())
    with pytest.raises((http.client.HTTPException, OSError)):
        web.clear.replied("v1/openapi.json")
    assert "tokens_in_the_clear" not in member.log.read_text()


@pytest.mark.parametrize("origin", [CHARTS, MORE, OTHER])
def test_pages_of_a_named_site_may_call_it_and_of_no_other(served, origin):
    """Before they send anything, and when they read the reply."""
    web, named = served[0], origin != OTHER
    asks = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, content-type",
    }

    status, before, _ = web.sent("OPTIONS", "/v1/ask", **asks)
    _, then, _ = web.sent("GET", "/v1/plan", Origin=origin)

    for headers in (before, then):
        allowed = headers.get("access-control-allow-origin")
        assert allowed == (origin if named else None)
        assert "access-control-allow-credentials" not in headers
    assert (status == 200) is named


def test_while_the_store_is_away_it_says_so_and_questions_are_answered(served):
    """Of pages that need it; what answers is elsewhere. Then it is back by itself."""
    web, *_, store, _ = served
    assert web.plan()[0] == 200

    store.stall()
    status, headers, code = web.plan()
    asked = web.asked()
    store.resume()

    assert (status, code) == (503, "store_unavailable")
    assert int(headers["retry-after"]) >= 1
    assert asked[0] == 200
    assert until(lambda: web.plan()[0] == 200)


def test_a_question_that_nobody_answers_is_told_so_in_time(served):
    """And the next one is answered, when there is somebody."""
    web, service, *_ = served
    [responder] = [m for m in service.processes.members if m.role == "responder"]

    with silent(responder.process.pid):
        late = web.asked()

    assert late == (504, "no_answer")
    assert until(lambda: web.asked()[0] == 200)


def test_while_the_broker_is_away_nobody_waits_longer_than_was_promised(served):
    """It goes on when the broker does; no request id is left behind."""
    web, service, member, _, kafka = served

    with silent(kafka.pid):
        late = [web.asked() for _ in range(2)]
        plan = web.plan()

    assert late == [(504, "no_answer")] * 2
    assert plan[0] == 200
    assert until(lambda: web.asked()[0] == 200)
    assert service.processes.wait(lambda: about(member).get("in_flight") == 0)
