"""publish.lua, freeze.lua, memo_put.lua beside ``sigmacount.models.shelf.Shelf``.

stage.lua, which comes before publish.lua, beside the fence of the model; and the
history that publish.lua keeps beside ``sigmacount.models.HistoryLimits``.
"""

from __future__ import annotations

import re
import uuid

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sigmacount.errors import Fenced, Superseded
from sigmacount.models import HistoryLimits
from sigmacount.models.shelf import Shelf
from store.keys import HEAD, HISTORY, MEMO, RELEASE_FENCE, Keys
from store.releases.history import History
from store.releases.released import Head, Released
from store.server.arrays import pack
from store.server.scripts import Scripts

pytestmark = pytest.mark.redis

GROUPS, FIVE = ("g1", "g2"), np.array([5])
tokens, epochs = st.integers(1, 3), st.integers(1, 9)
limits = st.builds(HistoryLimits, st.integers(0, 3), st.sampled_from([0, 4, 9, 99]))
acts = st.one_of(
    st.tuples(
        st.just("publish"), tokens, epochs, st.sets(st.sampled_from(GROUPS)), limits
    ),
    st.tuples(st.just("freeze"), tokens, epochs, st.sampled_from(["no budget", None])),
    st.tuples(
        st.just("remember"),
        tokens,
        epochs,
        st.dictionaries(st.sampled_from("AB"), st.sampled_from("12"), max_size=2),
    ),
)


ABOUT = {"rule": "renew", "guarantees": {"long": "text"}}  # of a head


async def shared(released: Released, act: tuple) -> None:
    """Do it with the scripts."""
    match act:
        case ("publish", token, epoch, groups, limits):
            released._limits = limits  # noqa: SLF001 - as a curator with other settings
            head = Head(epoch, token, 1000 + epoch, tuple(sorted(groups)), about=ABOUT)
            arrays = {gid: np.array([epoch, token]) for gid in groups}
            await released.publish(token, head, {"counts": arrays, "noisy": arrays})
        case ("freeze", token, epoch, reason):
            await released.freeze(token, epoch, reason)
        case ("remember", token, epoch, answers):
            known = {key: answer.encode() for key, answer in answers.items()}
            await released.memo_put(token, epoch, known)


def pure(shelf: Shelf, act: tuple) -> Shelf:
    """Do it with the model."""
    match act:
        case ("publish", token, epoch, groups, limits):
            names = {f"{epoch}:{token}:{gid}" for gid in groups}
            size = len(groups) * len(pack(np.array([epoch, token])))
            return shelf.publish(token, epoch, frozenset(names), size, limits)
        case ("freeze", token, epoch, reason):
            return shelf.freeze(token, epoch, reason)
        case ("remember", token, epoch, answers):
            return shelf.remember(token, epoch, answers)


@given(history=st.lists(acts, min_size=4, max_size=15))
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_the_scripts_agree_with_the_pure_shelf(redis, history):
    """Same acts, same order: same refusals, head, mark, arrays, memos, history."""
    keys = Keys(f"t{uuid.uuid4().hex}")
    released, shelf = Released(redis, keys), Shelf()
    for act in history:
        try:
            shelf, expected = pure(shelf, act), None
        except (Fenced, Superseded) as refusal:
            expected = refusal
        try:
            await shared(released, act)
            reply = None
        except (Fenced, Superseded) as refusal:
            reply = refusal
        assert (type(reply), getattr(reply, "args", ())) == (
            type(expected),
            getattr(expected, "args", ()),
        )
        assert await view(released) == seen(shelf)
        assert await released.mark() == (shelf.epoch or 0, shelf.frozen)
        assert await kept(redis, keys) == on(shelf)
        assert await history_of(History(redis, keys)) == past_of(shelf)


async def view(released: Released) -> tuple:
    """What a reader is served."""
    found = await released.current()
    if found is None:
        return (None, None, {}, {})
    head, arrays = found
    answers = await released.memos(head.epoch, ["A", "B"])
    memos = {k: a.decode() for k, a in zip("AB", answers, strict=True) if a}
    read = {f"{a[0]}:{a[1]}:{gid}" for gid, a in arrays.items()}
    return head.epoch, head.frozen, read, memos


def seen(shelf: Shelf) -> tuple:
    """The same, of the model."""
    if shelf.epoch is None:
        return (None, None, {}, {})
    memos = dict(shelf.memos.get(shelf.epoch, {}))
    return shelf.epoch, shelf.frozen, shelf.arrays[shelf.epoch], memos


