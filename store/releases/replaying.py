"""Replaying: counters made of what the vault holds of their ticks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.continual import HORIZONS, SUMS, Counters, Horizon, KeptCounters
from sigmacount.errors import Mismatch, StoreWentBack
from sigmacount.models import NoiseName
from store.server.arrays import unpack
from store.server.connection import octets, text


class StoredTick(NamedTuple):
    """A tick of the past, and what its commitment is made with.

    Attributes:
        after: the counters as they were after it.
        epoch: that it is for.
        key: of the unit's commitments.
    """

    after: Counters
    epoch: int
    key: bytes


def kind_of(counters: Counters) -> str:
    """Which constants and how many numbers: neither changes while a counter lives."""
    return f"{counters.horizon.epochs}:{counters.noise.size}"


def fields_of(held: Mapping[bytes | str, bytes | str]) -> dict[str, bytes]:
    """What a unit's hash holds, by name."""
    return {text(name): octets(value) or b"" for name, value in held.items()}


def replayed(
    units: Mapping[NoiseName, tuple[Horizon, int]],
    held: Mapping[NoiseName, Mapping[str, bytes]],
) -> dict[NoiseName, KeptCounters]:
    """The counters of each unit, of this horizon and size; new, if none ticked.

    COST: up to some 0.1 s for a unit of 10^5 numbers: nothing for an event loop.

    Raises:
        Mismatch, StoreWentBack: as ``TickVault.read``.
    """
    return {
        name: _replayed(name, horizon, size, held[name])
        for name, (horizon, size) in units.items()
    }


def _replayed(
    name: NoiseName, horizon: Horizon, size: int, held: Mapping[str, bytes]
) -> KeptCounters:
    new = Counters.new(horizon, size)
    if not held:
        return KeptCounters.replayed(new, ())
    if (kind := held.get("kind", b"").decode()) != kind_of(new):
        msg = f"unit {name}: the vault has counters of kind {kind}, not {kind_of(new)}"
        raise Mismatch(msg)
    try:
        return KeptCounters.replayed(*_kept(new, held))
    except (KeyError, ValueError) as lost:  # of whose text only a field's name is told
        part = lost.args[0] if isinstance(lost, KeyError) else "a part"
        what = f"unit {name}: {part} of its ticks is gone or broken"
        raise StoreWentBack(what) from None


def stored_tick(tick: int, held: Mapping[str, bytes]) -> StoredTick | None:
    """This tick of a unit; None: it is gone, folded, or cannot be replayed."""
    try:
        epochs, size = held["kind"].decode().split(":")
        horizon = SUMS if int(epochs) == SUMS.epochs else HORIZONS[int(epochs)]
        state, ticks = _kept(Counters.new(horizon, int(size)), held)
        place = tick - state.tick
        if not 0 < place <= len(ticks):
            return None
        then = KeptCounters.replayed(state, ticks[:place])
        return StoredTick(then.now, then.epoch, held["key"])
    except (KeyError, ValueError, OverflowError, StoreWentBack):
        return None


def _kept(
    new: Counters, held: Mapping[str, bytes]
) -> tuple[Counters, list[tuple[int, NDArray[np.int64]]]]:
    """The stored state, and (epoch, u) of each tick since: at least of the last."""
    folded, last = int(held.get("t0", 0)), int(held["t"])
    ticks = [
        (int(held[f"epoch:{n}"]), unpack(held[f"u:{n}"]))
        for n in range(folded + 1, last + 1)
    ]
    if not ticks:
        msg = f"u:{last}"
        raise KeyError(msg)
    return _state(new, folded, held["state"]) if folded else new, ticks


def _state(new: Counters, tick: int, packed: bytes) -> Counters:
    rows = unpack(packed).reshape(1 + len(new.buffers), *new.noise.shape)
    return Counters(new.horizon, tick, rows[0], rows[1:])
