"""The pages of a gateway beside Ask, in front of a service that counts changes."""

from __future__ import annotations

import html
import re
from functools import partial
from urllib.parse import urlencode

import pytest
from kafka import KafkaProducer

from streams.wire.codec import encode
from streams.wire.messages.standing import StandingQuestion
from tests.fixtures.browser import PHONE, WIDE, browser_at
from tests.fixtures.gateway_service import gateway_service
from tests.fixtures.until import until
from workers.gateway import new_token

pytestmark = [pytest.mark.kafka, pytest.mark.integration, pytest.mark.one_broker]

PRIVACY = {"SIGMA_PRIVACY_RULE": "continual", "SIGMA_PRIVACY_HORIZON": "1024"}
WATCHED = ("women", "sex = 'F'")
PAGES = ("/live", "/plan", "/budget", "/promise", "/health")


class Reader:
    """A browser without scripts: who is signed in, and the text of a page."""

    def __init__(self, web, token):
        self._web, self._token = web, token

    def page(self, path, **headers):
        """Its status, headers and text; whitespace counts once."""
        cookie = {"Cookie": f"sigma_token={self._token}"}
        status, said, body = self._web.raw("GET", path, **cookie | headers)
        plain = re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", body.decode())
        return status, said, re.sub(r"\s+", " ", html.unescape(plain))

    def text(self, path, **headers):
        """The text of a page that is there."""
        status, _, text = self.page(path, **headers)
        assert status == 200, text
        return text

    def sent(self, path, **fields):
        """The text of what answers a form."""
        headers = {
            "Cookie": f"sigma_token={self._token}",
            "Content-Type": "application/x-www-form-urlencoded",
            "Sec-Fetch-Site": "same-origin",
            "HX-Request": "true",
        }
        body = urlencode(fields).encode()
        status, _, text = self._web.raw("POST", path, body, **headers)
        assert status == 200, text
        return re.sub(
            r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", text.decode()))
        )


@pytest.fixture(scope="module")
def served(kafka, tmp_path_factory):
    """A service under `continual`, its gateway, and questions that stand."""
    folder = tmp_path_factory.mktemp("pages")
    with gateway_service(kafka, folder, PRIVACY, SIGMA_GATEWAY_RATE="1000") as served:
        web, service, _ = served
        producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
        for client in ("ada", "ben"):
            name, where = WATCHED
            said = StandingQuestion(client=client, name=f"{name}-{client}", where=where)
            topic = service.topics.standing.name
            producer.send(topic, encode(said), said.key.encode())
        producer.close()
        yield web, web.folder / "tokens", service


@pytest.fixture(scope="module")
def ada(served):
    """An analyst."""
    return Reader(served[0], served[0].token)


def test_every_page_is_for_who_is_signed_in(served, ada):
    """No script of anybody else runs in it; a stranger is sent away."""
    for path in PAGES:
        status, headers, text = ada.page(path)
        assert status == 200, text
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
        assert Reader(served[0], "sigma_wrong").page(path)[0] == 303


def test_live_shows_the_clients_own_questions(ada):
    """As they come, and nobody else's."""
    text = until(lambda: _answered(ada))

    assert "women-ada" in text
    assert "women-ben" not in text
    assert "listens since" in ada.text("/live")


def _answered(reader):
    """Once two epochs have answered."""
    text = reader.text("/live", **{"HX-Request": "true"})
    return text if re.search(r"[\d,]+ answers, the first of", text) else None


def test_a_net_change_is_told_with_its_own_error(ada):
    """Of a standing question by its name, and of a condition; nothing is charged."""
    for of in ("women-ada", "city = 'Lyon'"):
        text = until(partial(_change, ada, of), otherwise=partial(_tried, ada, of))

        assert "standard error" in text
        assert "it cost nothing" in text
        assert "each change is protected" in text


def _tried(reader, of):
    return reader.sent("/live/change", of=of, since="1 epoch")


