"""Factorizations: V of every way to correlate noise over T epochs, and the least.

V is the variance of a published count in units of 1/(2ρ), or of 1/ε² for Laplace noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.report.tables import ResultTable, TableRow
from sigmacount.continual import (
    HORIZONS,
    Horizon,
    LaplaceTree,
    variance_factor,
)

Factors = NDArray[np.float64]
EPOCHS: Final = (16, 64, 256, 1_024, 4_096, 16_384)
HEADER: Final = ("noise", *(f"T = {epochs:,}" for epochs in EPOCHS))
RATED: Final = {16: 128, 64: 128, 256: 128, 1_024: 1_024, 4_096: 8_192, 16_384: 8_192}
DIGITS: Final = 0.015  # of figures some of which are given with two
NOTE: Final = (
    "V, mean / worst over all epochs up to T, in units of {unit}; above each row what"
    " was derived beforehand.{more} Bounds: every figure within 1.5 % of the one"
    " derived, some of which have two digits."
)
OF_GAUSSIAN: Final = (
    " The counters are of the horizon {rated} and do not end at T. Nothing that is"
    " linear in the rows has a mean below the least possible, (‖A‖_*/T)²."
)
TENTHS, WHOLE = 20, 1_000  # smaller figures have hundredths, larger ones no digits


class ExpectedFactors(NamedTuple):
    """V by epoch of T epochs, and (mean, worst) as derived for each of ``EPOCHS``."""

    name: str
    of: Callable[[int], Factors]
    derived: tuple[tuple[float, ...], ...]


def least_possible_mean(epochs: int) -> Factors:
    """(‖A‖_*/T)²: no factorization of prefix sums has a mean, or a worst, below."""
    odd = (2 * np.arange(1, epochs + 1) - 1) * math.pi / (2 * (2 * epochs + 1))
    return np.array([((1 / (2 * np.sin(odd))).sum() / epochs) ** 2])


def root_toeplitz(epochs: int) -> Factors:
    """The square root of prefix sums: keeps all its noise, and ends at T."""
    j = np.arange(1, epochs)
    roots = np.concatenate([[1.0], np.cumprod((2 * j - 1) / (2 * j))])
    factors: Factors = (roots**2).sum() * (roots**2).cumsum()
    return factors


def of_counters(horizon: Horizon, epochs: int) -> Factors:
    """Counters of this horizon, tick by tick."""
    return np.array([variance_factor(horizon, t) for t in range(1, epochs + 1)])


def binary_tree(epochs: int) -> Factors:
    """A count is the sum of the blocks of its binary digits."""
    return _of_digits(epochs, lambda _: 1.0)


def honaker(epochs: int) -> Factors:
    """The same, each block estimated from all that lie within it."""
    return _of_digits(epochs, lambda level: 2**level / (2 ** (level + 1) - 1))


def in_epsilon(of: Callable[[int], Factors]) -> Callable[[int], Factors]:
    """A tree with Laplace noise, 1/ε²: 2h² where Gaussian noise has h."""
    return lambda epochs: 2 * _levels(epochs) * of(epochs)


def of_laplace_tree(epochs: int) -> Factors:
    """The signed tree of the service, 1/ε²."""
    tree = LaplaceTree.for_epochs(epochs)
    blocks = [len(tree.blocks(t)) for t in range(1, epochs + 1)]
    return 2.0 * tree.levels**2 * np.array(blocks)


def _levels(epochs: int) -> int:
    """Of a binary tree: the least h with 2^h − 1 ≥ T."""
    return epochs.bit_length()


def _of_digits(epochs: int, weight: Callable[[int], float]) -> Factors:
    t, levels = np.arange(1, epochs + 1), _levels(epochs)
    digits = [weight(level) * (t >> level & 1) for level in range(levels)]
    summed: Factors = levels * np.array(digits, np.float64).sum(axis=0)
    return summed


GAUSSIAN: Final = (
    ExpectedFactors(
        "least possible mean",
        least_possible_mean,
        ((2.65,), (4.16,), (6.11,), (8.47,), (11.22,), (14.37,)),
    ),
    ExpectedFactors(
        "√-Toeplitz, T known",
        root_toeplitz,
        (
            *((3.23, 3.78), (4.97, 5.71), (7.12, 8.01)),
            *((9.67, 10.71), (12.61, 13.79), (15.94, 17.27)),
        ),
    ),
    ExpectedFactors(
        "counters, for ever",
        lambda epochs: of_counters(HORIZONS[RATED[epochs]], epochs),
        (
            *((4.13, 4.78), (5.19, 6.12), (6.94, 8.70)),
            *((9.60, 11.12), (13.00, 14.45), (15.65, 18.31)),
        ),
    ),
    ExpectedFactors(
        "Honaker's tree",
        honaker,
        (
            *((7.1, 13.9), (13.3, 26.6), (21.6, 43.2)),
            *((31.9, 63.8), (44.2, 88.4), (58.5, 117)),
        ),
    ),
    ExpectedFactors(
        "binary tree",
        binary_tree,
        ((10.3, 20), (21.1, 42), (36.0, 72), (55.0, 110), (78.0, 156), (105, 210)),
    ),
    ExpectedFactors(
        "fresh noise (`renew`)",
        lambda epochs: np.array([float(epochs)]),
        tuple((float(epochs),) for epochs in EPOCHS),
    ),
)
LAPLACE: Final = (
    ExpectedFactors(
        "signed tree",
        of_laplace_tree,
        ((17, 32), (45, 80), (90, 176), (170, 324), (270, 522), (427, 800)),
    ),
    ExpectedFactors(
        "Honaker's tree",
        in_epsilon(honaker),
        ((71,), (187,), (389,), (702,), (1_150,), (1_756,)),
    ),
    ExpectedFactors(
        "binary tree",
        in_epsilon(binary_tree),
        ((103,), (296,), (649,), (1_210,), (2_028,), (3_150,)),
    ),
    ExpectedFactors(
        "fresh noise (`renew`)",
        lambda epochs: np.array([2.0 * epochs**2]),
        ((512,), (8_192,), (1.3e5,), (2.1e6,), (3.4e7,), (5.4e8,)),
    ),
)
UNITS: Final[Mapping[str, tuple[ExpectedFactors, ...]]] = {
    "1/(2ρ)": GAUSSIAN,
    "1/ε²": LAPLACE,
}


def tables() -> Iterator[ResultTable]:
    """V against T, with Gaussian noise and with Laplace noise."""
    horizons = ", ".join(f"{h:,} (T = {t:,})" for t, h in RATED.items())
    for unit, noises in UNITS.items():
        more = OF_GAUSSIAN.format(rated=horizons) if noises is GAUSSIAN else ""
        note = NOTE.format(unit=unit, more=more)
        rows = tuple(row for each in noises for row in _rows(each))
        yield ResultTable(f"Noise over time: V in {unit}", HEADER, rows, note)


def _rows(noise: ExpectedFactors) -> Iterator[TableRow]:
    yield TableRow((f"{noise.name}, derived", *map(_said, noise.derived)))
    pairs = zip(EPOCHS, noise.derived, strict=True)
    found = [_summary(noise.of(epochs), derived) for epochs, derived in pairs]
    yield TableRow((noise.name, *map(_said, found)), missed(found, noise.derived))


def _summary(factors: Factors, derived: tuple[float, ...]) -> tuple[float, ...]:
    """Mean, and the worst where one was derived."""
    return tuple(map(float, (factors.mean(), factors.max())[: len(derived)]))


def missed(
    found: Sequence[tuple[float, ...]], derived: Sequence[tuple[float, ...]]
) -> str:
    """Which of the figures are not those derived; empty when all are."""
    wrong = [
        f"{_said(f)} is not {_said(d)} at T = {epochs:,}"
        for epochs, f, d in zip(EPOCHS, found, derived, strict=True)
        if not np.allclose(f, d, rtol=DIGITS, atol=0)
    ]
    return "; ".join(wrong)


def _said(figures: tuple[float, ...]) -> str:
    return " / ".join(map(_number, figures))


def _number(figure: float) -> str:
    if figure < TENTHS:
        return f"{figure:.2f}"
    return f"{figure:.4g}" if figure < WHOLE else f"{figure:,.0f}"
