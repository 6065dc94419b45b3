"""The catalog: what may be asked, from the declaration, told once."""

from __future__ import annotations

import asyncio
import json
from functools import partial

import pytest

from config.declarations import datasets
from config.privacy import Privacy
from sigmaclient import DatasetSchema, NoSchema, Session
from sigmacount.errors import StreamUnavailable
from sigmacount.language import parse
from streams.clients.batch_consumer import BatchConsumer
from streams.clients.publisher import Publisher
from streams.wire.codec import decode, encode
from streams.wire.messages.catalog import Catalog
from tests.fixtures.cli import sigma
from tests.fixtures.curator_process import CuratorProcess, says
from tests.fixtures.curator_steps import World
from tests.fixtures.reading import read_all
from tests.fixtures.until import eventually
from workers.catalog import CatalogTopic, catalog_of, promise_of

ARGUMENTS = ((), ("city",), ("ages",))
PEOPLE = datasets.load("people")
PRIVACY = Privacy(budget=8_000_000, churn_probability=0.01)
PROMISE = promise_of(PRIVACY, 10.0), 0.9


def attribute(name, dataset="visits"):
    """One attribute of a shipped dataset, as the catalog shows it."""
    shown = catalog_of(datasets.load(dataset)).attributes
    return next(each for each in shown if each.name == name)


@pytest.mark.parametrize("name", datasets.shipped())
def test_every_attribute_of_a_shipped_dataset_has_an_example_that_can_be_asked(name):
    """And it is about that attribute alone."""
    dataset = datasets.load(name)

    for at, each in enumerate(catalog_of(dataset).attributes):
        assert parse(dataset.schema, each.example).active == (at,)


def test_an_attribute_is_shown_as_it_was_declared():
    """Bins with their edges as values, labels, the rest level, and what may lack."""
    born, heat = attribute("born"), attribute("temperature")
    country, age = attribute("native_country", "adult"), attribute("age", "people")

    assert born.edges[:2] == ("1930-01-01", "1931-01-01")
    assert heat.edges[:2] == (35.0, 36.0)
    assert attribute("arrived").edges[0] == "2026-01-01T00:00:00Z"
    assert (age.kind, age.outside, len(age.levels)) == ("integer", "bins", 12)
    assert len(age.edges) == 11
    assert country.other == "other"
    assert country.other in country.levels
    assert "NULL" not in country.levels


def test_it_says_what_is_promised():
    """The rule's own words, what a fresh question costs, and the confidence."""
    made = catalog_of(PEOPLE, *PROMISE)

    assert made.promise.rule == "fixed-noise"
    assert made.promise.fresh == PRIVACY.fresh
    assert made.promise.changes_are_exact
    assert "changed or deleted" in made.promise.protects
    assert made.confidence == 0.9


def test_without_a_budget_it_promises_nothing():
    """As `sigma describe` shows a declaration alone."""
    assert catalog_of(PEOPLE).promise is None


def test_a_catalog_that_is_too_long_leaves_levels_out_and_says_how_many():
    """However many there are; the examples stay."""
    whole = catalog_of(datasets.load("visits"))

    cut = catalog_of(datasets.load("visits"), most_bytes=4_000)

    assert len(encode(cut)) <= 4_000
    for one, other in zip(whole.attributes, cut.attributes, strict=True):
        assert len(other.levels) + other.left_out == len(one.levels)
        assert other.example == one.example
    assert any(each.left_out for each in cut.attributes)


async def shown_to_clients(bootstrap, prefix, made):
    """What a session and the terminal make of it; there are two datasets."""
    async with Session(bootstrap, client="ada", prefix=prefix) as session:
        assert await session.schema("people") == DatasetSchema.of(made)
        with pytest.raises(NoSchema, match=r"nothing about dataset 'pets'.*'people'"):
            await session.schema("pets")
    shown = await asyncio.to_thread(
        sigma, "describe", "--json", "--kafka", bootstrap, "--prefix", prefix
    )
    assert json.loads(shown.out)["fingerprint"] == made.fingerprint


def test_a_terminal_shows_a_declaration_without_servers():
    """All attributes with an example, or every level of one; typing errors named."""
    whole, one, wrong = (sigma("describe", "-d", "people", *at) for at in ARGUMENTS)

    assert "age >= 50 AND age < 60" in whole.out
    assert "every value that is not listed" in one.out
    assert "Toulouse" in one.out
    assert wrong.code != 0
    assert "there are age, sex, city" in wrong.err


@pytest.mark.kafka
async def test_it_is_published_where_something_else_stands_there(kafka):
    """Once; a second time nothing is sent; nonsense and another declaration go."""
    topic = kafka.topics(1).catalog

    def reader():
        async def place(here):
            return dict.fromkeys(here, "earliest")

        return BatchConsumer(kafka.bootstrap, [topic.name], None, on_assigned=place)

    told = CatalogTopic(topic, partial(Publisher, kafka.bootstrap), reader)
    made = catalog_of(PEOPLE, *PROMISE)
    async with Publisher(kafka.bootstrap) as sender:
        await sender.send_raw(topic.name, b"people", b"nonsense")

    sent = [await told.publish(made) for _ in range(2)]

    async with Publisher(kafka.bootstrap) as sender:
        await sender.send(topic, "other", catalog_of(PEOPLE))
    assert sent == [True, False]
    await shown_to_clients(kafka.bootstrap, topic.name.removesuffix("catalog"), made)
    assert await told.publish(catalog_of(PEOPLE))
    values = [record.value for record in read_all(kafka.bootstrap, topic, expected=4)]
    assert decode(Catalog, values[1]) == made
    assert len(values) == 4


@pytest.mark.redis
async def test_the_leader_publishes_it_and_no_epoch_waits_for_that(redis, keys):
    """A broker that does not answer is tried again; once told, it is let be."""
    tries = []

    async def publish():
        tries.append(curator.describe()["epoch"])
        if len(tries) < 3:
            msg = "away"
            raise StreamUnavailable(msg)

    world = World.of(redis, keys)
    await world.change(ada=("F", "Oslo", "cook"))
    process = CuratorProcess(world, publish_catalog=publish)
    async with process.running() as curator:
        await eventually(lambda: len(tries) == 3)
        await world.change(bob=("M", "Rome", "cook"))
        await eventually(lambda: not says(curator, epoch=tries[-1]))

    assert tries[1] is not None  # an epoch came between two tries
    assert len(tries) == 3
