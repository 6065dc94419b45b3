"""A whole life audited: nothing was shown that the topic `ledger` had not told before.

A ledger is opened; plans, epochs, fresh questions, a takeover, a crash, a store put
back and restored, two changes of the rule. The auditor (`auditor.py`) has the topic
alone, and for the last step the vault. The attack is won when the chain, a total or a
client's sum is another than the store's, when a commitment opens to other noise than
what was shown, or when anything was published before its charge and its commitment
stood in the topic. Exact; no error rate.
"""

from __future__ import annotations

import pytest

from sigmacount.accounting import FixedNoise, Renew
from sigmacount.models import NoiseName
from store.keys import NOISE_UNIT
from store.releases.released import Released
from store.server.arrays import unpack
from tests.attacks.auditor import Auditor
from tests.fixtures import copies
from tests.fixtures.crash_points import Crash, CrashPoint
from tests.fixtures.curator_steps import RHO, World, asking, group
from workers.clients import DatasetStores
from workers.operator.rule_change import begin_era

pytestmark = [pytest.mark.redis, pytest.mark.attack]

FIXED, RENEW = FixedNoise(RHO), Renew()


class Witness:
    """Looks at the topic at the moment in which something is shown."""

    def __init__(self, world):
        self.world, self.generation = world, 0
        self.shown, self.faults = 0, []

    def turns_to(self, head):
        """From here on noise of this generation is shown, and no other."""
        about = head.about
        self.generation = head.epoch if about["rule"] == "renew" else about["era"]

    def sees(self, units):
        """Each of these must have been paid for and bound by now."""
        auditor = Auditor(self.world.keys.dataset, self.world.trail.kept)
        names = map(NoiseName.parse, auditor.paid() & set(auditor.bound()))
        ready = {name.unit for name in names if name.generation == self.generation}
        self.faults += [unit for unit in units if unit not in ready]
        self.shown += len(units)


@pytest.fixture
async def world(redis, keys):
    """Two people."""
    return await World.of_two(redis, keys)


@pytest.fixture
def witness(world, monkeypatch):
    """Every release and every memo passes by."""
    looking = Witness(world)
    publish, memos = Released.publish, Released.memo_put

    async def published(released, token, head, shown):
        looking.turns_to(head)
        looking.sees(head.groups)
        return await publish(released, token, head, shown)

    async def remembered(released, token, epoch, kept):
        looking.sees([f"q-{key}-20000" for key in kept])
        return await memos(released, token, epoch, kept)

    monkeypatch.setattr(Released, "publish", published)
    monkeypatch.setattr(Released, "memo_put", remembered)
    return looking


async def worked(world, rule, version, *names, wheres=(), **terms):
    """One curator's time: a plan, questions, a change, and the same questions."""
    curator = await world.curator(rule=rule, **terms)
    await curator.tick(*(group(world.schema, name) for name in names), version=version)
    for turn in range(2):
        clients = enumerate(wheres)
        asked = [asking(world.schema, w, f"client{n}") for n, w in clients]
        if asked:
            await curator.ask(*asked)
        await world.change(**{f"p{version}-{turn}": ("F", "Rome", "cook")})
        await curator.tick()
    return curator


async def another_rule(world, name):
    """`sigma ledger rule`."""
    world.tokens += 1
    stores = DatasetStores.of(world.redis, world.keys)
    await begin_era(stores, world.trail, name, world.tokens)


async def lived(world):
    """All that can happen to a ledger; the last curator."""
    asked = ("city = 'Oslo'", "job = 'cook' AND city = 'Rome'")
    await worked(world, FIXED, 1, "sex", wheres=asked)
    older = await copies.taken(world.redis, world.keys)
    await worked(world, FIXED, 2, "sex", "job", wheres=asked[:1])
    with pytest.raises(Crash):
        await worked(
            world, FIXED, 3, "city", wheres=asked, crash=CrashPoint("bind", nth=1)
        )
    await copies.put_back(world.redis, world.keys, older)
    await copies.restored(world)
    await worked(world, FIXED, 4, "sex", "city", wheres=asked)
    await another_rule(world, "renew")
    await worked(world, RENEW, 5, "sex", wheres=asked)
    await another_rule(world, "fixed-noise")
    return await worked(world, FIXED, 6, "sex", wheres=asked)


async def vault(world):
    """Every noise that is held: (name, key, numbers)."""
    pattern = world.keys.of(NOISE_UNIT, unit="*", gen="*")
    async for at in world.redis.scan_iter(pattern):
        name = at.decode().partition(":unit:")[2]
        packed, key = await world.redis.hmget(at, ["array", "key"])
        yield name, key, unpack(packed).tolist()


async def test_the_topic_alone_tells_all_that_was_bought(world, witness, figures):
    """Chain, totals, clients; and each noise is the one that was bound."""
    curator = await lived(world)
    auditor = Auditor(world.keys.dataset, world.trail.kept)
    totals = await curator.ledger.totals()
    spent, purposes, clients = auditor.totals()

    assert auditor.chained()
    assert (spent, purposes) == (
        totals.spent,
        {k: v for k, v in totals.on.items() if v},
    )
    for client, paid in clients.items():
        assert await curator.ledger.spent_by(client) == paid
    held = [each async for each in vault(world)]
    bound = [name for name, *_ in held if name in auditor.bound()]
    assert all(auditor.opens(*each) for each in held if each[0] in bound)
    assert set(bound) <= auditor.paid()
    assert (witness.faults, witness.shown > 20) == ([], True)
    figures(
        f"{len(auditor.charges)} charges and {len(bound)} commitments recomputed,"
        f" {witness.shown} showings, {len(witness.faults)} before they were paid"
    )


async def test_an_auditor_sees_one_number_that_was_changed(world):
    """In a charge, whoever wrote it; and noise that is another by one."""
    await worked(world, FIXED, 1, "sex", wheres=["city = 'Oslo'"])
    auditor = Auditor(world.keys.dataset, world.trail.kept)
    [(name, key, noise), *_] = [each async for each in vault(world)]

    assert auditor.opens(name, key, noise)
    assert not auditor.opens(name, key, [noise[0] + 1, *noise[1:]])
    for line in auditor.charges:
        line["micro_epsilon"] += 1
        assert not auditor.chained()
        line["micro_epsilon"] -= 1
    assert auditor.chained()
