"""noise_step.lua and noise_fold.lua beside ``sigmacount.models.ticks.TickLog``."""

from __future__ import annotations

import uuid

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sigmacount.continual import HORIZONS, LAST_TICK, Counters
from sigmacount.errors import Fenced, Mismatch, StoreWentBack
from sigmacount.models import NoiseName
from sigmacount.models.ticks import HeldTick, Offer, TickLog, UnitTicks
from store.keys import NOISE_COUNT, Keys
from store.releases.tick_vault import DrawnTick, TickVault
from store.server.arrays import pack
from store.server.scripts import Call, Scripts

pytestmark = pytest.mark.redis

KEY = b"k" * 32
SHORT, LONG = HORIZONS[128], HORIZONS[1_024]
UNITS = ("g", "h")
REFUSALS = (Fenced, Mismatch, StoreWentBack, OverflowError)
offers = st.builds(
    Offer,
    st.integers(1, 5),
    st.sampled_from(["128:1", "128:1", "128:1", "1024:1"]),
    st.sampled_from([b"1a", b"1b", b"2cd"]),
)
steps = st.tuples(
    st.just("step"),
    st.integers(1, 2),  # token
    st.integers(0, 5),  # epoch
    st.dictionaries(st.sampled_from(UNITS), offers, min_size=1),
)
folds = st.tuples(
    st.just("fold"),
    st.integers(1, 2),
    st.sampled_from(UNITS),
    st.integers(1, 4),  # tick
    st.sampled_from([b"1s", b"1s", b"1t"]),
)


def ticking(n: int, unit: str = "g", epoch: int = 0, moved: bytes = b"1a") -> tuple:
    """The nth tick of a unit, for its nth epoch unless another is named."""
    return ("step", 1, epoch or n, {unit: Offer(n, "128:1", moved)})


LIVED = [ticking(n) for n in range(1, 5)]
NAMES = {b"gap": Mismatch, b"other": Mismatch, b"differs": Mismatch, b"ahead": Mismatch}
NAMES |= {b"later": StoreWentBack, b"ended": OverflowError, b"fenced": Fenced}


@example([*LIVED, ("fold", 1, "g", 2, b"1s"), ("fold", 1, "g", 2, b"1t"), ticking(5)])
@example([*LIVED, ("fold", 1, "g", 3, b"1s"), ("fold", 1, "g", 2, b"1t"), ticking(4)])
@example([*LIVED, ("step", 2, 4, {"h": Offer(1, "128:1", b"1b")}), ticking(5, "h")])
@example([*LIVED, *(ticking(n, epoch=4, moved=b"1b") for n in (4, 5))])
@given(history=st.lists(st.one_of(steps, steps, folds), min_size=4, max_size=14))
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_the_scripts_agree_with_the_pure_log(redis, history):
    """Same acts, same order: same refusals, the same ticks held, or nothing written."""
    keys, model = Keys(f"t{uuid.uuid4().hex}"), TickLog()
    for act in history:
        try:
            model, refused = pure(model, act), None
        except REFUSALS as refusal:
            refused = type(refusal)
        reply = await shared(redis, keys, act)
        assert NAMES.get(reply[0]) is refused, reply
        if act[0] == "step" and refused is None:
            told = zip(reply[1::2], reply[2::2], act[3].items(), strict=True)
            assert {unit: (int(t), u or o.moved) for t, u, (unit, o) in told} == {
                unit: (model.units[unit].last, model.units[unit].ticks[-1].moved)
                for unit in act[3]
            }
        assert await held(redis, keys) == dict(model.units)


def pure(model: TickLog, act: tuple) -> TickLog:
    """Do it with the model."""
    match act:
        case ("step", token, epoch, drawn):
            return model.step(token, epoch, drawn)
        case ("fold", token, unit, tick, state):
            return model.fold(token, unit, tick, state)


async def shared(redis, keys: Keys, act: tuple) -> list:
    """Do it with the scripts; their reply."""
    fence = keys.of("sigma:{<ds>:noise}:fence")
    match act:
        case ("step", token, epoch, drawn):
            names = [keys.of(NOISE_COUNT, unit=unit, gen=0) for unit in drawn]
            flat = [word for offer in drawn.values() for word in (*offer, KEY)]
            call = Call("noise_step", [fence, *names], [token, epoch, *flat])
        case ("fold", token, unit, tick, state):
            name = keys.of(NOISE_COUNT, unit=unit, gen=0)
            call = Call("noise_fold", [fence, name], [token, tick, state])
    return await Scripts(redis).run(call)


async def held(redis, keys: Keys) -> dict[str, UnitTicks]:
    """All that the shared vault holds."""
    found = {}
    for unit in UNITS:
        fields = await redis.hgetall(keys.of(NOISE_COUNT, unit=unit, gen=0))
        if fields:
            folded, last = int(fields.pop(b"t0", 0)), int(fields.pop(b"t"))
            kind, state = fields.pop(b"kind").decode(), fields.pop(b"state", b"")
            assert fields.pop(b"key") == KEY
            ticks = tuple(
                HeldTick(int(fields.pop(b"epoch:%d" % n)), fields.pop(b"u:%d" % n))
                for n in range(folded + 1, last + 1)
            )
            found[unit] = UnitTicks(kind, folded, state, ticks)
            assert not fields
    return found