def _change(reader, of):
    """None while the epoch it is counted from is not kept yet."""
    text = _tried(reader, of)
    return text if "standard error" in text else None


def test_the_plan_has_its_table_and_its_error(ada):
    """The algebra of the service, its price, and the age of its noise."""
    text = ada.text("/plan")

    assert "sex, city" in text
    assert "5 ε" in text
    assert re.search(r"± [\d,]+ rows", text)
    assert re.search(r"epoch [\d,]+ of its noise", text)


def test_the_budget_tells_its_past_and_no_other_name(served, ada):
    """By purpose and client; an operator sees all names."""
    web, tokens, _ = served
    ben = new_token(tokens, "ben")
    status, said = web.post("/v1/ask", {"where": "age >= 30"}, token=ben)
    assert (status, said["spent"]["units"]) == (200, 20_000)
    root = Reader(web, new_token(tokens, "root", operator=True))

    operators = until(lambda: _named(root, "ben"))
    text = ada.text("/budget")

    assert "0.02 ε" in operators
    assert "other clients 0.02 ε" in text
    assert " ben " not in text
    assert "group" in text
    assert "too early to say" in text


def _named(reader, name):
    text = reader.text("/budget")
    return text if f" {name} " in text else None


def test_the_promise_speaks_of_a_row_that_changes_every_day(ada):
    """In the words of `sigma describe`."""
    text = ada.text("/promise")

    assert "continual, one change of one row" in text
    assert "its year as a whole is not" in text


def test_health_says_who_is_at_work_and_nothing_of_rows(ada):
    """By the broker's word; the reclusterer is missing, which is said."""
    text = until(lambda: _seen(ada))

    assert "reclusterer look nobody is at work" in text
    assert "one is due every" in text
    assert "wait to be taken" in text or "none waits" in text
    assert not re.search(r"rows? (a second|behind|lag|counted)", text)


def _seen(reader):
    text = reader.text("/health")
    return text if "responder well 1 at work" in text else None


@pytest.fixture(scope="module")
def browser(served, tmp_path_factory):
    """A window in which ada is signed in; at its end nobody complained of anything."""
    web = served[0]
    home = f"http://127.0.0.1:{web.port}"
    with browser_at(home, tmp_path_factory.mktemp("browser")) as window:
        window.open("/login")
        window.shown("#token").send_keys(web.token, "\n")
        window.shown("nav a[aria-current=page]", "Ask")
        yield window
        assert window.complaints() == []
        assert window.hosts() == {f"127.0.0.1:{web.port}"}


@pytest.mark.parametrize("path", PAGES)
def test_a_browser_shows_each_page(browser, path):
    """With its place among the others, in a width of a desk and of a phone."""
    browser.sized(*PHONE)
    browser.open(path)
    browser.shown("nav a[aria-current=page]", path[1:].capitalize())
    assert len(browser.all("main h1")) == 1
    assert browser.script("return document.documentElement.scrollWidth") <= PHONE[0]
    browser.sized(*WIDE)
    browser.open(path)
    if path in {"/live", "/budget"}:
        browser.shown(".curve canvas")
    browser.picture(f"dashboard-{path[1:]}")


def test_an_answer_arrives_by_itself_and_the_curve_grows(browser):
    """Without a click; the page around it stays."""
    browser.open("/live")
    points = (
        "return JSON.parse(document.querySelector('.curve').dataset.curve).at.length"
    )
    browser.shown(".curve canvas")
    before = browser.script(points)

    until(lambda: browser.script(points) > before + 1)

    assert len(browser.all(".curve canvas")) == 1


def test_a_change_is_asked_for_on_the_page(browser):
    """The form keeps its place while answers come."""
    browser.open("/live")
    browser.shown("input[name=of]").send_keys("women-ada")
    browser.click("button", "Show")

    browser.shown("#change", "standard error")
