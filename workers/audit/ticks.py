"""Ticks of counters, held to what the audit trail says of them.

A commitment is to the whole state after a tick, from which all later noise goes on. So
a tick that is another, or came from another past, has another figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from sigmacount.continual import Counters, KeptCounters
from sigmacount.errors import StoreWentBack
from sigmacount.mechanisms import commitment
from sigmacount.models import NoiseName
from store.releases.tick_vault import TickVault
from streams.audit.trail import LastTick, Trail

AT_ONCE: Final = 256  # units that are read, and compared without a break


async def unfaithful_ticks(
    vault: TickVault, dataset: str, trail: Trail
) -> list[NoiseName]:
    """Units whose newest bound tick is not in the vault as it was.

    COST: the ticks of every unit that ever was are replayed, at most some sixty each.
    It is done beside the event loop: a lease that lapsed meanwhile would never be kept.
    """
    bound, found = list(trail.counting().items()), []
    for at in range(0, len(bound), AT_ONCE):
        some = bound[at : at + AT_ONCE]
        held = await vault.stored({name: last.tick for name, last in some})
        found += [
            name
            for name, last in some
            if (tick := held[name]) is None
            or _last(tick.key, dataset, name, tick.epoch, tick.after) != last
        ]
    return found


async def lasts(
    vault: TickVault,
    dataset: str,
    epoch: int,
    ticked: Mapping[NoiseName, Counters],
) -> dict[NoiseName, LastTick]:
    """What binds the last tick of these counters, which was for ``epoch``.

    Raises:
        StoreWentBack: the vault no longer has a unit.
    """
    keys = await vault.keys_of(ticked)
    made = {}
    for name, counters in ticked.items():
        if (key := keys[name]) is None:
            what = f"unit {name}: its ticks are gone"
            raise StoreWentBack(what)
        made[name] = _last(key, dataset, name, epoch, counters)
    return made


def require(trail: Trail, name: NoiseName, kept: KeptCounters, newest: int) -> None:
    """The counters have what was bound, and nothing of an epoch that cannot be.

    ``newest``: the highest epoch that was announced or served.

    Raises:
        StoreWentBack: as ``KeptCounters.require``.
    """
    last = trail.ticks.get(name)
    kept.require(str(name), newest, last and (last.tick, last.epoch))


def _last(
    key: bytes, dataset: str, name: NoiseName, epoch: int, after: Counters
) -> LastTick:
    state = np.concatenate((after.noise[None], after.buffers)).reshape(-1)
    about = f"{name} tick {after.tick} epoch {epoch}"
    return LastTick(after.tick, epoch, commitment(key, dataset, about, state))
