"""Keeping: what there is of the noise of plan units, and what an epoch adds of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting import Continual, NoiseState
from sigmacount.mechanisms import Mechanism
from sigmacount.models import NoiseName
from sigmacount.release import PlanUnit

Array = NDArray[np.int64]
NoiseSource = Callable[[Mechanism], Mechanism]  # itself; another one in a test


@dataclass(frozen=True, slots=True)
class KeptUnits:
    """What is kept of some units before an epoch.

    Attributes:
        states: ``lacking`` or ``shown``, by unit.
        noises: of those whose noise is kept as it was drawn: int64 (draws,).
    """

    states: Mapping[str, NoiseState]
    noises: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EpochNoise:
    """What an epoch adds to its true counts, all of it charged and on disk.

    Attributes:
        epoch: that shows it.
        added: int64 (draws,) by unit.
        about: what readers need to know of it, JSON-able, for the head.
    """

    epoch: int
    added: Mapping[str, Array]
    about: Mapping[str, object] = field(default_factory=dict)


def told_of(ticks: Mapping[NoiseName, int], rule: Continual) -> dict[str, object]:
    """What a head says of noise that grows: how old each unit is, and its clock.

    And which of its noises it is: ticks of another generation, or of noise that was
    lost since, are of other noise.
    """
    lost = {name.unit: name.lost for name in ticks if name.lost}
    return {
        "ticks": {name.unit: tick for name, tick in ticks.items()},
        "generations": {name.unit: name.generation for name in ticks},
        "horizon": rule.horizon,
        "tick_seconds": rule.tick_seconds,
        **({"lost": lost} if lost else {}),
    }


class NoiseKeeping(Protocol):
    """Where the noise of plan units is kept; the caller charges before it is drawn.

    Raises (every coroutine):
        Fenced: a newer curator took over; nothing is shown.
        StoreWentBack: what was shown is gone or another; nothing is drawn or shown.
        StoreUnavailable, StreamUnavailable: the caller repeats the act.
    """

    def name(self, unit: str, epoch: int) -> NoiseName:
        """By which its charge goes."""
        ...

    async def kept(self, units: Sequence[PlanUnit], epoch: int) -> KeptUnits:
        """What there is of each unit; nothing is written."""
        ...

    def before_drawing(self, units: Collection[str], epoch: int) -> None:
        """Nothing of these units, which are lacking, was ever shown."""
        ...

    async def drawn(
        self,
        units: Sequence[PlanUnit],
        kept: KeptUnits,
        epoch: int,
        over: asyncio.Event,
    ) -> EpochNoise:
        """The noise of these units for the epoch, paid for, and now on disk.

        Raises:
            WorkEnded: what was drawn and not stored is forgotten.
        """
        ...

    async def bind(self, noise: EpochNoise) -> None:
        """Charges, and commitments to this noise, are in the audit trail."""
        ...

    async def shown(self, noise: EpochNoise, over: asyncio.Event) -> None:
        """The epoch with this noise was published: what is behind it may be put away.

        Its failure costs nothing but room: the next epoch does it.
        """
        ...
