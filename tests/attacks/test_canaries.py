"""No count, noise or value of a row in a log, a dial, or a dead letter's headers.

Real processes work on rows that are easy to recognise, good ones and bad; then all
that they wrote for operators is searched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec
import pytest
from kafka import KafkaProducer
from redis import Redis

from store.arrays import unpack
from store.keys import Keys
from streams.events import QueryAsked
from tests.fixtures.reading import read_all
from tests.fixtures.staff import about, employed, page
from tests.fixtures.stream_of_rows import Books

pytestmark = [pytest.mark.redis, pytest.mark.attack, pytest.mark.timeout(170)]

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


@dataclass(frozen=True)
class Told:
    """What operators can read, and what must not be in it."""

    logs: str
    dials: str
    headers: str
    noises: list[int]
    answers: list[dict]


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


@pytest.fixture(scope="module")
def told(kafka, redis_server, tmp_path_factory):
    """A counter, a curator and a responder did their work, bad records included."""
    name, folder = "nothing-told", tmp_path_factory.mktemp("told")
    with (
        Redis.from_url(redis_server.url) as redis,
        employed(kafka, redis_server, DECLARED, name, folder) as staff,
    ):
        sent = send_rows(kafka.bootstrap, staff.topics.rows)
        for role in ("counter", "curator", "responder"):
            staff.hire(role, **LOUD)
        books = Books(redis, Keys(name), staff.topics.rows.partitions)
        books.wait_for(sent, seconds=60)
        assert sorted(books.counts().values()) == [FEW, MANY]
        staff.wait(lambda: (about(staff.members[1]).get("epoch") or 0) >= 1)
        ask(kafka.bootstrap, staff.topics.queries)
        results = read_all(
            kafka.bootstrap, staff.topics.results, expected=2, seconds=30
        )
        letters = read_all(
            kafka.bootstrap, staff.topics.dead_letters, expected=len(BAD) + 1
        )
        keys = redis.keys(f"sigma:{name}:{{noise}}:unit:*")
        return Told(
            logs=staff.logs(),
            dials="\n".join(page(member, "metrics") for member in staff.members),
            headers="\n".join(
                f"{name} {value.decode()}"
                for each in letters
                for name, value in each.headers
            ),
            noises=[
                n for key in keys for n in unpack(redis.hget(key, "array")).tolist()
            ],
            answers=[msgspec.json.decode(record.value) for record in results],
        )


@pytest.mark.parametrize("where", ["logs", "dials", "headers"])
def test_no_true_count_is_told(told, where):
    """Neither that of a cell nor that of the table."""
    found = re.findall(r"\d+", getattr(told, where).replace("_", "").replace(",", ""))

    assert not {str(MANY), str(FEW), str(MANY + FEW)} & set(found)


@pytest.mark.parametrize("where", ["logs", "dials", "headers"])
def test_no_noise_and_no_noisy_sum_is_told(told, where):
    """Who knew one could compute the truth from what was released."""
    numbers = {abs(noise) for noise in told.noises}
    numbers |= {abs(noise + n) for noise in told.noises for n in (MANY, FEW)}
    found = set(re.findall(r"\d+", getattr(told, where)))

    assert len(told.noises) == 1
    assert not set(map(str, numbers)) & found


@pytest.mark.parametrize("where", ["logs", "dials", "headers"])
@pytest.mark.parametrize("value", [LEVEL, SECRET, "9173645"])
def test_no_value_of_a_row_is_told(told, where, value):
    """Not of a good row, and of a bad one neither: names of attributes are enough."""
    assert value not in getattr(told, where)


def test_the_search_would_find_them(told):
    """Something was written in each place, and both questions were answered."""
    assert "event=partitions_assigned" in told.logs
    assert 'sigma_dead_letters_total{reason="outside_levels"' in told.dials
    assert "sigma.reason outside_levels" in told.headers
    assert {answer["status"] for answer in told.answers} == {"ok", "invalid"}
