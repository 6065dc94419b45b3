"""lease_*.lua and fence.lua beside ``sigmacount.models.lease``."""

from __future__ import annotations

import asyncio
import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sigmacount.errors import Fenced
from sigmacount.models.lease import Fence, Lease
from store.keys import LEASE, LEDGER_FENCE, NOISE_FENCE, RELEASE_FENCE, Keys
from store.lease import Fences, RoleLease
from store.server.scripts import Scripts

pytestmark = pytest.mark.redis

LONG = 600_000  # ms; far longer than the test, so only ``expire`` lets a lease lapse
SHARED = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

acts = st.one_of(
    st.tuples(
        st.just("acquire"), st.sampled_from(["anna", "ben 2", ""]), st.integers(0, 9)
    ),
    st.tuples(st.sampled_from(["renew", "release"]), st.sampled_from([0, 0, -1, 1])),
    st.just(("expire", None)),
)


async def shared(lease: RoleLease, act: tuple, newest: int) -> object:
    """What the scripts answer."""
    match act:
        case ("acquire", owner, beyond):
            return await lease.acquire(owner, LONG, beyond)
        case ("renew", older):
            return await lease.renew(newest + older, LONG)
        case ("release", older):
            return await lease.release(newest + older)


def pure(lease: Lease, act: tuple, now: int) -> tuple[object, Lease]:
    """What the model answers, and the lease after it."""
    match act:
        case ("acquire", owner, beyond):
            after = lease.acquire(owner, now, LONG, beyond)
            return (None, lease) if after is None else (after.newest, after)
        case ("renew", older):
            after = lease.renew(lease.newest + older, now, LONG)
            return after is not None, after or lease
        case ("release", older):
            ours = older == 0 and lease.held_by(now) is not None
            return ours, lease.release(lease.newest + older)


@given(history=st.lists(acts, min_size=4, max_size=20))
@SHARED
async def test_the_scripts_agree_with_the_pure_lease(redis, history):
    """Same acts, same moments: same tokens, same refusals, same holder."""
    keys = Keys(f"t{uuid.uuid4().hex}")
    lease, model, now = RoleLease(redis, keys, "curator"), Lease(), 0
    for act in history:
        if act[0] == "expire":
            now += LONG
            await redis.unlink(keys.of(LEASE, role="curator"))
        else:
            newest = model.newest
            expected, model = pure(model, act, now)
            assert await shared(lease, act, newest) == expected
        assert await lease.holder() == (model.held_by(now) or None)
        assert await lease.newest() == model.newest


@pytest.mark.parametrize("pattern", [NOISE_FENCE, LEDGER_FENCE, RELEASE_FENCE])
@given(tokens=st.lists(st.integers(0, 4), min_size=2, max_size=10))
@SHARED
async def test_the_script_agrees_with_the_pure_fence(redis, pattern, tokens):
    """Same tokens, same order: the same ones are let through."""
    key = Keys(f"t{uuid.uuid4().hex}").of(pattern)
    fence, model = Fences(Scripts(redis), key), Fence()
    for token in tokens:
        try:
            model, admitted = model.admit(token), True
        except Fenced:
            admitted = False
        try:
            await fence.advance(token)
            passed = True
        except Fenced:
            passed = False
        assert passed is admitted
    assert int(await redis.get(key) or 0) == model.newest


async def test_a_lease_that_is_not_renewed_passes_on(redis, keys):
    """Expiry is the server's: a dead holder cannot keep a role."""
    lease = RoleLease(redis, keys, "curator")
    first = await lease.acquire("anna", 30)

    await asyncio.sleep(0.1)
    second = await lease.acquire("ben", LONG)

    assert (first, second) == (1, 2)
    assert not await lease.renew(first, LONG)
    assert await lease.holder() == "ben"


async def test_a_renewed_lease_outlives_its_first_time(redis, keys):
    """Each renewal counts from its own moment."""
    lease = RoleLease(redis, keys, "curator")
    token = await lease.acquire("anna", 500)

    assert await lease.renew(token, LONG)

    assert await redis.pttl(keys.of(LEASE, role="curator")) > LONG / 2


async def test_roles_do_not_stand_in_each_others_way(redis, keys):
    """A curator and a reclusterer act at the same time."""
    await RoleLease(redis, keys, "curator").acquire("anna", LONG)

    token = await RoleLease(redis, keys, "reclusterer").acquire("ben", LONG)

    assert token == 1
