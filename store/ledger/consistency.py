"""Consistency: whether all parts of a ledger say the same as its lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
from redis.asyncio import Redis

from sigmacount.accounting import NOTE_PURPOSES, Entry, first_hash, intact
from store.keys import LEDGER, LEDGER_CLIENTS, LEDGER_ENTRIES, LEDGER_SEEN, Keys
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
            for part in (LEDGER, LEDGER_SEEN, LEDGER_CLIENTS):
                pipe.hgetall(keys.of(part))
            found, *parts = await pipe.execute()
    try:
        lines = [msgspec.json.decode(line, type=Entry) for line in found]
    except msgspec.DecodeError:
        return False
    state, seen, clients = ({text(k): text(v) for k, v in p.items()} for p in parts)
    if "limit" not in state:
        return not lines
    head = lines[-1].hash if lines else first_hash(keys.dataset)
    return (
        intact(keys.dataset, lines)
        and head == state["head"]
        and not any(each.charge.measure_conflicts(measure_of(state)) for each in lines)
        and _sums(lines) == _told(state)
        and {line.charge.charge_id for line in lines} == seen.keys()
        and _by_client(lines) == {name: int(spent) for name, spent in clients.items()}
    )


def _sums(lines: Sequence[Entry]) -> Mapping[str, int]:
    sums = Counter({"spent": 0, "repeated": 0})
    for line in lines:
        charge = line.charge
        sums["spent"] += charge.asked
        sums["repeated"] += charge.repeats
        if charge.purpose not in NOTE_PURPOSES:
            sums[f"spent:{charge.purpose}"] += charge.asked
    return dict(sums)


def _told(state: Fields) -> Mapping[str, int]:
    named = ("spent", "repeated")
    return {
        name: int(value)
        for name, value in state.items()
        if name in named or name.startswith("spent:")
    }


def _by_client(lines: Sequence[Entry]) -> Mapping[str, int]:
    spent = Counter[str]()
    for line in lines:
        if line.charge.client is not None:
            spent[line.charge.client] += line.charge.asked
    return dict(spent)
