"""claim.lua, apply.lua, rebuild.lua under a limit of changes, beside their model."""

from __future__ import annotations

import struct
import uuid

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sigmacount.errors import Fenced, Mismatch, PositionMismatch
from sigmacount.models import GONE, RowIdentity
from sigmacount.models.rows import RowPartition
from store.keys import CHANGES, Keys
from store.sensitive import Rows, Truth

pytestmark = pytest.mark.redis

OURS = RowIdentity("topic-1", "cluster-1", 12, "schema-1")
ANEW = RowIdentity("topic-2", "cluster-1", 12, "schema-1")
WIDER = RowIdentity("topic-2", "cluster-1", 24, "schema-1")
REFUSALS = (Fenced, Mismatch, PositionMismatch)

CODES = [GONE, GONE, 0, 1, 2**53, 2**53 + 1]
events = st.lists(st.tuples(st.sampled_from("abü"), st.sampled_from(CODES)), max_size=9)
claims = st.tuples(st.just("claim"), st.sampled_from([3, 3, 3, 4, 2, None]))
applies = st.tuples(
    st.just("apply"),
    st.sampled_from([0, 0, 0, 0, 0, -1]),  # at next, or behind it
    events,
    st.sampled_from([True, True, False]),  # what is in excess is set aside
)
rebuilds = st.tuples(
    st.just("rebuild"),
    st.sampled_from([None, None, 0]),
    st.sampled_from([OURS, OURS, ANEW, WIDER]),
    st.sampled_from([None, 0, 9, 30]),
)
acts = st.one_of(applies, applies, applies, applies, claims, rebuilds)


def settling(model: RowPartition, start: int, batch: list) -> int:
    """How many records lie below where a rebuild has brought back what there was."""
    return sum(start + at < model.settled for at in range(len(batch)))


async def shared(rows: Rows, act: tuple, model: RowPartition) -> tuple:
    """What the scripts answer."""
    match act:
        case ("claim", limit):
            rows.limit = limit
            about = dict(zip(FIELDS, model.identity.fields(), strict=True))
            claim = await rows.claim(0, **about)
            return claim.token, claim.next, claim.settled, claim.told
        case ("apply", off, batch, told):
            rows.limit, start = model.limit, model.next + off
            ids = [id_ for id_, _ in batch]
            codes = np.array([code for _, code in batch], dtype=np.int64)
            done = await rows.apply(
                0,
                model.token,
                start,
                start + 9,
                ids,
                codes,
                settling=settling(model, start, batch),
                told=told,
            )
            return done.rows, done.cells, done.excess
        case ("rebuild", token, identity, end):
            named = None if token is None else model.token
            other = None if token == 0 else identity
            claim = await rows.rebuild(0, named, 0, other, end)
            return claim.token, claim.next, claim.settled, claim.told


FIELDS = ("topic_id", "cluster_id", "partitions", "fingerprint")


def pure(act: tuple, model: RowPartition) -> tuple[tuple, RowPartition]:
    """What the model answers, and the model after it."""
    match act:
        case ("claim", limit):
            after = model.claim(model.identity, limit)
        case ("apply", off, batch, told):
            start = model.next + off
            ids, codes = [id_ for id_, _ in batch], [code for _, code in batch]
            many = settling(model, start, batch)
            after = model.apply(model.token, start, start + 9, ids, codes, many)
            excess = tuple(model.excess(ids, codes, many))
            if excess and not told:
                return (0, 0, excess), model
            moved = [
                i
                for i in {*model.rows, *after.rows}
                if model.rows.get(i) != after.rows.get(i)
            ]
            return (len(moved), len(model.deltas(after)), ()), after
        case ("rebuild", token, identity, end):
            named = None if token is None else model.token
            other = None if token == 0 else identity
            after = model.rebuild(named, 0, other, end)
    return (after.token, after.next, after.settled, after.told), after