async def kept(redis, keys: Keys) -> set[str]:
    """The arrays and memos that take up memory for good."""
    names = await redis.keys(keys.everything())
    found = {name.decode() for name in names if await redis.ttl(name) == -1}
    found -= {keys.of(HEAD), keys.of(RELEASE_FENCE), keys.of(HISTORY)}
    bare = (name.partition(":rel}:")[2] for name in found)
    return {re.sub(r":[0-9a-f]{8}:", ":", name) for name in bare}


def on(shelf: Shelf) -> set[str]:
    """The same, of the model."""
    memo = MEMO.partition(":rel}:")[2]
    arrays = {
        f"array:{name}:{kind}"
        for names in shelf.arrays.values()
        for name in names
        for kind in ("counts", "noisy")
    }
    past = {
        f"array:{name}:noisy" for each in shelf.past.values() for name in each.names
    }
    return (
        arrays
        | past
        | {memo.replace("<epoch>", str(e)) for e, m in shelf.memos.items() if m}
    )


async def history_of(history: History) -> dict[int, set[str]]:
    """Which epochs changes can be asked since, with the numbers that are read."""
    found = {}
    for epoch, past in (await history.epochs()).items():
        assert (past.as_of_ms, past.about) == (1000 + epoch, {"rule": "renew"})
        numbers = await history.numbers(past)
        assert numbers is not None
        found[epoch] = {f"{a[0]}:{a[1]}:{gid}" for gid, a in numbers.items()}
    return found


def past_of(shelf: Shelf) -> dict[int, frozenset[str]]:
    """The same, of the model."""
    return {epoch: each.names for epoch, each in shelf.past.items()}


@pytest.mark.parametrize("most", [1, 3])
async def test_the_numbers_of_an_epoch_that_left_the_history_are_gone(
    redis, keys, most
):
    """Whoever still has its name is told that it is kept no more."""
    limits = HistoryLimits(most, 99)
    released, history = Released(redis, keys, limits), History(redis, keys)
    numbers = {"noisy": {"g1": FIVE}}
    for epoch in range(1, most + 2):
        await released.publish(1, Head(epoch, 1, 0, ("g1",)), numbers)
    past = (await history.epochs())[1]
    there = await history.numbers(past)

    await released.publish(1, Head(most + 2, 1, 0, ("g1",)), numbers)

    assert there["g1"].tolist() == [5]
    assert await history.numbers(past) is None
    assert list(await history.epochs()) == list(range(2, most + 3))


async def test_a_reader_of_the_epoch_before_can_finish(redis, keys):
    """Its arrays stay until the next switch; then it is told to read the head again."""
    released = Released(redis, keys)
    five = {"counts": {"g1": FIVE}}
    old = await released.publish(1, Head(1, 1, 0, ("g1",)), five)

    await released.publish(1, Head(2, 1, 0, ()), {"counts": {}})
    still = await released.arrays(old)
    await released.publish(1, Head(3, 1, 0, ()), {"counts": {}})
    gone = await released.arrays(old)

    assert still["g1"].tolist() == [5]
    assert gone is None


async def test_a_later_answer_to_the_same_query_takes_its_place(redis, keys):
    """A more exact one, in one epoch: readers see it from there."""
    released = Released(redis, keys)
    await released.publish(1, Head(1, 1, 0, ()), {"counts": {}})

    await released.memo_put(1, 1, {"A": b"4"})
    await released.memo_put(2, 1, {"A": b"5"})

    assert await released.memos(1, ["A", "B"]) == [b"5", None]


async def test_a_late_curator_lays_nothing_ready(redis, keys):
    """Somebody could read it, under no head: noise that others show, on other rows."""
    released = Released(redis, keys)
    await released.fence.advance(2)

    with pytest.raises(Fenced):
        await released.publish(1, Head(1, 1, 0, ("g1",)), {"counts": {"g1": FIVE}})

    assert await redis.keys(keys.everything()) == [keys.of(RELEASE_FENCE).encode()]


async def test_a_head_without_its_arrays_is_not_served(redis, keys):
    """Staged arrays that were lost before the switch leave the old head in place."""
    released = Released(redis, keys)
    await released.publish(1, Head(1, 1, 0, ()), {"counts": {}})
    lost = Head(2, 1, 0, ("g1",))
    names = released._names(lost, ["counts"])  # noqa: SLF001 - between two halves
    call = await released._switch(1, lost, b"{}", names, None)  # noqa: SLF001 - the same

    reply = await Scripts(redis).run(call)

    assert reply == [b"unstaged"]
    assert (await released.head()).epoch == 1
