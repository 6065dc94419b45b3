"""`sigma verify` and `sigma rebuild` where rows may change so often and no more."""

import json

import pytest

from store.sensitive import KeySpellings
from tests.fixtures.deployment import Deployment, person

pytestmark = [pytest.mark.kafka, pytest.mark.redis]

LIMIT = 3


@pytest.fixture
def limited(kafka, redis_server, dataset, tmp_path):
    """40 who moved twice, the second time once too often; 20 who have changes left."""
    deployment = Deployment.of(kafka, redis_server, dataset, tmp_path)
    events = [person(n, age=n % 100) for n in range(40)]
    events += [person(n, age=(n + 10) % 100, op="update") for n in range(40)]
    events += [person(n, age=(n + 30) % 100, op="update") for n in range(0, 40, 2)]
    events += [person(n, age=0, op="delete") for n in range(0, 40, 4)]
    events += [person(n, age=n % 100) for n in range(40, 60)]
    deployment.send(events)
    deployment.count(len(events), limit=LIMIT)
    return deployment


def test_what_was_set_aside_is_no_difference(limited):
    """The recount applies the same limit to the same records."""
    told = limited.sigma("verify")

    assert told.code == 0, told.out + told.err


def test_a_row_that_went_where_it_may_not_is_a_difference(limited):
    """A row map that followed a record in excess is found out."""

    async def follow(redis, keys):
        for p in range(3):
            _, rows, _, _ = keys.partition(p)
            for id_ in await redis.hkeys(rows):
                await redis.hset(rows, id_, (0).to_bytes(8, "big"))

    limited.in_store(follow)

    told = limited.sigma("verify", "--json")

    assert told.code == 1
    assert json.loads(told.out)["differences"]


def test_a_rebuild_from_the_topic_gives_the_same(limited):
    """Rows, counts, and how often each row changed; and again nothing differs."""
    before = limited.counted()

    told = limited.sigma("rebuild", "--yes")
    limited.count(0, limit=LIMIT)

    assert told.code == 0, told.out + told.err
    assert limited.counted() == before
    assert limited.sigma("verify").code == 0


def test_a_rebuild_half_way_through_is_no_difference(limited):
    """Rows that may not change any more stay, the others wait for their record."""
    assert limited.sigma("rebuild", "--yes").code == 0

    assert limited.sigma("verify").code == 0


def test_a_topic_made_anew_moves_nobody_further_than_the_limit(limited):
    """Its rows are compared with where they were, not counted as new."""
    renewed = limited.broker.topics(3)
    prefix = renewed.rows.name.removesuffix("rows")
    after = Deployment(
        limited.broker, limited.redis, renewed, limited.declared, limited.schema
    )
    after.send([person(n, age=99) for n in range(40)])

    assert after.sigma("rebuild", "--yes", kafka_prefix=prefix).code == 0
    after.count(40, limit=LIMIT)

    assert after.counted() == limited.counted()
    assert after.sigma("verify", kafka_prefix=prefix).code == 0


def test_another_number_of_partitions_is_refused_before_anything_is_forgotten(limited):
    """Ids would belong to partitions that do not know how often they changed."""

    async def spell(redis, keys):
        await KeySpellings(redis, keys).keep("topic", "as ever")

    async def spelled(redis, keys):
        assert await KeySpellings(redis, keys).kept("topic") == "as ever"

    limited.in_store(spell)
    renewed = limited.broker.topics(2)
    env = {
        "kafka_prefix": renewed.rows.name.removesuffix("rows"),
        "kafka_partitions": 2,
    }

    told = limited.sigma("rebuild", "--yes", **env)

    assert told.code == 1
    assert "give the dataset another name" in " ".join(told.err.split())
    limited.in_store(spelled)
    assert limited.sigma("verify").code == 0
