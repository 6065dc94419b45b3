"""`sigma verify` and `sigma rebuild`: counts against the topic, and counting anew."""

import json
import re

import pytest

from streams.wire.messages.events import RowChanged
from tests.fixtures.deployment import Deployment, person

pytestmark = [pytest.mark.kafka, pytest.mark.redis]


@pytest.fixture
def deployment(kafka, redis_server, dataset, tmp_path):
    """Servers, topics and a dataset of this test alone."""
    return Deployment.of(kafka, redis_server, dataset, tmp_path)


@pytest.fixture
def counted(deployment):
    """200 people, of whom some moved, some left and one record is bad; all counted."""
    events = [person(n, age=n % 100) for n in range(200)]
    events += [person(n, age=(n + 10) % 100, op="update") for n in range(0, 200, 7)]
    events += [person(n, age=0, op="delete") for n in range(0, 200, 9)]
    events.append(RowChanged(op="insert", id="odd", row={"age": "old", "sex": "F"}))
    deployment.send(events)
    deployment.count(len(events))
    return deployment


def tamper(deployment, *command):
    """Change the store behind the counters' back, in a partition with rows."""

    async def act(redis, keys):
        for p in range(3):
            meta, rows, cells, _ = keys.partition(p)
            held = await redis.hgetall(cells)
            if held:
                cell = next(iter(held))
                words = {"cells": cells, "rows": rows, "cell": cell, "meta": meta}
                await redis.execute_command(*[words.get(w, w) for w in command])
                return

    deployment.in_store(act)


def test_equal_counts_are_said_to_be_equal(counted):
    """Updates, deletes and bad records included; the row map, too."""
    told = counted.sigma("verify")

    assert told.code == 0, told.out + told.err
    assert "equal: counts, row map and rows topic agree in 3 partitions" in told.out


def test_rows_that_came_since_do_not_disturb(counted):
    """The comparison is made where Redis stands, however far the topic went on."""
    counted.send(person(n, age=5) for n in range(1000, 1200))

    told = counted.sigma("verify", "--json")

    assert told.code == 0, told.out
    assert json.loads(told.out)["equal"] is True


@pytest.mark.parametrize(
    ("command", "cells", "row_map"),
    [
        (("HINCRBY", "cells", "cell", 1), 1, 0),
        (("HSET", "rows", "ghost", b"\0" * 8), 0, 1),
    ],
    ids=["a count too high", "a row too many"],
)
def test_a_difference_is_told_by_the_number_of_cells(counted, command, cells, row_map):
    """Exit code 1; which cells, and what they hold, is not told."""
    tamper(counted, *command)

    told = counted.sigma("verify", "--json")

    assert told.code == 1
    (found,) = json.loads(told.out)["differences"]
    assert (found["cells"], found["row_map"]) == (cells, row_map)


def test_a_difference_names_the_remedy(counted):
    """For people: a table, and `sigma rebuild`."""
    tamper(counted, "HINCRBY", "cells", "cell", 1)

    told = counted.sigma("verify")

    assert told.code == 1
    assert "counts and rows topic differ" in told.out
    assert "sigma rebuild" in told.out


def test_counts_beyond_the_end_are_another_topics(counted):
    """A topic made anew is shorter; waiting for its end would be for ever."""
    tamper(counted, "HSET", "meta", "next", 10**6)

    told = counted.sigma("verify")

    assert told.code == 1
    assert "counted beyond the end" in told.err
    assert "sigma rebuild" in told.err


def test_counts_of_another_declaration_are_refused(counted):
    """Cell codes mean something in one schema only."""
    text = counted.declared.read_text()
    counted.declared.write_text(text.replace("step = 10", "step = 20"))

    told = counted.sigma("verify")

    assert told.code == 1
    assert "another declaration" in told.err


def test_nothing_counted_is_not_equal(deployment):
    """An empty store is no proof of anything."""
    told = deployment.sigma("verify")

    assert told.code == 1
    assert "no counter has counted" in told.out


def test_who_may_not_see_the_truth_may_not_verify(counted):
    """The responder's user is refused by the store itself."""
    told = counted.sigma("verify", user="responder")

    assert told.code == 2
    assert "Redis does not let this user do that" in told.err


def test_nothing_told_quotes_a_count(counted):
    """No figure of the output but partitions, for equal and for different."""
    equal = counted.sigma("verify").out
    tamper(counted, "HINCRBY", "cells", "cell", 1)
    different = counted.sigma("verify").out

    assert re.findall(r"\d+", equal) == ["3"]
    assert all(int(figure) <= 3 for figure in re.findall(r"\d+", different))


def test_rebuild_begins_anew_and_counting_gives_the_same(counted):
    """All is forgotten, the topic is read again, and nothing differs."""
    tamper(counted, "HINCRBY", "cells", "cell", 1)

    told = counted.sigma("rebuild", "--yes")
    assert told.code == 0, told.err
    assert "3 partitions" in told.out
    assert counted.sigma("verify").code == 0  # nothing counted is what it says
    counted.count(0)

    assert counted.sigma("verify").code == 0


def test_rebuild_asks_first(counted, monkeypatch):
    """Without ``--yes`` a no changes nothing."""
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    tamper(counted, "HINCRBY", "cells", "cell", 1)

    told = counted.sigma("rebuild")

    assert told.code == 2
    assert "nothing was changed" in told.err
    assert counted.sigma("verify").code == 1


async def third_partition_is_empty(redis, keys):
    """What the larger topic had left there is gone: it was rows of people."""
    _, rows, cells, _ = keys.partition(2)
    assert await redis.exists(rows, cells) == 0


def test_rebuild_takes_a_topic_that_was_made_anew(counted):
    """The identity in Redis is then the new topic's, so counters start."""
    renewed = counted.broker.topics(2)
    prefix = renewed.rows.name.removesuffix("rows")
    env = {"kafka_prefix": prefix, "kafka_partitions": 2}

    told = counted.sigma("rebuild", "--yes", **env)

    assert told.code == 0, told.err
    assert "another number of partitions" in told.out
    assert counted.sigma("verify", **env).code == 0
    counted.in_store(third_partition_is_empty)
    after = Deployment(
        counted.broker, counted.redis, renewed, counted.declared, counted.schema
    )
    after.send([person(1, age=20)])
    after.count(1)
    assert counted.sigma("verify", **env).code == 0
