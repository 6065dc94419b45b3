"""The pages of a gateway in a browser, in front of a whole service."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from selenium.webdriver.common.keys import Keys

from tests.fixtures.browser import PHONE, WIDE, browser_at
from tests.fixtures.gateway_service import gateway_service
from tests.fixtures.until import until

pytestmark = [pytest.mark.kafka, pytest.mark.integration, pytest.mark.one_broker]

OURS = {"Sec-Fetch-Site": "same-origin"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def web(kafka, tmp_path_factory):
    """A gateway's client."""
    with gateway_service(kafka, tmp_path_factory.mktemp("dashboard")) as served:
        yield served[0]


@pytest.fixture(scope="module")
def window(web, tmp_path_factory):
    """A browser in which ada is signed in."""
    home = f"http://127.0.0.1:{web.port}"
    with browser_at(home, tmp_path_factory.mktemp("browser")) as browser:
        browser.open("/")
        browser.shown("h1", "Sign in")
        browser.press("wrong", Keys.ENTER)
        browser.shown("[role=alert]", "No client has this token")
        assert len(browser.complaints()) == 1  # a status of 401 is said in the console
        browser.picture("sign-in")
        browser.press(web.token, Keys.ENTER)
        browser.shown("nav a[aria-current=page]", "Ask")
        yield browser


@pytest.fixture
def browser(window):
    """The same for each test: nothing went wrong in it, nobody else was asked."""
    window.sized(*WIDE)
    window.open("/")
    yield window
    assert window.complaints() == []
    assert window.hosts() == {window.home.removeprefix("http://")}


def posted(web, path, fields, **headers):
    """Status, headers and text of the reply to a form."""
    body = urlencode(fields, doseq=True).encode()
    status, about, text = web.raw("POST", path, body, **FORM | headers)
    return status, about, text.decode()


def cookie(web):
    """What a browser sends of who is signed in."""
    status, about, _ = posted(web, "/login", {"token": web.token}, **OURS)
    assert (status, about["location"]) == (303, "/")
    kept, *how = about["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(how)
    assert "Secure" not in how  # this gateway has no certificate
    return {"Cookie": kept}


def test_who_is_not_signed_in_is_asked_to(web):
    """Whatever page it is, and htmx is told where to go."""
    status, about, _ = web.raw("GET", "/")
    assert (status, about["location"]) == (303, "/login")
    status, about, _ = posted(web, "/ask/price", {}, **{"HX-Request": "true"} | OURS)
    assert (status, about["hx-redirect"]) == (401, "/login")
    assert posted(web, "/login", {"token": "sigma_wrong"}, **OURS)[0] == 401


def test_a_page_runs_and_fetches_nothing_of_anybody_else(web):
    """By its headers; and programs' addresses take no cookie."""
    status, about, _ = web.raw("GET", "/", **cookie(web))

    assert status == 200
    policy = about["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert about["x-content-type-options"] == "nosniff"
    assert about["cache-control"] == "no-store"
    assert web.raw("GET", "/v1/budget", **cookie(web))[0] == 401


@pytest.mark.parametrize(
    "origin",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "null"},
        {"Origin": "http://example.org"},
    ],
)
def test_no_other_site_can_press_a_button(web, origin):
    """Nor anybody who does not say where from; the cookie alone is not enough."""
    for path in ("/ask/price", "/ask/answer", "/login", "/logout"):
        fields = {"question": "{}", "token": web.token}
        status, about, text = posted(web, path, fields, **origin | cookie(web))

        assert status == 403, path
        assert "another site" in text
        assert "set-cookie" not in about


def test_signing_out_forgets_the_token(web):
    """From a page of ours, by its address where a browser says no more."""
    here = {"Origin": f"http://127.0.0.1:{web.port}"}

    status, about, _ = posted(web, "/logout", {}, **here | cookie(web))

    assert (status, about["location"]) == (303, "/login")
    assert 'sigma_token=""' in about["set-cookie"]


def test_a_browser_without_scripts_asks_too(web):
    """Each button brings a whole page, with what was clicked still clicked."""
    sent = OURS | cookie(web)

    status, _, text = posted(web, "/ask/price", {"level.1": "0", "by": "city"}, **sent)

    assert status == 200
    assert "This costs nothing" in text
    assert '<html lang="en">' in text
    assert 'name="level.1" value="0" checked' in text
    question = {"question": '{"where": {"sex": ["F"]}, "by": ["city"], "max_cost": 0}'}
    assert "Counts by city" in posted(web, "/ask/answer", question, **sent)[2]


