"""A whole curator: plans come in, questions are answered, and a successor goes on."""

from __future__ import annotations

import asyncio

import pytest

from sigmacount.accounting import Renew
from sigmacount.errors import StreamUnavailable
from store.keys import HEAD
from store.ledger.ledger import RedisLedger
from store.releases.noise_vault import NoiseVault
from store.releases.released import Released
from tests.fixtures.curator_process import PLAN_BUDGET, TOPICS, CuratorProcess, says
from tests.fixtures.curator_steps import World, asking, group
from tests.fixtures.in_memory import MemoryConsumer, MemoryRecord, memory_record
from tests.fixtures.until import eventually

pytestmark = pytest.mark.redis


@pytest.fixture
async def process(redis, keys):
    """Two people."""
    return CuratorProcess(await World.of_two(redis, keys))


async def test_a_plan_waits_with_the_gate_and_is_adopted_behind_it(process):
    """It came while rows were still being counted; it must not be forgotten."""
    process.ends = {0: process.world.position[0] + 1}
    process.propose(1, group(process.world.schema, "sex"))

    async with process.running() as curator:
        await eventually(lambda: says(curator, waiting_for_counters=True))
        await asyncio.sleep(0.3)  # so many ticks, and no epoch
        assert says(curator, epoch=None)
        for number in range(8):
            await process.world.change(**{f"p{number}": ("F", "Rome", "cook")})

        await eventually(lambda: says(curator, plan=1))


async def test_a_plan_that_is_not_newer_is_ignored(process):
    """The log is read from its beginning whenever the lease is taken."""
    sex, city = (group(process.world.schema, name) for name in ("sex", "city"))
    async with process.running() as curator:
        process.propose(2, sex)
        await eventually(lambda: says(curator, plan=2))
        epoch = curator.describe()["epoch"]

        process.propose(2, city)
        process.propose(1, city)
        await asyncio.sleep(0.2)  # ten ticks, at which they would be adopted

        assert says(curator, plan=2, epoch=epoch)


async def test_a_plan_dearer_than_plans_may_be_is_ignored(process):
    """Nothing is charged; what it carries over is not counted against it."""
    schema = process.world.schema
    kept = group(schema, "sex", price=20_000)
    async with process.running() as curator:
        process.propose(1, group(schema, "city", price=PLAN_BUDGET + 1))
        process.propose(2, kept)
        await eventually(lambda: says(curator, plan=2))

        process.propose(3, kept, group(schema, "city", price=20_000))
        await eventually(lambda: says(curator, plan=3))

    totals = await RedisLedger(process.world.redis, process.world.keys).totals()
    assert totals.spent == 40_000


async def test_what_is_no_plan_or_question_is_buried(process):
    """And the next record is read."""
    process.plans.add(MemoryRecord(b"{"), MemoryRecord(None))
    process.propose(1, group(process.world.schema, "sex"))
    process.fresh.add(
        MemoryRecord(b"?", key=b"k"),
        memory_record(asking(process.world.schema, "city = 'Oslo'")),
    )

    async with process.running() as curator:
        await eventually(lambda: says(curator, plan=1) and process.fresh.committed == 2)

    buried = process.out.on(TOPICS.dead_letters)
    reasons = [dict(each.headers)["sigma.reason"] for each in buried]
    assert sorted(reasons) == [b"not_a_fresh_query", b"not_a_plan"]
    assert len(process.out.on(TOPICS.results)) == 1


async def test_every_question_of_a_large_batch_is_told_with_its_correlation(process):
    """In portions; each answer carries the header of its own question."""
    wanted = []
    for number in range(5):
        asked = asking(process.world.schema, "city = 'Oslo'", request=f"r{number}")
        fields = {f: getattr(asked, f) for f in asked.__struct_fields__}
        fields["correlation"] = bytes([255, number]) if number else None
        wanted.append(type(asked)(**fields))
    end = process.fresh.add(*map(memory_record, wanted))

    async with process.running():
        await eventually(lambda: process.fresh.committed == end)

    sent = process.out.on(TOPICS.results)
    assert [each.key for each in sent] == [f"r{n}" for n in range(5)]
    assert [dict(each.headers).get("kafka_correlationId") for each in sent] == [
        None,
        *(bytes([255, n]) for n in range(1, 5)),
    ]
    assert len({each.event.count for each in sent}) == 1


async def test_a_standby_goes_on_where_the_active_one_stopped(process):
    """Same plan, same noise, the next epoch; a standby is ready meanwhile."""
    world = process.world
    process.propose(1, group(world.schema, "sex"))
    async with process.running() as active:
        await eventually(lambda: says(active, plan=1))
        async with CuratorProcess(world, "b").running() as standby:
            await asyncio.sleep(0.1)
            assert standby.ready()
            assert says(standby, standby=True)
    epoch = (await Released(world.redis, world.keys).head()).epoch

    await world.change(cleo=("F", "Rome", "nurse"))
    async with CuratorProcess(world, "b").running() as successor:
        await eventually(
            lambda: says(successor, standby=False, plan=1, epoch=epoch + 1)
        )


