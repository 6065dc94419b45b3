"""The active curator is killed; the standby goes on, and no epoch has two contents."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from kafka import KafkaProducer
from redis import Redis

from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Plan
from store.keys import Keys
from store.server.arrays import unpack
from streams.wire.messages.events import PlanProposed
from tests.fixtures.curator_steps import group
from tests.fixtures.stream_of_rows import DECLARED, Books, Stream, schema
from tests.fixtures.witness import Witness
from tests.fixtures.worker_processes import about, kill, worker_processes

pytestmark = [pytest.mark.integration]

TAKEOVERS = 2


def propose(kafka, topics, dataset, *groups):
    """A plan, as a reclusterer would."""
    plan = Plan(1, groups, DiscreteLaplace.costing(20_000)).to_wire()
    event = PlanProposed(
        dataset=dataset, version=1, based_on=0, plan=plan, reason=(), made_ms=1
    )
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
    value = msgspec.json.encode(event)
    producer.send(topics.plans.name, key=dataset.encode(), value=value)
    producer.close()


@pytest.mark.attack
def test_a_standby_takes_over_and_every_epoch_has_one_content(
    kafka, redis_server, dataset, tmp_path
):
    """Rows change all the while; in the end release − truth is the noise drawn once."""
    keys, by_both = Keys(dataset), group(schema(dataset), "city", "sex")
    with (
        Redis.from_url(redis_server.url) as redis,
        worker_processes(kafka, redis_server, DECLARED, dataset, tmp_path) as processes,
        Witness(redis, keys) as witness,
    ):
        propose(kafka, processes.topics, dataset, by_both)
        with Stream(kafka, processes.topics) as stream:
            processes.start("counter")
            curators = processes.start("curator", 2)
            for _ in range(TAKEOVERS):
                [active] = processes.wait(
                    lambda: [m for m in curators if about(m).get("plan") == 1]
                )
                epoch = about(active)["epoch"]
                processes.wait(
                    lambda at=epoch: max(list(witness.contents), default=0) >= at + 2
                )

                kill(active)
                active.start()
        books = Books(redis, keys, processes.topics.rows.partitions)
        books.wait_for(stream.sent)
        [active] = processes.wait(
            lambda: [m for m in curators if about(m).get("plan") == 1]
        )
        unit = keys.of("sigma:{<ds>:noise}:unit:<unit>:<gen>", unit=by_both.id, gen=0)
        noise = unpack(redis.hget(unit, "array"))
        cells = books.counts()
        truth = np.array([cells.get(code, 0) for code in range(noise.size)])

        processes.wait(
            lambda: (
                witness.look()[1].get(by_both.id, truth).tolist()
                == (truth + noise).tolist()
            )
        )

    assert {len(contents) for contents in list(witness.contents.values())} == {1}
    assert max(witness.contents) >= 2 * TAKEOVERS
