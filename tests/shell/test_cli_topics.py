"""`sigma topics`, `sigma acl`, `sigma dead-letters`: what workers stand on."""

import asyncio
import json

import pytest

from streams.clients.publisher import Publisher
from streams.dead_letters.writer import DeadLetters
from tests.fixtures.cli import sigma
from tests.fixtures.deployment import Deployment, person
from tests.fixtures.reading import read_all

pytestmark = [pytest.mark.kafka, pytest.mark.redis]


@pytest.fixture
def deployment(kafka, redis_server, dataset, tmp_path):
    """Servers, topics and a dataset of this test alone."""
    return Deployment.of(kafka, redis_server, dataset, tmp_path)


def test_topics_are_made_once(kafka, dataset):
    """All ten; a second time none, and no fault either."""
    env = {"kafka_bootstrap": kafka.bootstrap, "kafka_prefix": f"{dataset}."}

    first = sigma("topics", "create", **env)
    second = sigma("topics", "create", **env)

    assert (first.code, second.code) == (0, 0), first.out + second.out
    assert first.out.count("made ") == 10
    assert f"made {dataset}.rows" in first.out
    assert second.out.count("made ") == 0


def test_a_wrong_topic_is_told_with_its_remedy(deployment):
    """The number of partitions cannot be changed, so it is said, not done."""
    told = deployment.sigma("topics", "check", kafka_partitions=7)

    assert told.code == 1
    assert f"{deployment.topics.rows.name}: partitions is 3, should be 7" in told.out
    assert "cannot be changed" in told.out


def test_acl_prints_a_file_with_every_user():
    """Passwords as digests; the default user off."""
    roles = ("counter", "curator", "responder", "reclusterer", "dashboard", "admin")

    told = sigma("acl", **{f"password_{role}": f"word-of-{role}" for role in roles})

    assert told.code == 0, told.err
    assert told.out.startswith("user default off")
    assert [line.split()[1] for line in told.out.splitlines()] == ["default", *roles]
    assert "word-of" not in told.out


def test_acl_names_the_passwords_that_are_missing():
    """All at once, by variable; no file is printed."""
    told = sigma("acl", password_counter="x")

    assert (told.code, told.out) == (2, "")
    assert "SIGMA_PASSWORD_CURATOR is not set." in told.err
    assert "SIGMA_PASSWORD_COUNTER" not in told.err


@pytest.fixture
def refused(deployment):
    """Two rows among the dead letters, refused for two attributes."""
    bad = [person(1, age="secret-41"), person(2, age=30, sex="secret-X")]
    deployment.send(bad)
    records = read_all(deployment.broker.bootstrap, deployment.topics.rows, expected=2)

    async def refuse():
        async with Publisher(deployment.broker.bootstrap) as publisher:
            dead = DeadLetters(publisher, deployment.topics.dead_letters, "counter")
            for record in records:
                first = record.key == b"p1"
                why = ("wrong_type", "age") if first else ("outside_levels", "sex")
                await dead.record(record, *why)
            await publisher.flush()

    asyncio.run(refuse())
    return deployment


def test_letters_are_listed_by_reason_and_place_not_by_value(refused):
    """For people and for programs."""
    listed = refused.sigma("dead-letters", "list")
    as_json = refused.sigma("dead-letters", "list", "--json", "--reason", "wrong_type")

    assert listed.code == 0, listed.err
    assert "outside_levels" in listed.out
    assert refused.topics.rows.name in listed.out
    assert "secret" not in listed.out + as_json.out
    (letter,) = [json.loads(line) for line in as_json.out.splitlines()]
    assert (letter["attribute"], letter["replayed"]) == ("age", False)


def test_letters_are_replayed_once(refused):
    """To their topic as they were; a second replay finds nothing."""
    first = refused.sigma("dead-letters", "replay", "--attribute", "age", "--yes")
    second = refused.sigma("dead-letters", "replay", "--attribute", "age", "--yes")

    assert (first.code, second.code) == (0, 0), first.err + second.err
    assert "sent 1 records" in first.out
    assert "no dead letters" in second.out
    keys = [
        record.key
        for record in read_all(
            refused.broker.bootstrap, refused.topics.rows, expected=3
        )
    ]
    assert sorted(keys) == [b"p1", b"p1", b"p2"]


def test_a_replay_asks_first(refused, monkeypatch):
    """Without ``--yes`` a no sends nothing."""
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)

    told = refused.sigma("dead-letters", "replay")

    assert told.code == 2
    assert "nothing was sent" in told.err


def test_no_letters_are_said(deployment):
    """An empty list is an answer."""
    assert "no dead letters" in deployment.sigma("dead-letters", "list").out
