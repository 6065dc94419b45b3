"""Consistency: whether all parts of a ledger say the same as its lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
from redis.asyncio import Redis

from sigmacount.accounting import NOTE_PURPOSES, Charge, Entry, first_hash, intact
from sigmacount.mechanisms import Measure
from store.keys import (
    LEDGER,
    LEDGER_CLIENTS,
    LEDGER_ENTRIES,
    LEDGER_SEEN,
    LEDGER_SURCHARGED,
    Keys,
)
from store.ledger.totals import measure_of
from store.server.connection import text, translated

Fields = Mapping[str, str]


async def consistent(redis: Redis, keys: Keys) -> bool:
    """Whether the chain is intact, and totals, ids and quotas are those of its lines.

    All parts are read in one instant, so it may be asked while a curator charges.

    COST: O(lines).
    """
    with translated():
        async with redis.pipeline(transaction=True) as pipe:
            pipe.lrange(keys.of(LEDGER_ENTRIES), 0, -1)
            for part in (LEDGER, LEDGER_SEEN, LEDGER_CLIENTS, LEDGER_SURCHARGED):
                pipe.hgetall(keys.of(part))
            found, *parts = await pipe.execute()
    try:
        lines = [msgspec.json.decode(line, type=Entry) for line in found]
    except msgspec.DecodeError:
        return False
    state, *rest = ({text(k): text(v) for k, v in p.items()} for p in parts)
    if "limit" not in state:
        return not lines
    head = lines[-1].hash if lines else first_hash(keys.dataset)
    return (
        intact(keys.dataset, lines)
        and head == state["head"]
        and not any(each.charge.measure_conflicts(measure_of(state)) for each in lines)
        and _adds_up([line.charge for line in lines], state, *rest)
    )


def _adds_up(
    charges: Sequence[Charge],
    state: Fields,
    seen: Fields,
    clients: Fields,
    surcharged: Fields,
) -> bool:
    """Whether totals, ids and quotas are those of the charges, purse by purse."""
    measure = measure_of(state)
    own = [charge for charge in charges if not charge.apart_in(measure)]
    apart = [charge for charge in charges if charge.apart_in(measure)]
    return (
        _sums(own, apart) == _told(state, measure)
        and {charge.charge_id for charge in charges} == seen.keys()
        and _by_client(own) == {name: int(spent) for name, spent in clients.items()}
        and _by_client(apart) == {c: int(spent) for c, spent in surcharged.items()}
    )


def _sums(own: Sequence[Charge], apart: Sequence[Charge]) -> Mapping[str, int]:
    sums = Counter({"spent": 0, "repeated": 0})
    for charge in own:
        sums["spent"] += charge.asked
        if charge.purpose not in NOTE_PURPOSES:
            sums[f"spent:{charge.purpose}"] += charge.asked
    for charge in apart:
        sums["surcharged"] += charge.asked
        sums[f"apart:spent:{charge.purpose}"] += charge.asked
    sums["repeated"] += sum(charge.repeats for charge in (*own, *apart))
    return dict(sums)


def _told(state: Fields, measure: Measure) -> Mapping[str, int]:
    """The same of the state; in pure ε an older version counted no surcharges."""
    named = {"spent", "repeated"}
    if measure is not Measure.EPSILON and state["surcharged"] != "0":
        named.add("surcharged")
    return {
        name: int(value)
        for name, value in state.items()
        if name in named or name.startswith(("spent:", "apart:spent:"))
    }


def _by_client(charges: Sequence[Charge]) -> Mapping[str, int]:
    spent = Counter[str]()
    for charge in charges:
        if charge.client is not None:
            spent[charge.client] += charge.asked
    return dict(spent)
