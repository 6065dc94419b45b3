"""mTLS and OAUTHBEARER against Apache Kafka, with certificates made by the test."""

from __future__ import annotations

import json
import os

import pytest

from config.servers import Kafka
from sigmacount.errors import Mismatch, StreamRefused, StreamUnavailable
from streams.wire.topics import Topics
from tests.fixtures.apache_kafka import JARS
from tests.fixtures.certificates import Authority
from tests.fixtures.cli import sigma
from tests.fixtures.protected_kafka import protected_kafka
from tests.fixtures.token_server import CLIENT, SECRET, token_server
from tests.fixtures.until import eventually, until
from tests.fixtures.worker_processes import PEOPLE, worker_processes
from workers import clients

pytestmark = [pytest.mark.integration, pytest.mark.kafka]

KINDS = ("mtls", "plain", "file", "endpoint")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A broker that knows its clients, shared by all tests of this file."""
    if reason := JARS.missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    kafka = protected_kafka(tmp_path_factory.mktemp("protected"))
    try:
        kafka.server.start()
        until(lambda: _lets_us_in(kafka))
        yield kafka
    finally:
        kafka.server.stop()


def _lets_us_in(kafka):
    """A listening port is not yet a broker that knows its cluster."""
    try:
        with clients.kafka_admin(kafka.settings("plain")) as admin:
            return admin.cluster_id()
    except (StreamUnavailable, StreamRefused):
        return None


@pytest.fixture(scope="module")
def tokens(place):
    """A token endpoint, over TLS, whose tokens the broker takes."""
    with token_server(place.issuer, place.authority.vouch("issuer")) as server:
        yield server


@pytest.fixture
def words(place, tokens, tmp_path):
    """``words("file")``: settings of a process that proves itself in this way."""
    token = tmp_path / "token"
    token.write_text(place.issuer.token("service") + "\n")
    endpoint = {
        "oauth_token_url": tokens.url,
        "oauth_client_id": CLIENT,
        "oauth_client_secret": SECRET,
        "oauth_ca_file": place.authority.ca,
    }
    more = {"file": {"oauth_token_file": token}, "endpoint": endpoint}
    return lambda kind: place.words(kind) | more.get(kind, {})


@pytest.fixture
def topic():
    """One that nobody made yet."""
    return Topics.named(f"t{os.urandom(6).hex()}.", partitions=1).dead_letters


def environment(words):
    """The same settings as variables, for a process."""
    return {f"SIGMA_KAFKA_{name.upper()}": str(word) for name, word in words.items()}


@pytest.mark.parametrize("kind", KINDS)
async def test_every_client_of_ours_is_let_in(words, topic, kind):
    """The one that looks after topics, the one that writes, the one that reads."""
    kafka = Kafka(**words(kind))
    with clients.kafka_admin(kafka) as admin:
        assert admin.create([topic]) == [topic.name]

        async with (
            clients.publisher(kafka) as publisher,
            clients.from_the_beginning(kafka, topic) as reader,
        ):
            await publisher.send_raw(topic.name, b"k", b"hello")
            await publisher.flush()
            batches = await eventually(reader.next_batch)

        [batch] = batches.values()
        assert [record.value for record in batch.records] == [b"hello"]
        assert admin.latest(topic.name) == {0: 1}


def test_workers_and_verbs_are_let_in(place, words, redis_server, dataset, tmp_path):
    """A counter by its certificate, a responder by tokens; the doctor finds both."""
    secret = tmp_path / "secret"
    secret.write_text("key word\n")
    mtls = environment(words("mtls"))
    del mtls["SIGMA_KAFKA_KEY_PASSWORD"]
    mtls["SIGMA_KAFKA_KEY_PASSWORD_FILE"] = str(secret)
    with worker_processes(place, redis_server, PEOPLE, dataset, tmp_path) as processes:
        members = [
            *processes.start("counter", **mtls),
            *processes.start("responder", **environment(words("endpoint"))),
        ]
        processes.wait(lambda: all(member.ready() for member in members))
        given = processes.place.environment("admin") | mtls
        told = sigma(
            "doctor",
            "--json",
            **{name.removeprefix("SIGMA_").lower(): v for name, v in given.items()},
        )

    checks = [json.loads(line) for line in told.out.splitlines()]
    found = {check["name"]: (check["mark"], check["words"]) for check in checks}
    assert found["counter"] == found["responder"] == ("ok", "1 at work"), told.out
    assert found["broker"][0] == "ok"


async def test_tokens_that_end_are_renewed_and_no_event_is_lost(tokens, words, topic):
    """The broker ends a session with its token; reader and writer show another."""
    tokens.seconds = 2
    kafka = Kafka(**words("endpoint"), oauth_scope="kafka")
    with clients.kafka_admin(kafka) as admin:
        admin.create([topic])
    before, seen = len(tokens.given), []

    async def look(reader):
        for batch in (await reader.next_batch(0.05)).values():
            seen.extend(int(record.value) for record in batch.records)

    async def send(number):
        await publisher.send_raw(topic.name, b"k", b"%d" % number)
        await publisher.flush()
        return number + 1

    async with clients.publisher(kafka) as publisher:
        sent = await send(0)  # so that the broker knows the topic
        async with clients.from_the_beginning(kafka, topic) as reader:
            while len(tokens.given) < before + 3:
                sent = await send(sent)
                await look(reader)
            await eventually(lambda: len(seen) >= sent or look(reader))
    tokens.seconds = 600

    assert seen == list(range(sent))
    assert tokens.asked[-1][1]["scope"] == ["kafka"]


REFUSED = {
    "no certificate": (
        "mtls",
        {"certificate_file": None, "key_file": None},
        "amid TLS",
    ),
    "a name it does not bear": ("mtls", {"bootstrap": "localhost"}, "mismatch"),
    "a wrong password": ("plain", {"password": "canary"}, "SIGMA_KAFKA_PASSWORD"),
    "no such mechanism": ("plain", {"sasl_mechanism": "SCRAM-SHA-512"}, "SCRAM"),
    "a token for others": ("file", {"aud": "others"}, "accept the token"),
    "a token that ended": ("file", {"seconds": -5}, "may have ended"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_who_is_not_let_in_is_told_what_to_mend(place, words, case):
    """At once, and never what was shown."""
    kind, change, said = REFUSED[case]
    given = words(kind)
    if kind == "file":
        token = place.issuer.token("service", **change)
        given["oauth_token_file"].write_text(token)
    else:
        given |= change
    if change.get("bootstrap"):
        given["bootstrap"] = place.by_certificate.replace("127.0.0.1", "localhost")

    with pytest.raises(StreamRefused) as refused:
        clients.kafka_admin(Kafka(**given))

    text = str(refused.value)
    assert said in text
    for secret in ("canary", "key word", "eyJ"):  # as every token begins
        assert secret not in text


def test_strangers_are_not_trusted_in_either_direction(place, words, tmp_path):
    """A broker of another authority, a client of another one."""
    other = Authority(tmp_path, "other")
    proof = other.vouch("operator")
    theirs = {"certificate_file": proof.certificate, "key_file": proof.key}

    with pytest.raises(StreamRefused, match="SIGMA_KAFKA_CA_FILE"):
        clients.kafka_admin(Kafka(**(words("mtls") | {"ca_file": other.ca})))
    with pytest.raises(StreamRefused, match="SIGMA_KAFKA_CERTIFICATE_FILE"):
        clients.kafka_admin(Kafka(**(words("mtls") | theirs)))


async def test_a_right_is_of_the_name_in_the_certificate(place, words, topic):
    """CN=stranger is known, and may do nothing: the topic is named, no row is read."""
    with clients.kafka_admin(Kafka(**words("mtls"))) as admin:
        admin.create([topic])
    proof = place.authority.vouch("stranger")
    theirs = {"certificate_file": proof.certificate, "key_file": proof.key}
    kafka = Kafka(**(words("mtls") | theirs))

    with (
        clients.kafka_admin(kafka) as admin,
        pytest.raises(Mismatch, match=f"forbids us to use {topic.name}"),
    ):
        admin.facts(topic.name)
    with pytest.raises(Mismatch, match="forbids"):
        await clients.from_the_beginning(kafka, topic).start()


def test_an_endpoint_that_gives_no_token_is_named(tokens, words):
    """It may be back soon, so the caller tries again."""
    tokens.instead = 401, b'{"error": "invalid_client", "secret": "canary"}'
    given = words("endpoint") | {"oauth_client_secret": "another"}
    try:
        with pytest.raises(StreamUnavailable) as refused:
            clients.kafka_admin(Kafka(**given))
    finally:
        tokens.instead = None

    assert "HTTP 401 invalid_client" in str(refused.value)
    assert "SIGMA_KAFKA_OAUTH_TOKEN_URL" in str(refused.value)
    assert "canary" not in str(refused.value)
