"""Old keys: what a dataset's keys were called before its name stood in the hash tag.

``sigma:census:{ledger}:state`` is ``sigma:{census:ledger}:state`` now. A process that
did not know would find an empty store, and could open a second ledger beside the one
that was spent from; so whoever opens a store looks for old keys first.
"""

from __future__ import annotations

from redis.asyncio import Redis

from sigmacount.errors import OldKeys
from store.keys import LEDGER, META, Keys, OldNames
from store.server.connection import translated

# Every opened ledger has a head, every claimed partition a generation; what
# `sigma migrate-keys` leaves under an old name has neither.
OPENED, CLAIMED = "head", "generation"
LOOKED = 256  # partitions; one trip of about a millisecond


async def refuse_old_keys(redis: Redis, keys: Keys, *, rows: bool) -> None:
    """Nothing, unless the store holds this dataset under old names.

    Everybody may look for the ledger; ``rows`` looks for counted partitions, too, as
    only a reader of the truth may. The ledger is renamed last, so a store that was
    migrated in part is refused as well.

    Raises:
        OldKeys: it does; the operator migrates them, and nothing was changed.
        StoreUnavailable: the caller looks again.

    COST: one trip, O(1) keys.
    """
    was = OldNames(keys.dataset)
    looked = [(was.of(LEDGER), OPENED)]
    looked += [(was.of(META, p=p), CLAIMED) for p in range(LOOKED) if rows]
    with translated():
        async with redis.pipeline(transaction=False) as pipe:
            for name, field in looked:
                pipe.hget(name, field)
            found = await pipe.execute()
    for (name, _), value in zip(looked, found, strict=True):
        if value is not None:
            raise OldKeys(keys.dataset, name)
