"""Keeping: what there is of the noise of fresh questions, and what an epoch shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sigmacount.accounting import EvolvingRule, NoiseState
from sigmacount.models import NoiseName
from workers.answering.known import NotedNoise
from workers.curator.fresh.requests import FreshRequest
from workers.curator.noise.keeping import Array


@dataclass(frozen=True, slots=True)
class HeldNoise:
    """What is kept of the noise of some questions, by unit, as an epoch finds it.

    Attributes:
        states: of units whose noise was drawn before; all others are lacking.
        noises: as this epoch shows them, int64 (draws,); of a unit that has a state
            it may still be missing, and is then to be drawn, for nothing.
        epochs: T, in how many epochs it is shown at most, this one among them.
        ticks: of units whose noise is added to: how often, for this epoch.
    """

    states: Mapping[str, NoiseState] = field(default_factory=dict)
    noises: Mapping[str, Array] = field(default_factory=dict)
    epochs: Mapping[str, int] = field(default_factory=dict)
    ticks: Mapping[str, int] = field(default_factory=dict)

    def noted(self, request: FreshRequest) -> NotedNoise:
        """The noise that this epoch shows, or would show, of a question."""
        return NotedNoise(request.mechanism.price, self.ticks.get(request.unit))

    def lacks(self, requests: Sequence[FreshRequest]) -> list[FreshRequest]:
        """Those whose noise was never drawn."""
        return [request for request in requests if request.unit not in self.states]

    def with_drawn(self, noises: Mapping[str, Array]) -> HeldNoise:
        """The same, with noise that was drawn for this epoch."""
        new = [unit for unit in noises if unit not in self.states]
        states: dict[str, NoiseState] = {**dict.fromkeys(new, "drawn"), **self.states}
        epochs = {**dict.fromkeys(new, 1), **self.epochs}
        noises = {**self.noises, **noises}
        return HeldNoise(states, noises, epochs, self.ticks)


class FreshKeeping(Protocol):
    """Where it is kept; the caller charges before noise is drawn.

    Attributes:
        rule: what is charged for it, and promised of it.

    Raises (every coroutine):
        Fenced: a newer curator took over; nobody is answered.
        StoreWentBack: what was shown is gone or another; nobody is answered.
        StoreUnavailable, StreamUnavailable: the caller answers the same again.
    """

    @property
    def rule(self) -> EvolvingRule:
        """See the attributes."""
        ...

    def name(self, request: FreshRequest, epoch: int) -> NoiseName:
        """By which its charge goes."""
        ...

    async def held(self, requests: Sequence[FreshRequest], epoch: int) -> HeldNoise:
        """What there is of their noise; nothing is written."""
        ...

    def before_drawing(self, requests: Sequence[FreshRequest], epoch: int) -> None:
        """No noise of these, which lack it, was ever shown."""
        ...

    async def drawn(
        self, requests: Sequence[FreshRequest], held: HeldNoise, epoch: int
    ) -> HeldNoise:
        """The noise of these, paid for, and on disk for this epoch."""
        ...

    async def bind(
        self, requests: Sequence[FreshRequest], held: HeldNoise, epoch: int
    ) -> None:
        """Charges, and commitments to their noise, are in the audit trail."""
        ...

    async def answered(self, requests: Sequence[FreshRequest], epoch: int) -> None:
        """Their answers are known: what is behind them may be put away.

        Its failure costs nothing but room.
        """
        ...
