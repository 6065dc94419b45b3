"""Two worlds over time: with what happened to Alice, and without, under `continual`.

The attacker reads, epoch after epoch, everything that is not a sum with noise in it:
which epochs came and what they say of themselves, every line of the ledger and of its
topic, what is said to questions, names of what is stored, and what the curator logs.
The attack is won when one word differs. Noise is the same in both worlds, so nothing
may. Deterministic; no error rate.

The counts do differ, by exactly her: so the worlds are two. Clocks and random keys are
blotted out, for they are drawn anew in each life.
"""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from sigmacount.domain import Schema
from store.keys import ARRAY, LEDGER_ENTRIES, NOISE_COUNT, Keys
from tests.fixtures.continual_steps import Steady, counted, life, tree_life, treed
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import ATTRIBUTES, World, asking

pytestmark = [pytest.mark.redis, pytest.mark.attack]

ANEW = "at_ms|as_of_ms|held|commitment|hash|attempt"  # of a clock, or random
DRAWN_ANEW = re.compile(rf'("(?:{ANEW})": ?)("[^"]*"|\d+)')
NUMBERS = ("count", "interval", "unbiased")  # an answer's sums with noise in them
ASKED = ("sex = 'F'", "job = 'cook'", "sex = 'F' AND city = 'Oslo'")
ALICE = ("F", "Oslo", "cook")
OTHERS = {"ada": ("F", "Oslo", "cook"), "bob": ("M", "Rome", "cook")}
EVENTS = {  # what happens to Alice before epoch 1, 2, 3 and 4
    "was there": ({"alice": ALICE}, {}, {}, {}),
    "came": ({}, {}, {"alice": ALICE}, {}),
    "left": ({"alice": ALICE}, {}, {}, {"alice": None}),
    "moved": ({"alice": ALICE}, {}, {"alice": ("F", "Rome", "nurse")}, {}),
    "came and left": ({}, {"alice": ALICE}, {}, {"alice": None}),
    "came with many": ({}, {f"a{n}": ALICE for n in range(40)}, {}, {}),
}


async def seen(redis, keys, begin, unit, draw, events, caplog):
    """All that can be read over four epochs, and what was counted."""
    world = World(redis, keys, Schema("people", ATTRIBUTES))
    Large.drawn = 1_000  # the same noise in each world
    caplog.clear()
    curator = await begin(world, draw=draw)
    told, counts = [], []
    for n, people in enumerate(events):
        await world.change(**(OTHERS if n == 0 else {}), **people)
        sex, city = unit(world.schema, "sex"), unit(world.schema, "city")
        plan = {0: ((sex,), 1), 2: ((sex, city), 2)}.get(n, ((), None))
        await curator.tick(*plan[0], version=plan[1])
        head, arrays = await curator.released.current("noisy")
        told += [msgspec.to_builtins(head), *await asked(curator)]
        counts.append({name: each.tolist() for name, each in arrays.items()})
    told += [
        await redis.lrange(keys.of(LEDGER_ENTRIES), 0, -1),
        world.trail.kept,
        await stored(redis, keys),
        [record.getMessage() for record in caplog.records],
    ]
    text = json.dumps(told, default=lambda raw: raw.decode())
    blotted = DRAWN_ANEW.sub(r"\1_", text.replace('\\"', '"'))
    return blotted.replace(keys.dataset, "dataset"), counts


async def asked(curator):
    """What is said to three questions, but for its sums: in the plan, and fresh."""
    questions = [asking(curator.world.schema, where) for where in ASKED]
    answers = [msgspec.to_builtins(each) for each in await curator.ask(*questions)]
    return [{k: v for k, v in a.items() if k not in NUMBERS} for a in answers]


async def stored(redis, keys):
    """Names of arrays, and of the ticks that the vault has of each unit."""
    parts = dict.fromkeys(("epoch", "token", "try", "gid", "kind"), "*")
    found = [key async for key in redis.scan_iter(keys.of(ARRAY, **parts))]
    names = sorted(key.decode().split(":") for key in found)
    counts = keys.of(NOISE_COUNT, unit="*", gen="*")
    units = sorted([key async for key in redis.scan_iter(counts)])
    ticks = [(key, sorted(await redis.hkeys(key))) for key in units]
    return [name[4:6] + name[7:] for name in names], ticks


COUNTERS = (life, counted, Steady)
TREES = (tree_life, treed, Large)


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("kind", [COUNTERS, TREES], ids=["counters", "trees"])
async def test_over_time_nothing_but_noisy_sums_differs(
    redis, keys, kind, name, caplog, figures
):
    """Not one word of all that can be read, of any epoch."""
    caplog.set_level("INFO")
    nothing = ({}, {}, {}, {})
    one, counts = await seen(
        redis, Keys(f"{keys.dataset}-1"), *kind, EVENTS[name], caplog
    )
    other, without = await seen(
        redis, Keys(f"{keys.dataset}-2"), *kind, nothing, caplog
    )

    assert one == other
    assert counts != without
    figures(f"Alice {name}: {len(one):,} characters read, 0 differ")


@pytest.mark.parametrize("begin", [life, tree_life])
async def test_an_empty_table_has_epochs_like_any_other(redis, keys, begin):
    """That nobody came yet is a row's worth of news too, and costs nothing to keep."""
    empty = World(redis, Keys(f"{keys.dataset}-1"), Schema("people", ATTRIBUTES))
    full = World(redis, Keys(f"{keys.dataset}-2"), Schema("people", ATTRIBUTES))
    await full.change(**OTHERS)
    unit = counted if begin is life else treed
    epochs = []
    for world in (empty, full):
        curator = await begin(world, ends=nowhere)
        await curator.tick(unit(world.schema, "sex"), version=1)
        await world.change(cleo=ALICE)
        await curator.tick()
        epochs.append((curator.epochs.head.epoch, curator.epochs.head.about["ticks"]))

    assert epochs[0] == epochs[1]
    assert epochs[0][0] == 2


async def nowhere():
    """A topic that is far from being read to its end."""
    return {0: 1_000, 1: 1_000}