async def test_a_fenced_curator_steps_back_and_stands_by_again(process):
    """Somebody with a newer token wrote: its lease is over, its process is not."""
    world = process.world
    async with process.running() as curator:
        await eventually(lambda: says(curator, epoch=1))
        ledger = RedisLedger(world.redis, world.keys)
        released = Released(world.redis, world.keys)
        for fenced in (ledger, released, NoiseVault(world.redis, world.keys)):
            await fenced.fence.advance(2)
        await world.change(cleo=("F", "Rome", "nurse"))

        async def followed():
            return (await released.head()).token == 2

        await eventually(followed)

        assert says(curator, standby=False)
    shown = process.registry.get_sample_value("sigma_fenced_total", {"role": "curator"})
    assert shown == 1


@pytest.mark.parametrize("moved", [False, True])
async def test_by_the_clock_a_successor_waits_for_the_end_of_the_served_epoch(
    process, moved
):
    """Neither it nor its restarts publish a moment earlier, whether rows moved."""
    world, hour = process.world, 3_600.0
    process.rule, process.epoch_seconds = Renew(), hour
    async with process.running() as curator:
        await eventually(lambda: says(curator, epoch=1))
    if moved:
        await world.change(cleo=("F", "Rome", "nurse"))

    heir = CuratorProcess(world, "b", rule=Renew(), epoch_seconds=hour)
    asked = asking(world.schema, "city = 'Oslo'")
    end = heir.fresh.add(memory_record(asked))
    async with heir.running() as curator:
        await eventually(lambda: heir.fresh.committed == end)
        assert says(curator, standby=False, epoch=1)

    [answer] = heir.out.on(TOPICS.results)
    assert answer.event.error.code == "epoch_pending"


async def test_by_the_clock_a_late_successor_publishes_once(process):
    """The served epoch is two hours old: one hour's tick is made, the other is gone."""
    world, hour = process.world, 3_600.0
    process.rule, process.epoch_seconds = Renew(), hour
    async with process.running() as curator:
        await eventually(lambda: says(curator, epoch=1))
    head, key = await Released(world.redis, world.keys).head(), world.keys.of(HEAD)
    wire = await world.redis.hget(key, "wire")
    then = str(head.as_of_ms - 7_200_000).encode()
    await world.redis.hset(key, "wire", wire.replace(b"%d" % head.as_of_ms, then))

    heir = CuratorProcess(world, "b", rule=Renew(), epoch_seconds=hour)
    end = heir.fresh.add(memory_record(asking(world.schema, "city = 'Oslo'")))
    async with heir.running() as curator:
        await eventually(lambda: heir.fresh.committed == end)
        assert says(curator, epoch=2)

    [answer] = heir.out.on(TOPICS.results)
    assert (answer.event.status, answer.event.epoch) == ("ok", 2)


async def test_one_curator_after_another_over_the_same_rows_costs_nothing(process):
    """A crash loop: each answers a question in the one epoch, and leaves."""
    world = process.world
    process.propose(1, group(world.schema, "sex"))
    async with process.running() as curator:
        await eventually(lambda: says(curator, plan=1))
    ledger = RedisLedger(world.redis, world.keys)
    epoch = (await Released(world.redis, world.keys).head()).epoch
    spent = (await ledger.totals()).spent

    for name in "bcdef":
        heir = CuratorProcess(world, name)
        end = heir.fresh.add(memory_record(asking(world.schema, "city = 'Oslo'")))
        async with heir.running():
            await eventually(lambda heir=heir, end=end: heir.fresh.committed == end)
        [answer] = heir.out.on(TOPICS.results)
        assert (answer.event.status, answer.event.epoch) == ("ok", epoch)

    assert (await Released(world.redis, world.keys).head()).epoch == epoch
    assert (await ledger.totals()).spent == spent + 20_000  # the question, once


class Hiccup(MemoryConsumer):
    """Once, its broker does not answer."""

    failed = False

    async def next_batch(self, timeout_seconds=0.5):
        """Fails at first."""
        if not self.failed:
            self.failed = True
            msg = "away"
            raise StreamUnavailable(msg)
        return await super().next_batch(timeout_seconds)


async def test_a_broker_that_does_not_answer_once_delays_a_plan_and_no_more(process):
    """The curator asks again, and leads on under the same lease."""
    process.plans = Hiccup()
    process.propose(1, group(process.world.schema, "sex"))

    async with process.running() as curator:
        await eventually(lambda: says(curator, plan=1))

    assert process.plans.failed