def test_a_question_is_asked_by_clicking(browser, web):
    """A level, its price, which is what the ledger then holds, and a count."""
    before = web.get("/v1/budget")["spent"]
    browser.click(".chips label", "20-29")
    browser.click("button", "Show the price")
    browser.shown("#shown h2", "This costs 0.02 ε")
    assert web.get("/v1/budget")["spent"] == before
    browser.picture("ask-price")

    browser.click("#shown button", "Ask, for 0.02 ε")

    browser.shown("#shown h2", "The count")
    number = browser.shown("#shown .number").text
    assert int(number.replace(",", "")) >= 0
    browser.shown("#shown p", "with 95 % confidence")
    browser.shown("#shown dd", "fixed-noise")
    browser.picture("ask-count")
    _, again = web.post("/v1/ask", {"where": "age = '20-29'", "max_cost": 0})
    assert again["status"] == "ok"


def test_a_table_is_a_chart_with_error_bars(browser):
    """For nothing, where the plan holds it; each bar has its figures beside it."""
    browser.click(".chips label", "Lyon")
    browser.click(".chips label", "Paris")
    browser.click("fieldset:last-of-type .chips label", "sex")
    browser.click("button", "Show the price")
    browser.shown("#shown code", "city IN ('Lyon', 'Paris') GROUP BY sex")
    browser.click("#shown button", "Ask, for nothing")

    browser.shown("#shown caption", "Counts by sex")

    rows = browser.all("#shown tbody tr")
    assert len(rows) == len(browser.all("#shown svg .whisker")) == 3
    for row in rows:
        _, count, between, *_ = row.find_elements("css selector", "th, td")
        low, high = (int(n.replace(",", "")) for n in between.text.split(" … "))
        assert low <= int(count.text.replace(",", "")) <= high
    browser.click("#shown button[data-copies=copy-SQL]")
    browser.shown("[data-said=copy-SQL]", "Cop")
    assert "GROUP BY sex" in browser.script("return getSelection().toString()")
    browser.picture("ask-table")


def test_a_refusal_is_said_in_words(browser):
    """Where the answer would be."""
    browser.click("summary")
    browser.click("#where")
    browser.press("age >= 25")
    browser.click("button", "Show the price")

    said = browser.shown("#shown .trouble")

    assert "20-29" in said.text
    browser.picture("ask-refused")


def test_the_keyboard_is_enough(browser):
    """The focus goes where the eye goes, and is seen."""
    browser.press(Keys.TAB)
    assert browser.script("return document.activeElement.className") == "skip"
    browser.press(Keys.ENTER)
    reached = "return document.activeElement.closest('label')?.textContent"
    until(lambda: browser.press(Keys.TAB) or browser.script(reached) == "F")
    browser.press(Keys.SPACE)
    assert len(browser.all(":checked")) == 1
    browser.press(Keys.ENTER)

    until(lambda: browser.script("return document.activeElement.matches('#shown h2')"))

    browser.press(Keys.TAB, Keys.ENTER)
    browser.shown("#shown h2", "The count")


def test_it_is_read_on_a_phone_and_in_the_dark(browser):
    """Nothing is cut off to the side; light on dark where that is wanted."""
    browser.sized(*PHONE)
    browser.click("fieldset:last-of-type .chips label", "city")
    browser.click("button", "Show the price")
    browser.click("#shown button", "Ask, for")
    browser.shown("#shown caption", "Counts by city")

    width = "return document.documentElement.scrollWidth"
    assert browser.script(width) <= PHONE[0]
    browser.picture("ask-phone")
    light = colours(browser)
    browser.dressed("dark")
    dark = colours(browser)
    browser.picture("ask-phone-dark")
    browser.dressed("light")

    for paper, ink in (light, dark[::-1]):
        assert paper > 200
        assert ink < 60


def colours(browser):
    """How bright paper and ink are, from 0 to 255."""
    found = browser.script(
        "const s = getComputedStyle(document.body);"
        "return [s.backgroundColor, s.color].map(c => c.match(/\\d+/g).map(Number))"
    )
    return tuple(sum(each[:3]) / 3 for each in found)
