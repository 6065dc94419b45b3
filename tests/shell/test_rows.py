"""Rows and Truth where the contract's small examples do not reach."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from sigmacount.errors import Fenced, Mismatch, PositionMismatch
from store.sensitive import Rows, Truth

pytestmark = pytest.mark.redis

OURS = {"topic_id": "t", "partitions": 1, "cluster_id": "c", "fingerprint": "f"}
MANY = 9_001  # more than two chunks of what Lua's unpack() holds


async def test_a_batch_larger_than_lua_unpacks_is_one_step(redis, keys):
    """Insert, move and delete more rows and cells than fit in one command."""
    rows, truth = Rows(redis, keys), Truth(redis, keys)
    claim = await rows.claim(0, **OURS)
    ids = [f"row-{i}" for i in range(MANY)]
    codes = np.arange(MANY, dtype=np.int64) * 2**49

    await rows.apply(0, claim.token, 0, MANY, ids, codes)
    first = await truth.snapshot(0)
    await rows.apply(0, claim.token, MANY, 2 * MANY, ids, codes + 1)
    second = await truth.snapshot(0)
    await rows.apply(0, claim.token, 2 * MANY, 3 * MANY, ids, np.full(MANY, -1))

    assert (first.codes == codes).all()
    assert (second.codes == codes + 1).all()
    assert (second.counts == 1).all()
    assert (await truth.snapshot(0)).codes.size == 0
    assert not await redis.exists(*keys.partition(0)[1:3])


async def test_a_follower_behind_a_cut_log_is_told_to_reload(redis, keys):
    """A hole in the deltas is never read over."""
    rows, truth = Rows(redis, keys, log_reach=200), Truth(redis, keys)
    claim = await rows.claim(0, **OURS)
    begin = (await truth.snapshot(0)).position
    for at in range(0, 40_000, 100):
        ids = [f"{at}-{i}" for i in range(100)]
        await rows.apply(
            0, claim.token, at, at + 100, ids, np.arange(100) + at % 10 * 100
        )
    near = await truth.snapshot(0)

    await rows.apply(0, claim.token, 40_000, 40_001, ["a"], np.array([5]))

    assert await truth.follow(0, begin) is None
    assert (await truth.follow(0, near.position)).codes.tolist() == [5]
    assert await redis.xlen(keys.partition(0)[3]) < 100


async def test_a_rebuild_that_ends_where_the_reader_stood_is_noticed(redis, keys):
    """The same log ids, other rows: only the generation tells them apart."""
    rows, truth = Rows(redis, keys), Truth(redis, keys)
    claim = await rows.claim(0, **OURS)
    await rows.apply(0, claim.token, 0, 1, ["a"], np.array([5]))
    read = (await truth.snapshot(0)).position

    anew = await rows.rebuild(0, claim.token, 0)
    await rows.apply(0, anew.token, 0, 1, ["b"], np.array([6]))

    assert await truth.follow(0, read) is None


async def test_an_emptied_log_is_a_hole_as_well(redis, keys):
    """Nothing to read is only good news when nothing was written."""
    rows, truth = Rows(redis, keys), Truth(redis, keys)
    claim = await rows.claim(0, **OURS)
    begin = (await truth.snapshot(0)).position
    await rows.apply(0, claim.token, 0, 1, ["a"], np.array([5]))

    await redis.xtrim(keys.partition(0)[3], maxlen=0)

    assert await truth.follow(0, begin) is None


async def test_a_batch_without_rows_moves_the_position(redis, keys):
    """Dead letters and transaction markers take offsets too."""
    rows, truth = Rows(redis, keys), Truth(redis, keys)
    claim = await rows.claim(0, **OURS)
    begin = (await truth.snapshot(0)).position

    await rows.apply(0, claim.token, 0, 9, [], np.empty(0, np.int64))
    await rows.apply(0, claim.token, 9, 9, [], np.empty(0, np.int64))

    news = await truth.follow(0, begin)
    assert (news.position.next, news.codes.size) == (9, 0)
    assert await truth.positions([0, 7]) == [9, None]


async def test_of_two_owners_only_the_newest_counts(redis, keys):
    """Both write at once; the older one changes nothing, in whatever order."""
    rows, truth = Rows(redis, keys), Truth(redis, keys)
    old = await rows.claim(0, **OURS)
    new = await rows.claim(0, **OURS)
    one = np.array([1])

    replies = await asyncio.gather(
        *(rows.apply(0, claim.token, 0, 1, ["a"], one) for claim in [old, new, old]),
        return_exceptions=True,
    )

    assert [type(reply) for reply in replies].count(Fenced) == 2
    assert (await truth.snapshot(0)).counts.tolist() == [1]


async def test_a_call_that_was_applied_says_so_when_repeated(redis, keys):
    """After a late reply: the stored position is the batch's own end."""
    rows = Rows(redis, keys)
    claim = await rows.claim(0, **OURS)
    batch = (0, claim.token, 0, 4, ["a"], np.array([1]))
    await rows.apply(*batch)

    with pytest.raises(PositionMismatch) as mismatch:
        await rows.apply(*batch)

    assert mismatch.value.stored == 4


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"topic_id": "u"}, "rows topic was made anew"),
        ({"cluster_id": "d"}, "another Kafka cluster"),
        ({"partitions": 2}, "another number of partitions"),
        ({"fingerprint": "g"}, "schema, the format of its rows, or how many an owner"),
    ],
)
async def test_a_stranger_is_told_what_differs_and_what_to_do(
    redis, keys, change, says
):
    """And nothing is written: the owner's token stays good."""
    rows = Rows(redis, keys)
    claim = await rows.claim(0, **OURS)

    with pytest.raises(Mismatch, match=rf"{says}.*sigma rebuild"):
        await rows.claim(0, **OURS | change)

    await rows.apply(0, claim.token, 0, 1, ["a"], np.array([1]))


