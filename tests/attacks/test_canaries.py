"""Canaries: rows, counts and noise that are easy to recognise, looked for everywhere.

Real processes at debug level work on rows, good ones and bad, and answer questions.
Then all is searched that somebody without the truth's rights can read: logs, metrics,
pages, headers, every topic but those of rows and dead letters, what a gateway tells
who has a token (its schema names the levels, by right), what the command line says to
an operator, and every error. The attack is won when one canary is found.

Noise of ε = 3e-6 is another number than those that are there anyway, except with
probability ≤ 1e-3; what is found is searched for as a whole number, hashes apart.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import msgspec
import pytest
from kafka import KafkaProducer
from redis import Redis

from config.gateway import GatewaySettings
from dashboard.navigation import NAV
from embedded.local_gateway import LocalGateway
from store.keys import Keys
from store.server.arrays import unpack
from streams.wire.messages.events import QueryAsked
from tests.fixtures.cli import sigma
from tests.fixtures.every_address import told_by_all
from tests.fixtures.reading import read_all
from tests.fixtures.stream_of_rows import Books
from tests.fixtures.worker_processes import about, page, worker_processes

pytestmark = [pytest.mark.redis, pytest.mark.attack]

MANY, FEW = 7_343, 2_411  # true counts; no other number here is like them
AGAIN = 1_000  # events sent twice, so that no number of events is a number of rows
LEVEL, SECRET = "Xanadu-level", "Zq7secret"
DECLARED = """\
name = "{name}"
[attributes.city]
kind = "categorical"
levels = ["Xanadu-level", "Oslo"]
"""
LOUD = {"SIGMA_LOG_LEVEL": "debug", "SIGMA_PRIVACY_FRESH": "3"}  # noise about 10^5.5
CORRELATION = ("kafka_correlationId", b"c")


PLACES = (
    *("logs", "metrics", "pages", "headers", "ledger"),
    *("wire", "http", "asked", "said", "errors"),
)
# Addresses that name levels by right, or answer: in `asked`, all others in `http`.
ASKED = {
    *("/", "/ask/price", "/ask/answer", "/ask/keep"),
    *("/v1/ask", "/v1/price", "/v1/schema"),
}
HASH = re.compile("[0-9a-f]{16,}")  # digits in it are nobody's number
PAGES = {entry.address for entry in NAV}
VERBS = (("verify",), ("doctor",), ("ledger", "--all"), ("plan", "show"))


@dataclass(frozen=True)
class Told:
    """What can be read, place by place, and what must not be in it."""

    places: dict[str, str]
    results: str
    noises: list[int]
    answers: list[dict]

    def numbers(self, where):
        """Every whole number of a place, however it is grouped."""
        text = HASH.sub("#", self.places[where])
        return set(re.findall(r"\d+", text.replace("_", "").replace(",", "")))


def good(number, city):
    """A row event."""
    event = {"op": "insert", "id": f"{SECRET}-{number}", "row": {"city": city}}
    return event["id"].encode(), msgspec.json.encode(event)


BAD = [
    (b"k", f"{{{SECRET}".encode()),
    (b"k", f'{{"op": "{SECRET}", "id": "k"}}'.encode()),
    (b"k", f'{{"op": "insert", "id": "k", "row": {{"city": "{SECRET}"}}}}'.encode()),
    (b"k", f'{{"op": "insert", "id": "k", "row": {{"{SECRET}": 1}}}}'.encode()),
    (b"k", f'{{"op": "insert", "id": "{SECRET}", "row": {{"city": "Oslo"}}}}'.encode()),
    (b"k", b'{"op": "insert", "id": "k", "row": {"city": 9173645}}'),
    (SECRET.encode() * 80, None),
]


def send_rows(bootstrap, topic):
    """Good ones, some of them twice, and bad ones between them."""
    rows = [good(n, LEVEL) for n in range(MANY)]
    rows += [good(MANY + n, "Oslo") for n in range(FEW)]
    producer = KafkaProducer(bootstrap_servers=bootstrap, linger_ms=20)
    for key, value in [*rows, *rows[:AGAIN], *BAD]:
        producer.send(topic.name, key=key, value=value)
    producer.flush()
    producer.close()
    return MANY + FEW + AGAIN + len(BAD)


def ask(bootstrap, topic):
    """A question that needs fresh noise, and one that is no question."""
    producer = KafkaProducer(bootstrap_servers=bootstrap)
    asked = QueryAsked(request_id="r", client="ada", where=f"city = '{LEVEL}'")
    for value in (msgspec.json.encode(asked), f"{{{SECRET}".encode()):
        producer.send(topic.name, value=value, headers=[CORRELATION])
    producer.close()


def text(records):
    """All that these records hold, headers too."""
    return "\n".join(
        f"{r.key} {r.value} " + " ".join(f"{n} {v}" for n, v in r.headers)
        for r in records
    )


def read(kafka, *topics):
    """What stands in these topics."""
    return text(
        record
        for topic in topics
        for record in read_all(kafka.bootstrap, topic, expected=0, seconds=2)
    )


def worked(kafka, processes, redis, name):
    """All roles have done their work, bad records included: what was answered."""
    topics = processes.topics
    sent = send_rows(kafka.bootstrap, topics.rows)
    for role in ("counter", "curator", "responder", "reclusterer"):
        processes.start(role, **LOUD)
    books = Books(redis, Keys(name), topics.rows.partitions)
    books.wait_for(sent)
    assert sorted(books.counts().values()) == [FEW, MANY]
    processes.wait(lambda: (about(processes.members[1]).get("epoch") or 0) >= 1)
    ask(kafka.bootstrap, topics.queries)
    return read_all(kafka.bootstrap, topics.results, expected=2)


def asked_over_http(processes):
    """The question that was paid for, and two that are none; through a gateway."""
    gateway = LocalGateway.of(GatewaySettings(port=0), processes.folder)
    [member] = processes.start("gateway", **LOUD, **gateway.environment())
    processes.wait(member.ready)
    asked = ({"where": f"city = '{LEVEL}'"}, {"where": "age ="}, {SECRET: 1})
    told = [gateway.asked(question) for question in asked]
    assert [status for status, _ in told] == [200, 400, 400]
    return gateway, [json.dumps(said) for _, said in told]


def searched(kafka, processes, results, gateway):
    """Everything that can be read, by place."""
    topics, members = processes.topics, processes.members
    letters = read_all(kafka.bootstrap, topics.dead_letters, expected=len(BAD) + 1)
    given = processes.place.environment("admin").items()
    plain = {name.removeprefix("SIGMA_").lower(): value for name, value in given}
    said = [sigma(*verb, **plain) for verb in VERBS]
    answers = [msgspec.json.decode(record.value) for record in results]
    web = list(told_by_all(gateway, processes.folder / "gateway", SECRET))
    assert {each.status for each in web if each.path in PAGES} == {200}
    assert all(each.status < 500 for each in web if each.path != "/v1/plan")
    return {
        "logs": processes.logs(),
        "metrics": "\n".join(page(member, "metrics") for member in members),
        "pages": "\n".join(page(m, n) for m in members for n in ("ready", "live")),
        "headers": text(letter._replace(key="", value="") for letter in letters),
        "ledger": read(kafka, topics.ledger),
        "wire": read(kafka, topics.fresh, topics.query_log, topics.plans),
        "said": "\n".join(told.out + told.err for told in said),
        "http": "\n".join(each.text for each in web if each.path not in ASKED),
        "asked": "\n".join(each.text for each in web if each.path in ASKED),
        "errors": json.dumps([answer.get("error") for answer in answers]),
    }


@pytest.fixture(scope="module")
def told(kafka, redis_server, tmp_path_factory):
    """What a whole deployment told."""
    name, folder = "nothing-told", tmp_path_factory.mktemp("told")
    with (
        Redis.from_url(redis_server.url) as redis,
        worker_processes(kafka, redis_server, DECLARED, name, folder) as processes,
    ):
        results = worked(kafka, processes, redis, name)
        gateway, replies = asked_over_http(processes)
        units = redis.keys(Keys(name).everything("noise}:unit:"))
        noises = [unpack(redis.hget(unit, "array")).tolist() for unit in units]
        return Told(
            places=searched(kafka, processes, results, gateway),
            results="\n".join((text(results), *replies)),
            noises=[number for noise in noises for number in noise],
            answers=[msgspec.json.decode(record.value) for record in results],
        )


@pytest.mark.parametrize("where", PLACES)
def test_no_true_count_is_told(told, where):
    """Neither that of a cell nor that of the table."""
    assert not {str(MANY), str(FEW), str(MANY + FEW)} & told.numbers(where)


def test_an_answer_holds_no_true_count(told):
    """The noise in it is large here: it never is the truth by chance."""
    found = set(re.findall(r"\d+", HASH.sub("#", told.results)))

    assert not {str(MANY), str(FEW), str(MANY + FEW)} & found


@pytest.mark.parametrize("where", [each for each in PLACES if each != "asked"])
def test_no_noise_and_no_noisy_sum_is_told(told, where):
    """Who knew one could compute the truth from what was released."""
    numbers = {abs(noise) for noise in told.noises}
    numbers |= {abs(noise + n) for noise in told.noises for n in (MANY, FEW)}

    assert len(told.noises) == 1
    assert not set(map(str, numbers)) & told.numbers(where)


@pytest.mark.parametrize("where", [*PLACES, "results"])
@pytest.mark.parametrize("value", [LEVEL, SECRET, "9173645"])
def test_no_value_of_a_row_is_told(told, where, value):
    """Not of a good row, and of a bad one neither: names of attributes are enough."""
    if (where, value) == ("asked", LEVEL):
        pytest.skip("levels are there by right")
    assert value not in (told.places | {"results": told.results})[where]


def test_the_search_would_find_them(told, figures):
    """Something was written in each place, and both questions were answered."""
    places = told.places
    assert "event=partitions_assigned" in places["logs"]
    assert 'sigma_dead_letters_total{reason="outside_levels"' in places["metrics"]
    assert "sigma.reason" in places["headers"]
    assert "outside_levels" in places["headers"]
    assert "commitment" in places["ledger"]
    assert "query" in places["wire"]
    assert '"spent"' in places["http"]
    assert all(places.values())
    assert {answer["status"] for answer in told.answers} == {"ok", "invalid"}
    size = sum(map(len, places.values()))
    figures(f"{size:,} characters in {len(PLACES)} places, no canary")
