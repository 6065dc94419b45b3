"""Headroom of a ledger in Redis: what it would still grant for one purpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from redis.asyncio import Redis

from sigmacount.accounting import Headroom, Purpose, Purse
from sigmacount.mechanisms import Measure
from store.keys import LEDGER_CLIENTS, LEDGER_SEEN, LEDGER_SURCHARGED, Keys
from store.ledger.totals import Totals
from store.server.connection import translated


async def headroom_of(
    redis: Redis,
    keys: Keys,
    totals: Totals,
    purpose: Purpose,
    clients: Sequence[str],
    ids: Sequence[str],
) -> Headroom:
    """What ``totals`` leave for charges of a purpose, to these clients, by these ids.

    Raises:
        StoreUnavailable: the caller reads again.
    """
    seen = await _many(redis, keys.of(LEDGER_SEEN), ids)
    spent = await _many(redis, keys.of(LEDGER_CLIENTS), clients)
    surcharges = None
    if totals.measure is not Measure.EPSILON:
        aside = await _many(redis, keys.of(LEDGER_SURCHARGED), clients)
        limits = totals.surcharges
        surcharges = Purse(
            left=limits.limit - totals.surcharged,
            purpose_left=_rest(limits.caps, totals.surcharged_on, purpose),
            client_left=_shares(limits.client_quota, aside),
        )
    return Headroom(
        left=totals.left,
        purpose_left=_rest(totals.caps, totals.on, purpose),
        client_left=_shares(totals.client_quota, spent),
        spent=totals.spent,
        repeated=totals.repeated,
        surcharged=totals.surcharged,
        granted={id_ for id_, was in seen.items() if was is not None},
        surcharges=surcharges,
    )


async def _many(
    redis: Redis, key: str, fields: Sequence[str]
) -> dict[str, bytes | str | None]:
    if not fields:
        return {}
    with translated():
        found = await redis.hmget(key, list(fields))
    return dict(zip(fields, found, strict=True))


def _rest(
    caps: Mapping[Purpose, int], spent: Mapping[Purpose, int], purpose: Purpose
) -> int | None:
    return caps[purpose] - spent.get(purpose, 0) if purpose in caps else None


def _shares(
    quota: int | None, spent: Mapping[str, bytes | str | None]
) -> dict[str, int] | None:
    if quota is None:
        return None
    return {client: quota - int(paid or 0) for client, paid in spent.items()}
