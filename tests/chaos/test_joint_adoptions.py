"""Curators are killed with SIGKILL while they adopt joint plans of several units.

At the calls of the store that an adoption is made of, between two of its units too, and
at random moments; a standby takes over, and rows change all the while.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from kafka import KafkaProducer
from redis import Redis

from sigmacount.domain import Schema
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import EpochMaker, simplex, tally
from store.keys import NOISE_UNIT, Keys
from store.server.arrays import unpack
from streams.wire.messages.events import PlanProposed
from tests.chaos.test_kills_at_edges import Victims
from tests.fixtures.balance import audited
from tests.fixtures.cli import sigma
from tests.fixtures.curator_steps import ATTRIBUTES
from tests.fixtures.epoch_witness import EpochWitness, assert_whole_and_agreeing
from tests.fixtures.joint_steps import joint_plan
from tests.fixtures.minutes import SHORT_S
from tests.fixtures.people_stream import PeopleStream
from tests.fixtures.stream_of_rows import Books
from tests.fixtures.until import until
from tests.fixtures.worker_processes import PEOPLE, about, worker_processes

pytestmark = [pytest.mark.chaos, pytest.mark.one_broker, pytest.mark.redis]

PLENTY = str(10**9)
QUICKLY = {"SIGMA_CURATOR_EPOCH_SECONDS": "0.5", "SIGMA_CURATOR_LEASE_MS": "2000"}
IN_EPSILON = QUICKLY | {
    "SIGMA_PRIVACY_BUDGET": PLENTY,
    "SIGMA_PRIVACY_PLAN_BUDGET": str(10**8),
    "SIGMA_PRIVACY_PLAN_RATE": str(10**8),
}
IN_RHO = QUICKLY | {
    "SIGMA_PRIVACY_MEASURE": "zcdp",
    "SIGMA_PRIVACY_DELTA": "1e-9",
    "SIGMA_PRIVACY_BUDGET": PLENTY,
    "SIGMA_PRIVACY_SURCHARGE_BUDGET": PLENTY,
    "SIGMA_PRIVACY_PLAN_BUDGET": str(10**11),
    "SIGMA_PRIVACY_PLAN_RATE": str(10**11),
    "SIGMA_PRIVACY_FRESH": "20000000",
}
TERMS = {"P": IN_EPSILON, "Z": IN_RHO}
ACTS = ("charge", "noise_put", "basis_put", "publish")
EDGES = [
    *((act, edge, 1) for act, edge in itertools.product(ACTS, ("before", "after"))),
    *(("noise_put", edge, 2) for edge in ("before", "after")),  # between two units
    ("at random", "", 0),
]
IN_A_HURRY = 2  # of them, drawn anew in each run; `--minutes` tries all


def plan_of(schema, version, family):
    """Two units that no plan before had; of family Z also one of the plan before."""
    if family == "P":
        return joint_plan(schema, version, price=100_000 + version)
    scales = tuple(300.0 + number for number in range(2 * version, 2 * version + 3))
    return joint_plan(schema, version, "Z", scales)


class Adoptions:
    """Workers at work, plans proposed, and who was killed comes back."""

    def __init__(self, processes, redis, keys, kafka, family):
        self.processes, self.redis, self.keys = processes, redis, keys
        self.kafka, self._family = kafka, family
        self.schema = Schema(keys.dataset, ATTRIBUTES)
        self.books = Books(redis, keys, processes.topics.rows.partitions)
        self.victims = None

    def propose(self, version):
        """The next plan is on its topic."""
        topics, name = self.processes.topics, self.keys.dataset
        plan = replace(
            plan_of(self.schema, version, self._family),
            fresh=DiscreteLaplace.costing(20_000),
        )
        event = PlanProposed(
            dataset=name,
            version=version,
            based_on=0,
            plan=plan.to_wire(),
            reason=(),
            made_ms=1,
        )
        producer = KafkaProducer(bootstrap_servers=self.kafka.bootstrap)
        value = msgspec.json.encode(event)
        producer.send(topics.plans.name, key=name.encode(), value=value)
        producer.close()

    def revive(self):
        """As an orchestrator would."""
        for member in self.processes.members:
            if member.process.poll() is not None:
                member.start()

    def leading(self):
        """What the active curator says of itself."""
        members = [m for m in self.processes.members if m.role == "curator"]
        found = [(m, about(m)) for m in members]
        return [(m, said) for m, said in found if said.get("epoch") is not None]

    def wait(self, true):
        """It becomes true, while whoever ends comes back."""

        def looked():
            self.revive()
            return bool(true())

        until(looked, 120.0, lambda: self.processes.logs()[-6_000:])

    def adopted(self, version):
        """A curator leads, and has published an epoch of this plan."""
        self.wait(lambda: any(said["plan"] == version for _, said in self.leading()))

    def killed_at(self, version, edge, dice):
        """The active curator dies at this edge of the adoption of a plan."""
        act, side, nth = edge
        if act == "at random":
            [(active, _)] = self.leading()
            self.propose(version)
            time.sleep(dice.uniform(0.0, 1.5))  # the moment is what is random
            os.kill(active.process.pid, signal.SIGKILL)
        else:
            self.victims.killed(act, side, lambda: self.propose(version), nth)
        self.adopted(version)

    def start(self, victims):
        """A counter, and two curators behind proxies."""
        self.victims = victims
        self.processes.start("counter", **TERMS[self._family])
        for _ in range(2):
            victims.start("curator", **TERMS[self._family])

    def shows_rows_and_noise(self, witness):
        """Whether what is served is made of today's rows and of the noise kept."""
        witness.look()
        plan, _, noisy = list(witness.epochs())[-1]
        cells = self.books.counts()
        levels = self.schema.levels_of(np.array(list(cells), np.int64))
        rows = np.array(list(cells.values()), np.int64)
        counted = {each.id: tally(each, levels, rows) for each in plan.tallied}
        made = EpochMaker(simplex).arrays(plan, counted, self.vault(plan))
        return all(np.array_equal(made.noisy[gid], noisy[gid]) for gid in noisy)

    def vault(self, plan):
        """The noise of every unit, as it is kept."""
        places = {u.id: self.keys.of(NOISE_UNIT, unit=u.id, gen=0) for u in plan.units}
        return {uid: unpack(self.redis.hget(at, "array")) for uid, at in places.items()}

    def sigma(self, *words):
        """A verb of ours, as an admin."""
        given = self.processes.place.environment("admin")
        plain = {k.removeprefix("SIGMA_").lower(): v for k, v in given.items()}
        return sigma(*words, **plain)


