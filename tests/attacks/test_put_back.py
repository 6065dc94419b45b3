"""A store put back: an older copy, or one that lost a part, so that noise is redrawn.

The attacker can restore any backup of the store, at any moment, but cannot write the
topic `ledger`. A life is lived act by act, and a copy is kept of each moment. The
attack is won when a curator starts on a store that is not the newest one, or when
after `sigma ledger restore` anything is cheaper or shown with a second noise for free.
Every pair of moments is tried, so there is no error rate.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import pytest

from sigmacount.accounting import FixedNoise, Renew
from sigmacount.errors import StoreWentBack
from store.keys import Keys
from tests.fixtures import copies
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import RHO, World, asking, group
from tests.fixtures.losses import (
    Life,
    another_noise,
    flushed,
    ledger_gone,
    put_back,
    quotas_gone,
    release_gone,
    vault_emptied,
)

pytestmark = [pytest.mark.redis, pytest.mark.attack]

WAYS = [
    *(another_noise, put_back, quotas_gone, ledger_gone, release_gone),
    *(vault_emptied, flushed),
]


class Moment(NamedTuple):
    """What the store and the topic held after an act."""

    store: dict
    topic: list


async def lived(world, rule):
    """A life, act by act, and a copy of each moment."""
    curator, moments = await world.curator(rule=rule, draw=Large), []

    async def keep():
        store = await copies.taken(world.redis, world.keys)
        moments.append(Moment(store, list(world.trail.kept)))

    await keep()
    await curator.tick(group(world.schema, "sex"), version=1)
    await keep()
    for number, where in enumerate(("city = 'Oslo'", "job = 'cook'")):
        await curator.ask(asking(world.schema, where))
        await keep()
        await world.change(**{f"p{number}": ("F", "Rome", "cook")})
        await curator.tick()
        await keep()
    return moments


async def starts(world, rule, store, topic):
    """Whether a curator starts on that store beside that topic."""
    await copies.put_back(world.redis, world.keys, store)
    world.trail.kept[:] = topic
    try:
        await world.curator(rule=rule, draw=Large)
    except StoreWentBack:
        return False
    return True


@pytest.mark.parametrize("rule", [FixedNoise(RHO), Renew()], ids=lambda r: r.name)
async def test_no_older_copy_goes_unnoticed(redis, keys, rule, figures):
    """Each moment put back in each later one; a moment's own copy is accepted."""
    world = await World.of_two(redis, keys)
    moments = await lived(world, rule)
    pairs = list(itertools.combinations(moments, 2))

    unnoticed = [
        await starts(world, rule, older.store, newer.topic) for older, newer in pairs
    ]

    assert not any(unnoticed)
    for moment in moments:
        assert await starts(world, rule, moment.store, moment.topic)
    figures(f"{len(pairs)} older copies put back, {sum(unnoticed)} unnoticed")


async def test_after_a_restoration_nothing_was_forgotten(redis, keys, figures, times):
    """Lost in one way after the other: the ledger only grows, and is whole."""
    lost = 0
    for game in range(times):
        life = await Life.of(redis, Keys(f"{keys.dataset}-{game}"))
        for lose in WAYS:
            before = await life.curator.ledger.entries()
            await lose(life)

            await copies.restored(life.world)
            life.curator = await life.restart()

            assert await life.curator.ledger.entries() == before
            assert await life.curator.ledger.verify()
            lost += 1
            await life.world.change(**{f"p{lost}": ("M", "Oslo", "nurse")})
            await life.curator.tick(life.sex, version=1 + lost)
    figures(f"{lost} losses, {len(before)} charges in the last, none forgotten")
