"""OneEpoch: the rule of a question that is asked once, among those that go on."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sigmacount.accounting import Continual


@dataclass(frozen=True, slots=True)
class OneEpoch(Continual):
    """Noise of its own for every epoch, charged in each: a counter of one tick.

    A change costs its price in every epoch in which such a question is asked.
    """

    @staticmethod
    def under(rule: Continual) -> OneEpoch:
        """Where others go on by ``rule``: all but the horizon is the same."""
        return OneEpoch(**asdict(rule) | {"horizon": 1})

    def noise_generation(self, epoch: int) -> int:
        """The epoch: what one showed, no other does."""
        return epoch