async def test_a_claim_tells_when_the_partition_was_last_up_to_date(redis, keys):
    """Never, before the first batch; then by the server's clock."""
    rows = Rows(redis, keys)
    claim = await rows.claim(0, **OURS, start=5)
    await rows.apply(0, claim.token, 5, 6, ["a"], np.array([1]))
    seconds, micros = await redis.time()

    again = await rows.claim(0, **OURS)

    assert (claim.next, claim.applied_ms, again.next) == (5, None, 6)
    assert 0 <= seconds * 1000 + micros // 1000 - again.applied_ms < 60_000


async def test_counts_that_cannot_be_right_stop_the_partition(redis, keys):
    """A cell below zero means that something else wrote here; nothing is applied."""
    rows = Rows(redis, keys)
    claim = await rows.claim(0, **OURS)
    await rows.apply(0, claim.token, 0, 1, ["a"], np.array([1]))
    await redis.delete(keys.partition(0)[2])

    with pytest.raises(Mismatch, match="sigma rebuild"):
        await rows.apply(0, claim.token, 1, 2, ["a", "b"], np.array([2, 2]))

    assert await Truth(redis, keys).positions([0]) == [1]
    assert await redis.hkeys(keys.partition(0)[1]) == [b"a"]


@pytest.mark.parametrize(
    ("start", "end", "ids", "codes"),
    [
        (0, 2, ["a", "a"], [1, 2]),
        (0, 2, ["a", "b"], [1]),
        (0, 0, ["a"], [1]),
        (3, 2, [], []),
        (0, 1, ["a"], [-2]),
    ],
    ids=["twice", "shape", "no offset", "backwards", "code"],
)
async def test_a_batch_that_makes_no_sense_is_not_sent(
    redis, keys, start, end, ids, codes
):
    """It is the caller's defect, found before the server sees it."""
    rows = Rows(redis, keys)

    with pytest.raises(ValueError, match=r"batch|code"):
        await rows.apply(0, 1, start, end, ids, np.array(codes, dtype=np.int64))


async def test_an_operators_rebuild_names_the_stream(redis, keys):
    """Without a token there is nothing else to go by."""
    with pytest.raises(ValueError, match="which stream"):
        await Rows(redis, keys).rebuild(0, None, 0)


async def test_a_recount_finds_what_the_counts_hide(redis, keys):
    """``sigma verify`` compares the two."""
    rows, truth = Rows(redis, keys), Truth(redis, keys)
    claim = await rows.claim(0, **OURS)
    await rows.apply(0, claim.token, 0, 3, ["a", "b", "c"], np.array([1, 1, 4]))
    await redis.hincrby(keys.partition(0)[2], (4).to_bytes(8, "big"), 1)

    counted, told = await truth.recount(0), await truth.snapshot(0)

    assert counted.counts.tolist() == [2, 1]
    assert told.counts.tolist() == [2, 2]
    assert counted.position == told.position