async def test_the_tick_after_the_last_is_refused(redis, keys):
    """Sensitivity is summed over 2^26 ticks; script and model say the same."""
    vault, name = TickVault(redis, keys), NoiseName("g", 0)
    at = keys.of(NOISE_COUNT, unit="g", gen=0)
    none = np.zeros((4, 1), np.int64)
    before = Counters(SHORT, LAST_TICK - 1, none[0], none[1:])
    fields = {"kind": "128:1", "t": LAST_TICK - 1, "t0": LAST_TICK - 2}
    fields |= {"state": pack(none.reshape(-1)), f"u:{LAST_TICK - 1}": pack(none[0])}
    await redis.hset(at, mapping=fields | {f"epoch:{LAST_TICK - 1}": 7})

    await vault.step(1, 8, {name: DrawnTick(before, none[0])})
    over = (await vault.read({name: (SHORT, 1)}))[name]

    assert over.now.tick == LAST_TICK == 2**26
    with pytest.raises(OverflowError, match="ended with tick 2"):
        await vault.step(1, 9, {name: DrawnTick(over.now, none[0])})
    with pytest.raises(OverflowError, match="ended with tick 2"):
        UnitTicks("128:1", LAST_TICK - 1, b"", (HeldTick(8, b"1a"),)).step(
            "g", 9, Offer(LAST_TICK + 1, "128:1", b"1a")
        )


async def ticked(redis, keys, epochs: range, name: NoiseName):
    """A vault in which the unit has a tick for each of the epochs."""
    vault = TickVault(redis, keys)
    kept = (await vault.read({name: (SHORT, 2)}))[name]
    for epoch in epochs:
        drawn = {name: DrawnTick(kept.now, np.full(2, epoch))}
        [(tick, moved)] = (await vault.step(1, epoch, drawn)).values()
        kept = kept.after(tick, epoch, moved)
    return vault, kept


NAME = NoiseName("g", 0)


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("u:3", "u:3 of its ticks is gone"),
        ("epoch:2", "epoch:2 of its ticks is gone"),
        ("t", "t of its ticks is gone"),
    ],
)
async def test_a_hole_is_a_store_that_went_back(redis, keys, gone, said):
    """Whatever part is missing, nothing is computed from the rest."""
    vault, _ = await ticked(redis, keys, range(1, 5), NAME)

    await redis.hdel(keys.of(NOISE_COUNT, unit="g", gen=0), gone)

    with pytest.raises(StoreWentBack, match=said):
        await vault.read({NAME: (SHORT, 2)})


@pytest.mark.parametrize("gone", ["u:4", "epoch:4"])
async def test_no_tick_follows_one_that_is_lost(redis, keys, gone):
    """The script finds the hole as well, and writes nothing."""
    vault, kept = await ticked(redis, keys, range(1, 5), NAME)
    at = keys.of(NOISE_COUNT, unit="g", gen=0)
    await redis.hdel(at, gone)
    before = await redis.hgetall(at)

    with pytest.raises(StoreWentBack, match="tick 4, its last, is gone"):
        await vault.step(1, 5, {NAME: DrawnTick(kept.now, np.array([1, 1]))})

    assert await redis.hgetall(at) == before


@pytest.mark.parametrize(
    ("field", "value"), [("u:3", b"1a"), ("u:3", b""), ("epoch:3", b"2"), ("t0", b"9")]
)
async def test_what_is_broken_is_a_store_that_went_back(redis, keys, field, value):
    """A u of another size would move every number alike; its bytes are not told."""
    vault, _ = await ticked(redis, keys, range(1, 5), NAME)
    at = keys.of(NOISE_COUNT, unit="g", gen=0)
    await redis.hset(at, mapping={"state": pack(np.zeros(8, np.int64)), field: value})

    with pytest.raises(StoreWentBack, match=r"gone or broken|is for epoch 2") as said:
        await vault.read({NAME: (SHORT, 2)})

    assert "b'" not in str(said.value)


async def test_counters_of_another_kind_are_refused(redis, keys):
    """Other constants, or another number of numbers, under a known name."""
    vault, kept = await ticked(redis, keys, range(1, 3), NAME)
    other = Counters(LONG, 2, kept.now.noise, np.zeros((4, 2), np.int64))

    for horizon, size in ((LONG, 2), (SHORT, 3)):
        with pytest.raises(Mismatch, match="counters of kind 128:2, not"):
            await vault.read({NAME: (horizon, size)})
    with pytest.raises(Mismatch, match="counters of kind 128:2"):
        await vault.step(1, 3, {NAME: DrawnTick(other, np.array([1, 1]))})


async def test_another_state_of_one_tick_is_refused(redis, keys):
    """A fold is a function of what is stored: two that differ are a fault."""
    vault, kept = await ticked(redis, keys, range(1, 66), NAME)
    state = kept.due(65)
    await vault.fold(1, NAME, state)
    await vault.fold(1, NAME, state)
    other = Counters(SHORT, 64, state.noise + 1, state.buffers)

    with pytest.raises(Mismatch, match="another state is kept"):
        await vault.fold(1, NAME, other)
    with pytest.raises(Mismatch, match="it is the last"):
        await vault.fold(1, NAME, kept.now)
    with pytest.raises(Fenced):
        await vault.fold(0, NAME, state)


async def test_what_was_lost_ticks_anew_under_another_name(redis, keys):
    """And what is found later under the old name is not touched."""
    vault, kept = await ticked(redis, keys, range(1, 4), NAME)
    again = NoiseName("g", 0, 1)

    await ticked(redis, keys, range(4, 6), again)
    found = await vault.read({NAME: (SHORT, 2), again: (SHORT, 2)})

    assert found[NAME].now.noise.tolist() == kept.now.noise.tolist() == [6, 6]
    assert (found[again].now.tick, found[again].epochs) == (2, (4, 5))
