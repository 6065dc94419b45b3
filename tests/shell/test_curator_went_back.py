"""A store that went back under a running curator, or before one starts, is noticed."""

from __future__ import annotations

import pytest

from sigmacount.charges import Charge
from sigmacount.errors import Fenced, StoreWentBack, StreamUnavailable
from sigmacount.evolving import Renew
from sigmacount.vault import Name
from store.keys import LEASE_FENCE, LEDGER_FENCE, NOISE_FENCE, RELEASE_FENCE
from tests.fixtures import copies
from tests.fixtures.curating import World, asking, group
from tests.fixtures.mines import Large

pytestmark = pytest.mark.redis

OSLO = "city = 'Oslo' AND job = 'cook'"  # no group holds it
ROME = "city = 'Rome' AND job = 'cook'"
FENCES = (LEDGER_FENCE, NOISE_FENCE, RELEASE_FENCE, LEASE_FENCE)


class Life:
    """A curator that has shown two epochs and a fresh answer; a copy of each moment."""

    def __init__(self, world, reign, older):
        self.world, self.reign, self.older = world, reign, older
        self.redis, self.keys = world.redis, world.keys
        self.sex = group(world.schema, "sex")

    @classmethod
    async def of(cls, redis, keys):
        """The older copy is from before the second epoch."""
        world = await World.of_two(redis, keys)
        reign = await world.reign(draw=Large)
        await reign.tick(group(world.schema, "sex"), version=1)
        older = await copies.taken(redis, keys)
        await world.change(cleo=("F", "Rome", "nurse"))
        await reign.tick()
        await reign.ask(asking(world.schema, OSLO))
        return cls(world, reign, older)

    async def restart(self):
        """A new curator starts."""
        return await self.world.reign(draw=Large)


@pytest.fixture
async def life(redis, keys):
    """A life on a store of its own."""
    return await Life.of(redis, keys)


async def flushed(life):
    """FLUSHALL, or a lost volume."""
    await copies.lost(life.redis, life.keys)


async def put_back(life):
    """An older append-only file."""
    await copies.put_back(life.redis, life.keys, life.older)


async def vault_emptied(life):
    """The noise is gone, the ledger is not."""
    await copies.lost(life.redis, life.keys, "{noise}:unit:*")


async def release_gone(life):
    """The release is gone, the ledger is not."""
    await copies.lost(life.redis, life.keys, "{rel}*")


async def ledger_gone(life):
    """The ledger is gone, the noise is not."""
    await copies.lost(life.redis, life.keys, "{ledger}*")


async def another_noise(life):
    """The vault has a group's noise of another life."""
    await copies.swapped(life.redis, life.keys, Name(life.sex.id, 0))


async def quotas_gone(life):
    """The ledger has its lines, and forgot what each client has spent."""
    await copies.lost(life.redis, life.keys, "{ledger}:clients")


LOSSES = [flushed, put_back, vault_emptied, release_gone, ledger_gone, another_noise]


async def content(life):
    """All that is kept, but for fences and leases."""
    fences = {life.keys.of(f, role="curator").encode() for f in FENCES}
    found = await copies.taken(life.redis, life.keys)
    return {key: value for key, value in found.items() if key not in fences}


@pytest.mark.parametrize("lose", [*LOSSES, quotas_gone])
async def test_a_curator_does_not_start_on_it(life, lose):
    """It says what is behind and the remedy; nothing is written."""
    await lose(life)
    before, told = await content(life), list(life.world.trail.kept)

    with pytest.raises(StoreWentBack, match="sigma ledger restore"):
        await life.restart()

    assert await content(life) == before
    assert life.world.trail.kept == told


@pytest.mark.parametrize("lose", LOSSES)
async def test_a_running_curator_publishes_nothing_more(life, lose):
    """At its next tick, although rows changed."""
    await lose(life)
    await life.world.change(dan=("M", "Oslo", "nurse"))
    before = await copies.taken(life.redis, life.keys, "{rel}*")

    with pytest.raises(StoreWentBack):
        await life.reign.tick()

    assert await copies.taken(life.redis, life.keys, "{rel}*") == before
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
        await life.reign.ask(asking(life.world.schema, where))

    assert await content(life) == before


async def test_noise_that_was_shown_is_not_drawn_a_second_time(life):
    """The vault was emptied: a known question, its memo over, asks for its noise."""
    await life.world.change(dan=("M", "Oslo", "nurse"))
    await life.reign.tick()
    await vault_emptied(life)
    spent = await life.reign.spent()

    with pytest.raises(StoreWentBack, match="is gone"):
        await life.reign.ask(asking(life.world.schema, OSLO))

    assert await life.reign.spent() == spent
    assert not await copies.keys_like(life.redis, life.keys, "{noise}:unit:*")


async def shown(reign, diary):
    """Every noise that is shown now joins the diary of its unit."""
    for gid, noise in (await reign.noise()).items():
        diary.setdefault(gid, []).append(noise.tolist())


@pytest.mark.parametrize("lose", [*LOSSES, quotas_gone])
async def test_after_a_restoration_nothing_is_free_and_nothing_is_shown_twice(
    life, lose
):
    """Spent never falls; numbers go on; noise stays, or is another that is paid for."""
    diary = {}
    await shown(life.reign, diary)
    before = await life.reign.ledger.entries()
    await lose(life)

    found = await copies.restored(life.world)
    again = await copies.restored(life.world)

    assert again.faithful
    assert await life.reign.ledger.entries() == before
    second = await life.restart()
    await life.world.change(dan=("M", "Oslo", "nurse"))
    await second.tick(life.sex, version=2)
    assert (await second.released.head()).epoch == 3
    await shown(second, diary)
    paid = [e.charge.charge_id for e in await second.ledger.entries()][len(before) :]
    first, later = diary[life.sex.id]
    if Name(life.sex.id, 0) in found.lost:
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
    before = await life.reign.ledger.entries()
    await flushed(life)

    async def away(_events):
        raise StreamUnavailable

    with monkeypatch.context() as patch:
        patch.setattr(life.world.trail, "append", away)
        with pytest.raises(StreamUnavailable):
            await copies.restored(life.world)
    assert await life.reign.ledger.entries() == before
    with pytest.raises(StoreWentBack):
        await life.restart()
    found = await copies.restored(life.world)

    assert len(found.lost) == 2
    assert (await copies.restored(life.world)).faithful
    await life.restart()


async def test_an_old_curator_is_fenced_by_who_restored(life):
    """It ran on through a loss of every fence, and of the token that it holds."""
    world = life.world
    held = [await world.reign(draw=Large) for _ in range(5)][-1]
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
    reign = await world.reign(draw=Large, rule=Renew())
    await reign.tick(sex, version=1)
    older = await copies.taken(redis, keys)
    await world.change(cleo=("F", "Rome", "nurse"))
    await reign.tick()
    before = await reign.ledger.entries()

    await copies.put_back(redis, keys, older)
    await copies.restored(world)
    second = await world.reign(draw=Large, rule=Renew())
    await world.change(dan=("M", "Oslo", "nurse"))
    await second.tick()

    assert (await second.released.head()).epoch == 3
    lines = await second.ledger.entries()
    assert lines[: len(before)] == before
    drawn = [e.charge.charge_id for e in lines if e.charge.purpose == "group"]
    assert drawn == [f"group:{sex.id}:{epoch}" for epoch in (1, 2, 3)]