@given(limit=st.integers(1, 6), history=st.lists(acts, min_size=12, max_size=30))
@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_the_scripts_agree_with_the_pure_partition_under_a_limit(
    redis, limit, history
):
    """Same acts, same order: same replies, rows, counts, and changes of each row."""
    keys = Keys(f"t{uuid.uuid4().hex}")
    rows, model = Rows(redis, keys), RowPartition(OURS)
    truth = Truth(redis, keys)
    for act in [("claim", limit), *history]:
        before = model
        try:
            expected, model = pure(act, before)
        except REFUSALS as refusal:
            expected = type(refusal)
        try:
            reply = await shared(rows, act, before)
        except REFUSALS as refusal:
            reply = type(refusal)
        assert reply == expected
        assert await stored(redis, keys) == (model.rows, model.changes)
        held = await truth.snapshot(0)
        assert dict(zip(held.codes, held.counts, strict=True)) == model.cells
    await redis.unlink(*keys.changing(0))


async def stored(redis, keys: Keys) -> tuple[dict, dict]:
    """The row map and the changes, read with plain commands."""
    rows = await redis.hgetall(keys.partition(0)[1])
    changes = await redis.hgetall(keys.of(CHANGES, p=0))
    return (
        {i.decode(): int.from_bytes(c, "big") for i, c in rows.items()},
        {i.decode(): struct.unpack(">Iq", each) for i, each in changes.items()},
    )


async def test_a_limit_begins_with_the_partition(redis, keys):
    """What was counted without one cannot get one; what was emptied unclaimed may."""
    about = dict(zip(FIELDS, OURS.fields(), strict=True))
    await Rows(redis, keys).claim(0, **about)
    await Rows(redis, keys).rebuild(1, None, 0, OURS)

    with pytest.raises(Mismatch, match=r"without a limit.*another name"):
        await Rows(redis, keys, limit=4).claim(0, **about)

    assert (await Rows(redis, keys, limit=4).claim(1, **about)).token == 2
    with pytest.raises(Mismatch, match=r"with a limit of 4.*may rise"):
        await Rows(redis, keys, limit=3).claim(1, **about)


async def test_a_partition_from_before_there_were_limits_has_none(redis, keys):
    """An older release wrote nothing of it."""
    about = dict(zip(FIELDS, OURS.fields(), strict=True))
    await Rows(redis, keys).claim(0, **about)
    await redis.hdel(keys.partition(0)[0], "limit")

    with pytest.raises(Mismatch, match="without a limit"):
        await Rows(redis, keys, limit=4).claim(0, **about)

    assert (await Rows(redis, keys).claim(0, **about)).token == 2


async def test_under_a_limit_ids_and_cells_mean_what_they_meant(redis, keys):
    """A rebuild with other partitions would forget whose changes it counted."""
    about = dict(zip(FIELDS, OURS.fields(), strict=True))
    rows = Rows(redis, keys, limit=4)
    claim = await rows.claim(0, **about)

    with pytest.raises(Mismatch, match="another number of partitions"):
        await rows.rebuild(0, None, 0, WIDER, 9)

    await rows.apply(0, claim.token, 0, 1, ["a"], np.array([1]))


async def test_changes_outlive_a_rebuild_of_many_rows(redis, keys):
    """More than one page of a scan: those used up stay, and count once."""
    about = dict(zip(FIELDS, OURS.fields(), strict=True))
    rows, many = Rows(redis, keys, limit=1), 5_000
    claim = await rows.claim(0, **about)
    ids = [f"row-{i}" for i in range(many)]
    await rows.apply(0, claim.token, 0, many, ids, np.arange(many) % 7)
    before = await Truth(redis, keys).snapshot(0)

    await rows.rebuild(0, None, 0, ANEW, many)

    after = await Truth(redis, keys).snapshot(0)
    assert after.codes.tolist() == before.codes.tolist()
    assert after.counts.tolist() == before.counts.tolist()
    assert (await Truth(redis, keys).recount(0)).counts.sum() == many
