"""Standing questions: answered when they are accepted, and then epoch by epoch."""

from __future__ import annotations

import pytest

from sigmacount.language import parse
from streams.wire.messages.events import FreshCountAsked
from streams.wire.messages.tables import Terms
from tests.fixtures.curator_process import TOPICS as CURATOR_TOPICS
from tests.fixtures.curator_process import CuratorProcess, says
from tests.fixtures.curator_steps import World, group
from tests.fixtures.in_memory import memory_record
from tests.fixtures.responder_steps import FEMALE, TOPICS, ResponderSteps, ask
from tests.fixtures.standing import standing
from tests.fixtures.until import eventually

pytestmark = pytest.mark.redis

ROME = "city = 'Rome'"


@pytest.fixture
async def steps(redis, keys):
    """Sex is in an algebra, cities are not; epoch 1 is served."""
    return await ResponderSteps.of(redis, keys, ["sex"])


async def next_epoch(steps, times=1):
    """Rows change, and are released."""
    for at in range(times):
        await steps.world.change(
            **{f"more{at}{len(steps.results)}": ("M", "Rome", "cook")}
        )
        await steps.curator.tick()


def answered(steps, name="women"):
    """Epoch and status of what was said under a name."""
    return [(a.epoch, a.status) for a in steps.results if a.name == name]


def forwarded(steps):
    """What the curator was asked."""
    return [each.event for each in steps.out.on(TOPICS.fresh)]


async def settled(steps):
    """All that was added was taken, and the group knows."""
    topic = steps.standing
    await eventually(lambda: topic.accepted == len(topic.records))


async def test_it_is_answered_at_once_and_then_once_in_each_epoch(steps):
    """Under its name, to its client; like the same question asked alone."""
    async with steps.running():
        steps.standing.add(standing("women", FEMALE))
        await eventually(lambda: answered(steps) == [(1, "ok")])
        await next_epoch(steps)
        await eventually(lambda: answered(steps) == [(1, "ok"), (2, "ok")])
        steps.questions.add(ask(FEMALE, "alone"))
        await eventually(lambda: len(steps.results) == 3)

    first, second, alone = steps.results
    assert (first.client, first.request_id, first.name) == ("ada", "women", "women")
    assert (second.count, second.interval) == (alone.count, alone.interval)
    assert [each.key for each in steps.out.on(TOPICS.results)][:2] == ["women"] * 2


async def test_a_table_is_answered_with_its_rows(steps):
    """At once, from the algebra; another one that needs noise is passed on whole."""
    async with steps.running():
        steps.standing.add(
            standing("sexes", by=("sex",)), standing("towns", by=("city",))
        )
        await eventually(lambda: answered(steps, "sexes") and forwarded(steps))

    [table] = (answer.table for answer in steps.results)
    assert [row.levels for row in table.rows] == [("F",), ("M",)]
    [passed] = forwarded(steps)
    assert (passed.name, passed.by, passed.terms.max_cost) == ("towns", ("city",), 0)


async def test_every_third_epoch_is_every_third_epoch(steps):
    """By its number, so that all responders mean the same ones."""
    async with steps.running():
        steps.standing.add(standing("women", FEMALE, every=3), standing("all"))
        for epoch in range(1, 7):
            await eventually(lambda e=epoch: answered(steps, "all")[-1:] == [(e, "ok")])
            await next_epoch(steps)

    assert [epoch for epoch, _ in answered(steps)] == [1, 3, 6]


async def test_what_was_ended_or_replaced_is_answered_no_more(steps):
    """By a null value; the last record of a key is the question."""
    async with steps.running():
        steps.standing.add(standing("women", FEMALE), standing("all", FEMALE))
        await eventually(lambda: len(steps.results) == 2)
        steps.standing.end("women")
        steps.standing.add(standing("all", "sex = 'M'"))
        await eventually(lambda: len(steps.results) == 3)
        await next_epoch(steps)
        await eventually(lambda: len(answered(steps, "all")) == 3)

    assert [epoch for epoch, _ in answered(steps)] == [1]
    women, _, men, again = steps.results
    assert men.atoms == women.atoms == again.atoms
    assert again.epoch == 2


async def test_a_successor_reads_it_all_and_says_nothing_twice_but_this_epoch(steps):
    """What was ended since is not answered, though its record is still there."""
    async with steps.running():
        steps.standing.add(standing("women", FEMALE, every=2), standing("all"))
        steps.standing.raw(b"nonsense", b"k")
        await settled(steps)
    before = list(steps.results)
    steps.standing.end("all")
    steps.out.sent.clear()

    async with steps.running():
        await settled(steps)
        steps.standing.add(standing("new", FEMALE))
        await eventually(lambda: answered(steps, "new"))
        await next_epoch(steps)
        await eventually(lambda: answered(steps))

    assert len(before) == 2
    assert {(a.name, a.epoch) for a in steps.results} >= {("new", 1), ("women", 2)}
    assert not answered(steps, "all")
    assert not steps.out.on(TOPICS.dead_letters)


