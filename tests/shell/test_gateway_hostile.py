"""Whoever means ill with a page of the gateway, or with a form of it."""

from __future__ import annotations

import pytest

from dashboard.assets import assets
from tests.fixtures.gateway_app import OURS, GatewayInMemory

NINES = "9" * 5_000  # no number that Python reads
PAGES = ("/", "/live", "/plan", "/budget", "/promise", "/health")
GATE = "https://gate.example"
UNREADABLE = ('{"a":' * 5_000, '{"a":"\\ud800"}', f'{{"a":{NINES}}}', '{"a":NaN}')


@pytest.fixture
def gateway(tmp_path):
    """A gateway in memory."""
    return GatewayInMemory(tmp_path)


@pytest.fixture
def web(gateway):
    """A browser in which ada is signed in."""
    return gateway.client()


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_condition_that_nobody_can_read_is_refused_in_words(web, text):
    """As a condition that was typed, and as the question of a page's button."""
    typed = web.post("/ask/price", data={"where": text})
    pressed = web.post("/ask/answer", data={"question": text})

    assert typed.status_code in {200, 400}
    assert pressed.status_code == 400
    assert "nothing was asked" in pressed.text


@pytest.mark.parametrize("field", ["level.0", "level.1", "from.0", "to.0", "error"])
def test_a_place_that_is_no_place_is_none(web, field):
    """On the form as it comes back, too."""
    assert web.post("/ask/price", data={field: NINES}).status_code == 200
    assert web.get("/", params={field: NINES}).status_code == 200


@pytest.mark.parametrize("origin", ["http://[", "null", "", "http://x:y:z", "//"])
def test_an_origin_that_is_none_is_another_site(web, origin):
    """Where a browser says no more."""
    del web.headers["sec-fetch-site"]
    form = {"token": "x"}

    reply = web.post("/login", data=form, headers={"Origin": origin})

    assert reply.status_code == 403


def test_a_page_without_tls_presses_no_button_of_one_with_it(gateway):
    """Whoever sits on the way could have made it; a proxy may end TLS before us."""
    form = {"token": gateway.token}
    for base, origin, status in (
        (GATE, GATE, 303),
        (GATE, GATE.replace("https", "http"), 403),
        (GATE.replace("https", "http"), GATE, 303),
    ):
        web = gateway.client(base)
        del web.headers["sec-fetch-site"]

        reply = web.post("/login", data=form, headers={"Origin": origin})

        assert reply.status_code == status, (base, origin)


@pytest.mark.parametrize("proxies", ["https", "https, http", "HTTPS ,http"])
def test_a_cookie_stays_under_tls_behind_any_number_of_proxies(gateway, proxies):
    """By what the first of them saw."""
    form, said = {"token": gateway.token}, {"X-Forwarded-Proto": proxies}

    reply = gateway.client().post("/login", data=form, headers=said)

    kept = reply.headers["set-cookie"]
    assert kept.startswith("__Host-sigma_token=")
    assert {"Secure", "HttpOnly", "SameSite=strict", "Path=/"} <= set(kept.split("; "))


def test_no_address_sends_to_where_its_host_says(web):
    """Nor to an address without TLS: a slash too many is no page."""
    for path in (*PAGES[1:], "/v1/ask", "/login"):
        reply = web.get(f"{path}/", headers={"Host": "elsewhere.example"})

        assert reply.status_code == 404
        assert "location" not in reply.headers


def test_every_reply_for_people_forbids_what_is_not_ours(gateway, web):
    """A redirection too, the one that brings the token above all."""
    stranger = gateway.client()
    del stranger.headers["cookie"]
    form = {"token": gateway.token}
    replies = [web.get(path) for path in PAGES]
    replies += [stranger.get(path) for path in (*PAGES, "/login")]
    replies += [
        web.post(path, data=form) for path in ("/login", "/logout", "/ask/price")
    ]
    replies += [stranger.post("/login", data=form, headers={"Sec-Fetch-Site": "none"})]

    for reply in replies:
        policy = reply.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "frame-ancestors 'none'" in policy
        assert not {"unsafe", "*", "data:", "http"} & set(
            policy.replace("-", " ").split()
        )
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_a_file_is_kept_by_the_hash_that_it_has(web):
    """Another release's hash would keep the wrong file for a year."""
    known = assets()["dashboard.css"]

    assert "immutable" in web.get(known.address).headers["cache-control"]
    for address in ("/static/dashboard.css", "/static/dashboard.css?v=000000000000"):
        assert web.get(address).headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "address", [f"/live{GATE}", "/static/..%2f..%2fsecret", "/%00"]
)
def test_an_address_that_is_none_is_not_repeated(web, address):
    """What it says is nobody's to show."""
    reply = web.get(address, headers=OURS)

    assert reply.status_code == 404
    assert "gate.example" not in reply.text
    assert "secret" not in reply.text
