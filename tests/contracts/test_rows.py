"""claim.lua, apply.lua, rebuild.lua beside ``sigmacount.models.rows.RowPartition``."""

from __future__ import annotations

import uuid
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sigmacount.errors import Fenced, Mismatch, PositionMismatch
from sigmacount.models import RowIdentity
from sigmacount.models.rows import GONE, RowPartition
from store.keys import Keys
from store.sensitive import CountedPosition, Rows, Truth

pytestmark = pytest.mark.redis

OURS = RowIdentity("topic-1", "cluster-1", 12, "schema-1")
THEIRS = [
    RowIdentity("topic-2", "cluster-1", 12, "schema-1"),
    RowIdentity("topic-1", "cluster-2", 12, "schema-1"),
    RowIdentity("topic-1", "cluster-1", 24, "schema-1"),
    RowIdentity("topic-1", "cluster-1", 12, "schema-2"),
]
# Neighbours above 2^53 are one number to Lua: they must stay two cells.
CODES = [GONE, 0, 1, 2**53, 2**53 + 1, 2**63 - 2]

IDS = ["a", "b", "ü", "row 4", ""]

# None: the batch does not speak of that row.
batches = st.tuples(*[st.sampled_from([None, None, *CODES])] * len(IDS)).map(
    lambda codes: {i: c for i, c in zip(IDS, codes, strict=True) if c is not None}
)
claims = st.tuples(st.just("claim"), st.sampled_from([OURS, OURS, OURS, *THEIRS]))
applies = st.tuples(
    st.just("apply"),
    st.sampled_from([0, 0, 0, 0, 0, 0, -1, 1]),  # newest token, an older, a made-up
    st.sampled_from([0, 0, 0, 0, 0, 0, -1, 3]),  # at next, behind it, beyond it
    batches,
)
rebuilds = st.tuples(
    st.just("rebuild"),
    st.sampled_from([0, -1]),
    st.integers(0, 9),
    st.sampled_from([None, OURS]),
) | st.tuples(
    st.just("rebuild"),
    st.none(),  # an operator, over the owner's head
    st.integers(0, 9),
    st.sampled_from([OURS, OURS, THEIRS[0]]),
)
acts = st.one_of(applies, applies, applies, applies, claims, rebuilds)


REFUSALS = (Fenced, Mismatch, PositionMismatch)


def said(refusal: Exception) -> tuple:
    """A refusal as a reply: its kind, and where to seek."""
    where = refusal.args if isinstance(refusal, PositionMismatch) else ()
    return type(refusal), where


async def shared(rows: Rows, act: tuple, model: RowPartition) -> tuple:
    """What the scripts answer."""
    match act:
        case ("claim", identity):
            claim = await rows.claim(
                0,
                topic_id=identity.topic_id,
                cluster_id=identity.cluster_id,
                partitions=identity.partitions,
                fingerprint=identity.fingerprint,
            )
            return claim.token, claim.next, claim.generation
        case ("apply", older, off, batch):
            start = model.next + off
            codes = np.array(list(batch.values()), dtype=np.int64)
            done = await rows.apply(
                0, model.token + older, start, start + 7, list(batch), codes
            )
            return done.rows, done.cells
        case ("rebuild", older, start, identity):
            token = None if older is None else model.token + older
            claim = await rows.rebuild(0, token, start, identity)
            return claim.token, claim.next, claim.generation


def pure(act: tuple, model: RowPartition) -> tuple[tuple, RowPartition]:
    """What the model answers, and the model after it."""
    match act:
        case ("claim", identity):
            after = model.claim(identity)
        case ("apply", older, off, batch):
            start = model.next + off
            codes = list(batch.values())
            after = model.apply(
                model.token + older, start, start + 7, list(batch), codes
            )
            moved = {i for i, c in batch.items() if model.rows.get(i, GONE) != c}
            return (len(moved), len(model.deltas(after))), after
        case ("rebuild", older, start, identity):
            token = None if older is None else model.token + older
            after = model.rebuild(token, start, identity)
    return (after.token, after.next, after.generation), after


class Follower:
    """A reader that begins with nothing and must never be wrong."""

    def __init__(self, truth: Truth) -> None:
        self.truth, self.position, self.reloads = truth, CountedPosition(), 0
        self.counts: Counter[int] = Counter()

    async def follow(self) -> dict[int, int]:
        """The counts it holds after reading all there is."""
        news = await self.truth.follow(0, self.position)
        if news is None:
            whole = await self.truth.snapshot(0)
            pairs = zip(whole.codes.tolist(), whole.counts.tolist(), strict=True)
            self.counts, self.position = Counter(dict(pairs)), whole.position
            self.reloads += 1
        else:
            assert news.deltas.all()  # what came and went is no change
            pairs = zip(news.codes.tolist(), news.deltas.tolist(), strict=True)
            self.counts.update(dict(pairs))
            self.position = news.position
        return {code: count for code, count in self.counts.items() if count}


@given(history=st.lists(acts, min_size=12, max_size=30))
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_the_scripts_agree_with_the_pure_partition(redis, history):
    """Same acts, same order: same replies, same refusals, same rows, same counts.

    A follower that reads deltas after each act, and one that reads now and then, hold
    the same counts, and reload only after the first claim or a rebuild.
    """
    keys = Keys(f"t{uuid.uuid4().hex}")
    rows, model = Rows(redis, keys), RowPartition(OURS)
    truth = Truth(redis, keys)
    eager, lazy, starts = Follower(truth), Follower(truth), 1
    for turn, act in enumerate([("claim", OURS), *history]):
        before = model
        try:
            expected, model = pure(act, before)
        except REFUSALS as refusal:
            expected = said(refusal)
        try:
            reply = await shared(rows, act, before)
        except REFUSALS as refusal:
            reply = said(refusal)
        assert reply == expected
        starts += act[0] == "rebuild" and model is not before
        assert await stored(redis, keys) == (model.rows, model.next)
        assert await eager.follow() == model.cells
        assert turn % 4 or await lazy.follow() == model.cells
    assert lazy.reloads <= eager.reloads <= starts
    await redis.unlink(*keys.partition(0))


async def stored(redis, keys: Keys) -> tuple[dict[str, int], int]:
    """The row map and the position, read with plain commands."""
    meta, rows, _, _ = keys.partition(0)
    held = await redis.hgetall(rows)
    decoded = {i.decode(): int.from_bytes(c, "big") for i, c in held.items()}
    return decoded, int(await redis.hget(meta, "next"))
