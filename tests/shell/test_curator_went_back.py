"""A store that went back under a running curator, or before one starts, is noticed."""

from __future__ import annotations

import pytest

from sigmacount.errors import StoreWentBack
from store.keys import LEASE_FENCE, LEDGER_FENCE, NOISE_FENCE, RELEASE_FENCE
from tests.fixtures import copies
from tests.fixtures.curator_steps import asking
from tests.fixtures.losses import (
    LOSSES,
    OSLO,
    Life,
    flushed,
    ledger_gone,
    put_back,
    quotas_gone,
    vault_emptied,
)

pytestmark = pytest.mark.redis

ROME = "city = 'Rome' AND job = 'cook'"
FENCES = (LEDGER_FENCE, NOISE_FENCE, RELEASE_FENCE, LEASE_FENCE)


@pytest.fixture
async def life(redis, keys):
    """A life on a store of its own."""
    return await Life.of(redis, keys)


async def content(life):
    """All that is kept, but for fences and leases."""
    fences = {life.keys.of(f, role="curator").encode() for f in FENCES}
    found = await copies.taken(life.redis, life.keys)
    return {key: value for key, value in found.items() if key not in fences}


@pytest.mark.parametrize("lose", [*LOSSES, quotas_gone])
async def test_a_curator_does_not_start_on_it(life, lose):
    """It says what is behind and the remedy; nothing is written."""
    await lose(life)
    before, published = await content(life), list(life.world.trail.kept)

    with pytest.raises(StoreWentBack, match="sigma ledger restore"):
        await life.restart()

    assert await content(life) == before
    assert life.world.trail.kept == published


@pytest.mark.parametrize("lose", LOSSES)
async def test_a_running_curator_publishes_nothing_more(life, lose):
    """At its next tick, although rows changed."""
    await lose(life)
    await life.world.change(dan=("M", "Oslo", "nurse"))
    before = await copies.taken(life.redis, life.keys, "rel}")

    with pytest.raises(StoreWentBack):
        await life.curator.tick()

    assert await copies.taken(life.redis, life.keys, "rel}") == before
    assert all(b'"epoch":3' not in message for message in life.world.trail.kept)


@pytest.mark.parametrize(
    ("lose", "where"),
    [
        (flushed, OSLO),
        (flushed, ROME),
        (put_back, OSLO),
        (put_back, ROME),
        (ledger_gone, ROME),  # the other has a memo, which everybody has seen
    ],
)
async def test_a_running_curator_answers_no_fresh_question(life, lose, where):
    """Neither a new one nor one that was answered in what was lost."""
    await lose(life)
    before = await content(life)

    with pytest.raises(StoreWentBack):
        await life.curator.ask(asking(life.world.schema, where))

    assert await content(life) == before


async def test_noise_that_was_shown_is_not_drawn_a_second_time(life):
    """The vault was emptied: a known question, its memo over, asks for its noise."""
    await life.world.change(dan=("M", "Oslo", "nurse"))
    await life.curator.tick()
    await vault_emptied(life)
    spent = await life.curator.spent()

    with pytest.raises(StoreWentBack, match="is gone"):
        await life.curator.ask(asking(life.world.schema, OSLO))

    assert await life.curator.spent() == spent
    assert not await copies.keys_like(life.redis, life.keys, "noise}:unit:")