@pytest.mark.parametrize("family", TERMS)
def test_one_noise_a_unit_and_whole_tables_wherever_an_adoption_is_cut(
    kafka, redis_server, dataset, tmp_path, seconds, seed, figures, family
):
    """Commitments, ledger, recount and every epoch that anybody saw."""
    dice, keys = random.Random(seed), Keys(dataset)
    chosen = dice.sample(EDGES, IN_A_HURRY) if seconds <= SHORT_S else EDGES
    with ExitStack() as stack:
        enter = stack.enter_context
        redis = enter(Redis.from_url(redis_server.url))
        there = (kafka, redis_server, PEOPLE, dataset, tmp_path)
        processes = enter(worker_processes(*there))
        work = Adoptions(processes, redis, keys, kafka, family)
        work.start(Victims(work, redis_server, stack))
        witness = enter(EpochWitness(redis, keys, work.schema))
        stream = enter(PeopleStream(kafka, processes.topics, seed))
        work.wait(work.leading)
        for version, edge in enumerate(chosen, 1):
            work.killed_at(version, edge, dice)
        stream.stop()
        work.books.wait_for(stream.sent)
        work.wait(lambda: work.shows_rows_and_noise(witness))
        lines, noises = audited(work)
        for verb in ("verify", "ledger"):
            told = work.sigma(verb)
            assert told.code == 0, told.out + told.err

    shown = Counter(plan.version for plan, *_ in witness.epochs())
    assert not witness.twice
    for plan, counts, _ in witness.epochs():
        assert_whole_and_agreeing(plan, counts)
    cuts = ", ".join(" ".join(map(str, edge)).strip() for edge in chosen)
    figures(
        f"seed {seed}, family {family}: killed {cuts}; {shown.total()} epochs seen,"
        f" {lines} charges and {noises} noises as published"
    )
