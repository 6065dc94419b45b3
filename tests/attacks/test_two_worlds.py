"""Two worlds: with Alice, or with what happened to her, and without.

Under `renew` the attacker reads everything that is not a sum with noise in it: which
epochs came and what they say of themselves, every line of the ledger and its topic, the
names of what is released, who was answered, by which route, at what price, and every
sentence. The attack is won when one word differs between the worlds: noise has the
same seed in both, so nothing may. Deterministic; no error rate.

The counts themselves do differ, by exactly her (same seeds): so the worlds are two.
Clocks and random keys are blotted out, for they are drawn anew in each life.
"""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from sigmacount.accounting import FixedNoise, Renew
from sigmacount.domain import Schema
from store.keys import ARRAY, LEDGER_CLIENTS, LEDGER_ENTRIES, MEMO, Keys
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import ATTRIBUTES, RHO, World, asking, group

pytestmark = [pytest.mark.redis, pytest.mark.attack]

NUMBERS = ("count", "interval")  # an answer's sums with noise in them
ANEW = "at_ms|as_of_ms|held|commitment|hash|attempt"  # of a clock, or random
DRAWN_ANEW = re.compile(rf'("(?:{ANEW})": ?)("[^"]*"|\d+)')
ASKED = (
    ("ada", "sex = 'F' AND city = 'Oslo'"),
    ("ada", "job = 'cook'"),
    ("eve", "job = 'cook'"),
    ("eve", "sex = 'F' AND sex = 'M'"),
    ("eve", "city <> 'Rome' AND job = 'nurse'"),
)
ALICE = ("F", "Oslo", "cook")
OTHERS = {"ada": ("F", "Oslo", "cook"), "bob": ("M", "Rome", "cook")}
EVENTS = {
    "was there": ({"alice": ALICE}, {}),
    "came": ({}, {"alice": ALICE}),
    "left": ({"alice": ALICE}, {"alice": None}),
    "moved": ({"alice": ALICE}, {"alice": ("F", "Rome", "nurse")}),
    "came with many": ({}, {f"a{n}": ALICE for n in range(40)}),
}


async def seen(redis, keys, rule, before, after):
    """All that can be read when two epochs and some questions are over."""
    world = World(redis, keys, Schema("people", ATTRIBUTES))
    await world.change(**OTHERS, **before)
    Large.drawn = 1_000  # the same noise in each world
    curator = await world.curator(rule=rule, draw=Large, quota=70_000)
    await curator.tick(group(world.schema, "sex"), version=1)
    answers = await asked(curator)
    await world.change(**after)
    await curator.tick()
    answers += await asked(curator)
    return await public(curator, answers), [answer.count for answer in answers]


async def asked(curator):
    """Some questions: new, known, empty, and beyond a quota."""
    schema = curator.world.schema
    return await curator.ask(*(asking(schema, where, who) for who, where in ASKED))


async def public(curator, answers):
    """Everything but the sums, as text; what a clock or a dice wrote is blotted."""
    redis, keys = curator.world.redis, curator.world.keys
    head = await curator.released.head()
    everything = [
        msgspec.to_builtins(head),
        await redis.lrange(keys.of(LEDGER_ENTRIES), 0, -1),
        curator.world.trail.kept,
        sorted((await redis.hgetall(keys.of(LEDGER_CLIENTS))).items()),
        sorted(await redis.hkeys(keys.of(MEMO, epoch=head.epoch))),
        await arrays(redis, keys),
        [bare(each) for each in answers],
    ]
    text = json.dumps(everything, default=lambda raw: raw.decode())
    blotted = DRAWN_ANEW.sub(r"\1_", text.replace('\\"', '"'))
    return blotted.replace(keys.dataset, "dataset")


def bare(answer):
    """An answer without its sums."""
    said = msgspec.to_builtins(answer)
    return {name: value for name, value in said.items() if name not in NUMBERS}


async def arrays(redis, keys):
    """Names and sizes of all that is released; the token of a try is a dice's."""
    parts = dict.fromkeys(("epoch", "token", "try", "gid", "kind"), "*")
    found = [key async for key in redis.scan_iter(keys.of(ARRAY, **parts))]
    sizes = [(key.decode().split(":"), await redis.strlen(key)) for key in found]
    return sorted((name[4:6] + name[7:], size) for name, size in sizes)


async def both(redis, keys, rule, name):
    """The world of the event, and the one without."""
    before, after = EVENTS[name]
    one = await seen(redis, Keys(f"{keys.dataset}-1"), rule, before, after)
    other = await seen(redis, Keys(f"{keys.dataset}-2"), rule, {}, {})
    return one, other


@pytest.mark.parametrize("name", EVENTS)
async def test_under_renew_nothing_but_noisy_sums_differs(redis, keys, name, figures):
    """Not one word of all that can be read."""
    (one, counts), (other, without) = await both(redis, keys, Renew(), name)

    assert one == other
    assert counts != without
    figures(f"Alice {name}: {len(one):,} characters read, 0 differ")


async def test_fixed_noise_differs_in_whether_an_epoch_came(redis, keys):
    """It shows changes anyway: on purpose, and in docs/limits.md."""
    rule = FixedNoise(RHO)

    (one, _), (other, _) = await both(redis, keys, rule, "came")

    assert '"epoch": 2' in one
    assert '"epoch": 2' not in other
