"""After a restoration: nothing is free, nothing is drawn twice under one name."""

from __future__ import annotations

import pytest

from sigmacount.accounting import Charge, Renew
from sigmacount.errors import Fenced, StoreWentBack, StreamUnavailable
from sigmacount.models import NoiseName
from tests.fixtures import copies
from tests.fixtures.crash_points import Large
from tests.fixtures.curator_steps import World, asking, group
from tests.fixtures.losses import (
    LOSSES,
    OSLO,
    Life,
    flushed,
    quotas_gone,
    vault_emptied,
)

pytestmark = pytest.mark.redis


@pytest.fixture
async def life(redis, keys):
    """A life on a store of its own."""
    return await Life.of(redis, keys)


async def shown(curator, diary):
    """Every noise that is shown now joins the diary of its unit."""
    for gid, noise in (await curator.noise()).items():
        diary.setdefault(gid, []).append(noise.tolist())


@pytest.mark.parametrize("lose", [*LOSSES, quotas_gone])
async def test_after_a_restoration_nothing_is_free_and_nothing_is_shown_twice(
    life, lose
):
    """Spent never falls; numbers go on; noise stays, or is another that is paid for."""
    diary = {}
    await shown(life.curator, diary)
    before = await life.curator.ledger.entries()
    await lose(life)

    found = await copies.restored(life.world)
    again = await copies.restored(life.world)

    assert again.faithful
    assert await life.curator.ledger.entries() == before
    second = await life.restart()
    await life.world.change(dan=("M", "Oslo", "nurse"))
    await second.tick(life.sex, version=2)
    assert (await second.released.head()).epoch == 3
    await shown(second, diary)
    paid = [e.charge.charge_id for e in await second.ledger.entries()][len(before) :]
    first, later = diary[life.sex.id]
    if NoiseName(life.sex.id, 0) in found.lost:
        assert first != later
        assert f"group:{life.sex.id}:0.1" in paid
    else:
        assert first == later
        assert any(each.startswith("epoch:3:") for each in paid)
    assert await second.ledger.verify()
    about = (await second.released.head()).about
    assert about["first"] == {life.sex.id: 1}, "the epochs that were shown count"


async def test_a_question_whose_noise_was_lost_is_charged_anew(life):
    """Under another name, to who asks."""
    await vault_emptied(life)
    await copies.restored(life.world)
    second = await life.restart()
    await life.world.change(dan=("M", "Oslo", "nurse"))
    await second.tick(life.sex, version=2)

    [answer] = await second.ask(asking(life.world.schema, OSLO, client="eve"))

    line = (await second.ledger.entries())[-1]
    assert answer.spent_micro_epsilon == 20_000
    assert line.charge.charge_id.startswith("fresh:q-")
    assert line.charge.charge_id.endswith("-20000:0.1")
    assert line.charge.client == "eve"


async def test_a_restoration_that_was_cut_short_is_done_again(life, monkeypatch):
    """The broker went away between the lines and the marks."""
    before = await life.curator.ledger.entries()
    await flushed(life)

    async def away(_events):
        raise StreamUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(life.world.trail, "append", away)
        with pytest.raises(StreamUnavailable):
            await copies.restored(life.world)
    assert await life.curator.ledger.entries() == before
    with pytest.raises(StoreWentBack):
        await life.restart()
    found = await copies.restored(life.world)

    assert len(found.lost) == 2
    assert (await copies.restored(life.world)).faithful
    await life.restart()


async def test_an_old_curator_is_fenced_by_who_restored(life):
    """It ran on through a loss of every fence, and of the token that it holds."""
    world = life.world
    held = [await world.curator(draw=Large) for _ in range(5)][-1]
    await held.tick()
    token = world.tokens
    await flushed(life)

    await copies.restored(world)

    with pytest.raises(Fenced):
        await held.ledger.charge(token, Charge("late", "group", 1))
    assert await copies.restorer(world).lease.newest() == token + 1


async def test_under_renew_no_number_of_an_epoch_draws_twice(redis, keys):
    """Generations are numbers of epochs, so they go on above what was shown."""
    world = await World.of_two(redis, keys)
    sex = group(world.schema, "sex")
    curator = await world.curator(draw=Large, rule=Renew())
    await curator.tick(sex, version=1)
    older = await copies.taken(redis, keys)
    await world.change(cleo=("F", "Rome", "nurse"))
    await curator.tick()
    before = await curator.ledger.entries()

    await copies.put_back(redis, keys, older)
    await copies.restored(world)
    second = await world.curator(draw=Large, rule=Renew())
    await world.change(dan=("M", "Oslo", "nurse"))
    await second.tick()

    assert (await second.released.head()).epoch == 3
    lines = await second.ledger.entries()
    assert lines[: len(before)] == before
    drawn = [e.charge.charge_id for e in lines if e.charge.purpose == "group"]
    assert drawn == [f"group:{sex.id}:{epoch}" for epoch in (1, 2, 3)]