async def test_a_rebalance_neither_loses_nor_doubles_an_epoch_to_come(steps):
    """The partition is read again from its beginning."""
    async with steps.running():
        steps.standing.add(standing("women", FEMALE, every=2))
        await settled(steps)
        await steps.standing.readers[-1].dealt_anew()
        await next_epoch(steps)
        await eventually(lambda: len(answered(steps)) == 2)
        steps.standing.add(standing("mark", FEMALE))
        await eventually(lambda: answered(steps, "mark"))

    assert [epoch for epoch, _ in answered(steps)] == [1, 2]


async def test_one_that_needs_noise_is_passed_on_once_and_may_spend_nothing(steps):
    """For its price; an epoch later it is not asked again. Who pays is, each time."""
    async with steps.running():
        steps.standing.add(
            standing("free", ROME), standing("paid", ROME, "bob", max_cost=30_000)
        )
        await eventually(lambda: len(forwarded(steps)) == 2)
        await next_epoch(steps)
        await eventually(lambda: len(forwarded(steps)) == 3)
        steps.standing.add(standing("mark", FEMALE))
        await eventually(lambda: answered(steps, "mark"))

    free, paid, again = forwarded(steps)
    assert (free.name, free.terms.max_cost) == ("free", 0)
    assert (paid.name, paid.client, paid.terms.max_cost) == ("paid", "bob", 30_000)
    assert again.name == "paid"


async def test_what_means_nothing_is_answered_once(steps):
    """An unknown name `invalid`; no question at all is a dead letter, too."""
    async with steps.running():
        steps.standing.add(standing("odd", "colour = 'red'"))
        steps.standing.add(standing("a/b", FEMALE))
        steps.standing.raw(b'{"client": "ada", "name": "women"}', b"not/its key")
        steps.standing.raw(b'{"request_id": "r", "v": 7}', None)
        steps.standing.raw(b"\xff", b"k")
        await settled(steps)
        await next_epoch(steps)
        steps.standing.add(standing("women", FEMALE))
        await eventually(lambda: answered(steps))

    assert answered(steps, "odd") == [(None, "invalid")]
    assert len(steps.out.on(TOPICS.dead_letters)) == 4
    told = {each.request_id for each in steps.results if each.status == "invalid"}
    assert told == {"odd", "r"}


async def test_beyond_a_limit_a_question_is_refused_and_the_others_stand(steps):
    """Three of a client, five of all; who ends one has room again."""
    async with steps.running():
        steps.standing.add(*(standing(f"a{i}", FEMALE) for i in range(4)))
        steps.standing.add(*(standing(f"b{i}", FEMALE, "bob") for i in range(3)))
        await settled(steps)
        steps.standing.end("a0")
        steps.standing.add(standing("a3", FEMALE))
        await settled(steps)

    assert steps.registry.get_sample_value("sigma_standing_questions") == 5
    refused = {a.name or a.request_id: a for a in steps.results if a.status != "ok"}
    assert refused.keys() == {"a3", "b2"}
    assert {each.error.code for each in refused.values()} == {"too_many_standing"}
    assert "a client" in refused["a3"].error.message
    assert answered(steps, "a3") == [(None, "refused"), (1, "ok")]


async def test_other_questions_wait_for_a_turn_at_most(steps):
    """Two standing questions are answered, then the batch that came meanwhile."""
    steps.standing.add(*(standing(f"s{i}", FEMALE) for i in range(3)))
    steps.standing.add(*(standing(f"t{i}", FEMALE, "bob") for i in range(2)))
    async with steps.running():
        await settled(steps)
        await next_epoch(steps)
        steps.questions.add(ask(FEMALE, "alone"))
        await eventually(lambda: len(steps.results) == 11)

    names = [a.request_id for a in steps.results[5:]]
    assert names.index("alone") <= 2
    assert len(set(names)) == 6


async def test_the_curator_says_its_price_or_is_paid_for_each_answer(redis, keys):
    """Refused with a quote and how to pay; who allows the price pays it, by name."""
    process = CuratorProcess(await World.of_two(redis, keys))
    schema = process.world.schema
    async with process.running() as curator:
        process.propose(1, group(schema, "sex"))
        await eventually(lambda: says(curator, plan=1))
        for name, cost in (("free", 0), ("dear", 7), ("paid", 20_000)):
            process.fresh.add(memory_record(turn_of(schema, name, cost)))
        await eventually(lambda: len(process.out.on(CURATOR_TOPICS.results)) == 3)

    free, dear, paid = (each.event for each in process.out.on(CURATOR_TOPICS.results))
    assert (free.name, free.status, free.quote.cost) == ("free", "refused", 20_000)
    assert free.error.code == "standing_needs_noise"
    assert "20000 µε" in free.error.message
    assert dear.error.code == "above_max_cost"
    assert (paid.name, paid.status, paid.spent.units) == ("paid", "ok", 20_000)


def turn_of(schema, name, cost):
    """A turn of a standing question on its way to the curator."""
    query = parse(schema, ROME)
    return FreshCountAsked(
        request_id=name,
        client="ada",
        key=query.key,
        query=query.to_wire(),
        asked_ms=1,
        terms=Terms(max_cost=cost),
        name=name,
    )
