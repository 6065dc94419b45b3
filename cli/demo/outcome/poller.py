"""What somebody learns who polls around one event, by the rule of release.

A game: everybody is in the table before the event, and half have left after it.
Whoever guesses knows all other rows, so sees the count of one person alone, with the
noise that the rule gives it; looks once before and often after; and takes the guess
that is best for the rule. Noise is drawn as the curator draws it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sigmacount.continual import ContinualNoise, Counters, Horizon, horizon_for
from sigmacount.mechanisms import Amount, Measure, Mechanism, noise_costing

GAMES: Final = 4_000
LOOKS: Final = 20  # epochs after the event
Guess = NDArray[np.bool_]


class Polled(NamedTuple):
    """How often the guess was right, as shares of the games; a coin has a half.

    Attributes:
        once: after the first look behind the event.
        often: after all of them.
        most: no guess whatever is right more often, in expectation; 1: nothing is
            promised.
        paid: for all that was shown.
    """

    rule: str
    once: float
    often: float
    most: float
    paid: Amount


@dataclass(frozen=True, slots=True)
class Games:
    """So many people, half of whom have left, and one price of the noise, in pρ.

    Shapes: ``left`` bool (n,).
    """

    left: Guess
    price: Amount

    @classmethod
    def of(cls, price: Amount, games: int = GAMES) -> Games:
        """Every other one has left."""
        return cls(np.arange(games) % 2 == 0, price)

    def played(self, looks: int = LOOKS) -> tuple[Polled, ...]:
        """Under each rule.

        Raises:
            ValueError: nobody looks, or the price is none of ρ; the caller mends it.
        """
        if looks < 1 or self.price.measure is not Measure.RHO:
            msg = "somebody looks at least once, at noise that is paid for in ρ"
            raise ValueError(msg)
        return self.fixed(), self.renewed(looks), self.counted(looks)

    def fixed(self) -> Polled:
        """One draw for ever: the difference is the event."""
        noise = self._draw(noise_costing(self.price))
        before, after = 1 + noise, 1 - self.left + noise
        right = self._right(after < before)
        return Polled("fixed-noise", right, right, 1.0, self.price)

    def renewed(self, looks: int) -> Polled:
        """A draw an epoch: the mean of the looks behind the event tells."""
        noise = noise_costing(self.price)
        shown = [1 - self.left + self._draw(noise) for _ in range(looks)]
        once, often = shown[0], np.mean(shown, axis=0)
        most = most_right(self.price.units * looks)
        paid = self.price * (looks + 1)
        rights = self._right(once < 1), self._right(often < 0.5)  # noqa: PLR2004
        return Polled("renew", *rights, most, paid)

    def counted(self, looks: int) -> Polled:
        """A counter: what it would take back of later noise tells as well."""
        horizon = horizon_for(looks)
        noise = ContinualNoise.costing(horizon, self.price.units)
        counters = guessed = Counters.new(horizon, len(self.left))
        weights, tells = moves(horizon, looks), []
        for look in range(looks + 1):
            moved = counters.step(self._draw(noise.ticks))
            counters = counters.absorb(moved)
            seen = moved - self.left if look == 1 else moved  # N changes once
            tells.append(seen + np.ldexp(guessed.feedback, -horizon.lattice_bits))
            guessed = guessed.absorb(seen)
        once, often = tells[1], np.tensordot(weights, tells[1:], axes=1)
        rights = (
            self._right(once < -0.5),  # noqa: PLR2004
            self._right(often < -(weights**2).sum() / 2),
        )
        return Polled("continual", *rights, most_right(self.price.units), self.price)

    def _draw(self, noise: Mechanism) -> NDArray[np.int64]:
        return noise.draw(len(self.left))

    def _right(self, guess: Guess) -> float:
        return float((guess == self.left).mean())


def moves(horizon: Horizon, ticks: int) -> NDArray[np.float64]:
    """c_0, c_1, …: by how much an event moves the tick it is in and those after it."""
    kept, gains = (
        [float(x) for x in each] for each in (horizon.thetas, horizon.omegas)
    )
    later = [
        sum(g * k**j for g, k in zip(gains, kept, strict=True))
        for j in range(ticks - 1)
    ]
    return np.array([1.0, *later])


def most_right(pico: int) -> float:
    """Gaussian noise of so much ρ: how often the best guess is right."""
    return NormalDist().cdf(math.sqrt(2 * pico / 1e12) / 2)
