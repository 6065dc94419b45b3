"""Errors: what a strategy errs on the questions, predicted and measured.

Measured: noise drawn by OpenDP for every atom of every group and for every question
that no group holds, summed up as the questions ask; the mean squared error over all
questions, repeats included, before post-processing. Predicted: the variances that
``Router`` and ``noise.variance`` state. Both in units of 2/B².
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.measuring.layered_queries import Layer, LayeredQueries
from experiments.measuring.spectrum import spectrum, sums
from experiments.measuring.strategies import AnswerStrategy, Homes, homes
from sigmacount.mechanisms import DiscreteLaplace, Mechanism, as_epsilon
from sigmacount.release import Group

DRAWS: Final = 250_000  # noises a measurement, about: two seconds of OpenDP
TURNS: Final = (2, 250)  # fewest and most
LARGE: Final = 2**16  # a table of more atoms is drawn once, and dealt again
LARGE_TURNS: Final = 48
SQUARES: Final = 5  # Var ζ² / (Var ζ)² of Laplace noise: its kurtosis less 1


@dataclass(frozen=True, slots=True)
class Error:
    """A row: mean squared error of a strategy, in units of 2/B².

    Units: ``spent`` in µε; ``weakest`` likewise, the smallest ε of any noise.

    Attributes:
        deviation: standard error of ``measured``.
    """

    strategy: str
    columns: int
    questions: int
    spent: int
    weakest: int
    predicted: float
    measured: float
    deviation: float


class Noises:
    """Draws of OpenDP for tables; a large table is drawn once and dealt again.

    Noise is symmetric and its draws are independent, so new fair signs on the old
    magnitudes are again independent draws of the same law; with 2^21 of them the
    sum of squares, which stays, is its expectation within 0.2 %.
    """

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._drawn: dict[tuple[Mechanism, int], NDArray[np.int64]] = {}

    def tables(self, groups: Sequence[Group]) -> list[NDArray[np.int64]]:
        """Independent draws for the atoms of each group."""
        drawn: list[NDArray[np.int64]] = []
        small: dict[Mechanism, list[int]] = {}
        for k, group in enumerate(groups):
            size = group.algebra.size
            drawn.append(np.empty(size, np.int64))
            if size > LARGE:
                drawn[k] = self._dealt(group.mechanism, size)
            else:
                small.setdefault(group.mechanism, []).append(k)
        for mechanism, members in small.items():
            sizes = [len(drawn[k]) for k in members]
            values = mechanism.draw(sum(sizes))
            parts = np.split(values, np.cumsum(sizes)[:-1])
            for k, part in zip(members, parts, strict=True):
                drawn[k] = part
        return drawn

    def _dealt(self, mechanism: Mechanism, size: int) -> NDArray[np.int64]:
        key = mechanism, size
        if key not in self._drawn:
            self._drawn[key] = mechanism.draw(size)
        signs = self._rng.integers(0, 2, size, dtype=np.int8) * 2 - 1
        dealt: NDArray[np.int64] = self._drawn[key] * signs
        return dealt


def measure(asked: LayeredQueries, strategy: AnswerStrategy, noises: Noises) -> Error:
    """The row of one strategy."""
    found = homes(asked, strategy.groups)
    left = found.of_group(asked, -1)
    noised = [_noised(layer, memo=strategy.memo) for layer in left]
    spent = strategy.spent(np.array([len(times) for times in noised], np.int64))
    unit = 2 / as_epsilon(spent) ** 2 * float(asked.by_number[0].sum())
    held, held_off = _held(asked, strategy, found, noises)
    alone, alone_off = _alone(strategy, noised)
    used = [alone for alone, ts in zip(strategy.alone, noised, strict=True) if len(ts)]
    return Error(
        strategy=strategy.name,
        columns=asked.columns,
        questions=int(asked.by_number[0].sum()),
        spent=spent,
        weakest=int(
            min([group.price.micro_epsilon for group in strategy.groups] + used)
        ),
        predicted=_predicted(asked, strategy, found, noised) / unit,
        measured=(held + alone) / unit,
        deviation=math.hypot(held_off, alone_off) / unit,
    )


def predicted(asked: LayeredQueries, strategy: AnswerStrategy) -> float:
    """What a strategy errs as its router and its noise state, in units of 2/B²."""
    found = homes(asked, strategy.groups)
    left = found.of_group(asked, -1)
    noised = [_noised(layer, memo=strategy.memo) for layer in left]
    spent = strategy.spent(np.array([len(times) for times in noised], np.int64))
    unit = 2 / as_epsilon(spent) ** 2 * float(asked.by_number[0].sum())
    return _predicted(asked, strategy, found, noised) / unit


def _noised(layer: Layer, *, memo: bool) -> NDArray[np.int64]:
    """How many questions share each noise: those that are equal, or none does."""
    times = layer.times[layer.times > 0]
    return times if memo else np.ones(int(times.sum()), np.int64)


def _predicted(
    asked: LayeredQueries,
    strategy: AnswerStrategy,
    found: Homes,
    noised: list[NDArray[np.int64]],
) -> float:
    """Σ of the variances of all answers (rows²)."""
    total = 0.0
    for layer, variances in zip(asked.layers, found.variance, strict=True):
        total += float(layer.times.sum(axis=1) @ variances)
    for alone, times in zip(strategy.alone.tolist(), noised, strict=True):
        if len(times):
            total += float(times.sum()) * DiscreteLaplace.costing(alone).variance
    return total


def _held(
    asked: LayeredQueries, strategy: AnswerStrategy, found: Homes, noises: Noises
) -> tuple[float, float]:
    """Σ of the squared errors of what groups answer: mean and its standard error.

    A few turns may look too much alike. Everything is asked most and is one sum, near
    to normal, whose square deviates by √2 of its mean; the whole by no less.
    """
    answered = [found.of_group(asked, k) for k in range(len(strategy.groups))]
    pairs = [
        (group, [layer for layer in layers if len(layer.active)])
        for group, layers in zip(strategy.groups, answered, strict=True)
    ]
    busy = [(group, layers) for group, layers in pairs if layers]
    groups = [group for group, _ in busy]
    if not groups:
        return 0.0, 0.0
    seen = []
    for _ in range(_turns([group.algebra.size for group in groups])):
        drawn = noises.tables(groups)
        parts = zip(busy, drawn, strict=True)
        seen.append(sum(_squares(g, layers, noise) for (g, layers), noise in parts))
    least = math.sqrt(2) * float(asked.layers[0].times[0, 0] * found.variance[0][0])
    deviation = max(float(np.std(seen, ddof=1)), least)
    return float(np.mean(seen)), deviation / math.sqrt(len(seen))


def _turns(sizes: Sequence[int]) -> int:
    """How often tables of these sizes are drawn."""
    if max(sizes) > LARGE:
        return LARGE_TURNS
    return max(TURNS[0], min(TURNS[1], DRAWS // sum(sizes)))


def _squares(group: Group, layers: list[Layer], drawn: NDArray[np.int64]) -> float:
    """Σ of the squared errors of the questions that one table answers."""
    waves, total = spectrum(drawn), 0.0
    for layer in layers:
        errors = sums(waves, group.algebra.attributes, layer.active)
        total += float(np.vdot(errors**2, layer.times))
    return total


def _alone(
    strategy: AnswerStrategy, noised: list[NDArray[np.int64]]
) -> tuple[float, float]:
    """The same for questions that no group holds."""
    total, off = 0.0, 0.0
    count = sum(len(times) for times in noised)
    turns = max(TURNS[0], min(TURNS[1], DRAWS // max(1, count)))
    for alone, times in zip(strategy.alone.tolist(), noised, strict=True):
        if len(times):
            mechanism = DiscreteLaplace.costing(alone)
            drawn = mechanism.draw(turns * len(times))
            squares = drawn.reshape(turns, -1).astype(np.float64) ** 2
            total += float((squares @ times).mean())
            off += SQUARES * mechanism.variance**2 * float(times @ times) / turns
    return total, math.sqrt(off)
