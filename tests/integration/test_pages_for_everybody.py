"""Every page for everybody: light, dark, by keyboard, read out, on a phone, over TLS.

The gateway ends TLS itself here, in front of a service that counts changes.
"""

from __future__ import annotations

from contextlib import closing, suppress
from functools import partial

import pytest
from kafka import KafkaProducer
from selenium.common.exceptions import WebDriverException

from dashboard.navigation import NAV
from streams.wire.codec import encode
from streams.wire.messages.standing import StandingQuestion
from tests.fixtures.browser import PHONE, WIDE, browser_at
from tests.fixtures.certificates import Authority
from tests.fixtures.everybody import faint, nameless, unreached
from tests.fixtures.gateway_service import gateway_service
from tests.fixtures.until import until

pytestmark = [pytest.mark.kafka, pytest.mark.integration, pytest.mark.one_broker]

PRIVACY = {"SIGMA_PRIVACY_RULE": "continual", "SIGMA_PRIVACY_HORIZON": "1024"}
STANDS = StandingQuestion(client="ada", name="women by city", by=("city",))
CURVES = ("/live", "/budget")
PAGES = [entry.address for entry in NAV]


@pytest.fixture(scope="module")
def browser(kafka, tmp_path_factory):
    """A window over TLS in which ada is signed in, who watches a question."""
    folder = tmp_path_factory.mktemp("everybody")
    pem = Authority(folder).vouch("gateway")
    secure = {
        "SIGMA_GATEWAY_CERTIFICATE_FILE": str(pem.certificate),
        "SIGMA_GATEWAY_KEY_FILE": str(pem.key),
        "SIGMA_GATEWAY_RATE": "1000",
    }
    with gateway_service(kafka, folder, PRIVACY, **secure) as (web, service, _):
        with closing(KafkaProducer(bootstrap_servers=kafka.bootstrap)) as producer:
            topic = service.topics.standing.name
            producer.send(topic, encode(STANDS), STANDS.key.encode())
        with browser_at(f"https://127.0.0.1:{web.port}", folder) as window:
            window.open("/login")
            window.shown("#token").send_keys(web.token, "\n")
            window.shown("nav a[aria-current=page]", "Ask")
            window.open("/live")
            until(partial(window.all, ".curve canvas"), otherwise=window.text)
            yield window


@pytest.fixture(params=PAGES)
def page(browser, request):
    """Each page, of which the console says nothing; Ask with an answer on it."""
    browser.sized(*WIDE)
    browser.dressed("light")
    browser.open(request.param)
    if request.param == "/":
        browser.click("fieldset:last-of-type .chips label", "city")
        browser.click("button", "Show the price")
        browser.click("#shown button", "Ask, for")
        browser.shown("#shown caption", "Counts by city")
    if request.param in CURVES:
        browser.shown(".curve canvas")
    yield request.param
    assert browser.complaints() == []


def test_who_signs_in_over_tls_has_a_cookie_of_this_host_alone(browser):
    """No script reads it, nothing without TLS carries it."""
    [cookie] = browser.driver.get_cookies()

    assert cookie["name"] == "__Host-sigma_token"
    assert cookie["secure"]
    assert cookie["httpOnly"]
    assert (cookie["sameSite"], cookie["path"]) == ("Strict", "/")
    assert browser.script("return document.cookie") == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out_from_its_paper(browser, page, scheme):
    """By the ratio that WCAG asks of small text."""
    browser.dressed(scheme)

    assert faint(browser) == []
    browser.picture(f"everybody-{page.strip('/') or 'ask'}-{scheme}")


def test_a_screen_reader_finds_its_way(browser, page):
    """Landmarks, headings, labels; a table for each curve; what changes is told."""
    assert nameless(browser) == []


def test_the_tab_key_reaches_every_control(browser, page):
    """In the order of the page, and one sees where one is."""
    assert unreached(browser) == []


def test_a_phone_scrolls_up_and_down_alone(browser, page):
    """What is wider scrolls inside the page, by keyboard too."""
    browser.sized(*PHONE)

    assert browser.script("return document.documentElement.scrollWidth") <= PHONE[0]
    assert nameless(browser) == []


def test_a_question_is_kept_and_ended_by_clicking(browser):
    """From its answer on, by who asked it; its answers come by themselves."""
    browser.open("/")
    browser.click(".chips label", "Lyon")
    browser.click("button", "Show the price")
    browser.click("#shown button", "Ask, for nothing")
    browser.shown("#shown [name=name]").send_keys("in Lyon")
    browser.click("#shown button", "Keep asking")
    browser.click("#kept a", "Live")
    browser.shown("article h2", "in Lyon")
    browser.shown("article", "answers, the first of")
    browser.picture("live-kept")

    until(partial(_ended, browser), otherwise=browser.text)

    browser.shown("article h2", STANDS.name)
    assert browser.complaints() == []


def _ended(browser):
    """Clicks its button until it is gone: an answer may put another in its place."""
    with suppress(WebDriverException):
        for button in browser.all('[aria-label="End in Lyon"]'):
            button.click()
    return not browser.all('[aria-label="End in Lyon"]')


def test_answers_and_health_are_told_in_a_sentence(browser):
    """And not read out as a whole, again and again."""
    browser.open("/live")

    news = browser.shown("[role=status]", "women by city")

    assert "epoch" in news.text or "epoch" in news.get_attribute("textContent")
    assert browser.all("#live[aria-live], #live [aria-live]") == []
