"""Counters are killed with SIGKILL at random moments; no row is lost or counted twice.

Rows stream in all the while: inserts, updates and deletes, many of them repeated.
In the end counts, row map and a recount of the topic by other means are equal, cell
by cell.
"""

from __future__ import annotations

import random
import time
import uuid

import pytest
from redis import Redis

from embedded.deployment import PARTITIONS, Deployment
from store.keys import Keys
from tests.fixtures.counter_life import born
from tests.fixtures.forked_worker import ForkedWorker
from tests.fixtures.stream_of_rows import DECLARED, Books, Stream, recount

pytestmark = [pytest.mark.chaos]

KILLS_OF_A_PAIR = 2  # each makes the group deal out its partitions anew
LIVES = 7  # `make chaos ARGS="--times 3"`: 21, and as many times the kills


@pytest.fixture
def books(redis_server, dataset):
    """What is counted."""
    with Redis.from_url(redis_server.url) as redis:
        yield Books(redis, Keys(dataset), PARTITIONS)


def assert_equal(books, stream):
    """Counts, row map and topic tell the same."""
    expected = recount(stream)
    assert books.row_map() == expected, "the row map differs from the topic"
    assert books.counts() == expected, "the counts differ from the row map"


def test_one_of_two_worker_processes_is_killed_again_and_again(
    kafka, redis_server, dataset, books, tmp_path, times
):
    """The real processes: partitions change hands at every kill and come back."""
    dice = random.Random(dataset)
    declared = tmp_path / "rows.toml"
    declared.write_text(DECLARED.format(name=dataset))
    topics = kafka.topics(PARTITIONS)
    prefix, urls = topics.rows.name.removesuffix("rows"), {"admin": redis_server.url}
    place = Deployment(kafka.bootstrap, prefix, str(declared), urls, embedded=True)
    members = [
        ForkedWorker(
            f"counter-{n}",
            "counter",
            place.environment("counter"),
            tmp_path / "log",
        )
        for n in range(2)
    ]
    try:
        with Stream(kafka, topics) as stream:
            for member in members:
                member.start()
            books.wait_for(1)
            for _ in range(KILLS_OF_A_PAIR * times):
                time.sleep(dice.uniform(0.2, 2.0))
                victim = dice.choice(members)
                victim.process.kill()
                victim.process.wait()
                victim.start()
                books.wait_for(books.done() + 1)
            stream.stop()

            books.wait_for(stream.sent)
    finally:
        for member in members:
            member.process.kill()
            member.process.wait()

    assert_equal(books, stream)


def test_a_counter_dies_again_and_again_amid_its_calls(
    kafka, redis_server, dataset, books, times
):
    """Half of the lives begin while the one before still counts: fences, too.

    Each is killed only after it has counted something, up to half a second later.
    """
    dice = random.Random(dataset)
    topics = kafka.topics(PARTITIONS)
    about = {"bootstrap": kafka.bootstrap, "topics": topics, "dataset": dataset}

    def life():
        group = f"g-{uuid.uuid4().hex}"  # nobody waits until the dead one is missed
        return born(**about, group=group, url=redis_server.url_for("counter"))

    with Stream(kafka, topics) as stream:
        alive = life()
        for _ in range(LIVES * times):
            books.wait_for(books.done() + 1)
            time.sleep(dice.uniform(0.0, 0.4))
            overlapping = life() if dice.random() < 0.5 else None
            if overlapping is not None:
                time.sleep(dice.uniform(0.5, 1.5))
            alive.kill()
            alive.join()
            alive = overlapping or life()
        stream.stop()

        books.wait_for(stream.sent)
        alive.kill()
        alive.join()

    assert_equal(books, stream)
