"""Balancing: the information about contrasts that errs least when no row tells more.

A strategy tells of contrasts a ∈ R^p what X = AᵀA does, and of one row with the
contrasts φ what φᵀXφ does. Among all X with φ_xᵀXφ_x ≤ 1 in every cell x, the least
tr(ΓX⁻¹) is that of

    X = M^(−1/2) (M^(1/2) Γ M^(1/2))^(1/2) M^(−1/2),   M = Σ_x π_x φ_x φ_xᵀ

for a law π that has mass only where φ_xᵀXφ_x is largest. The law is found by giving
each cell mass in proportion to what a row in it tells (a fixed point, as in optimal
design of experiments); every step yields a valid X and a bound on all others.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Reals: TypeAlias = NDArray[np.float64]  # of any shape

# Of the largest eigenvalue: below it a direction is rounding error, not information.
NEGLIGIBLE: Final = 1e-14


def ridged(gram: Reals, share: float) -> Reals:
    """``gram`` + ``share`` of its mean eigenvalue in every direction: p × p.

    A direction that no logged question needs would otherwise go unmeasured.
    """
    p = len(gram)
    return gram + share * float(np.trace(gram)) / p * np.eye(p)


def symmetric_root(matrix: Reals) -> Reals:
    """The positive definite square root of a positive definite matrix."""
    return root_and_inverse(matrix)[0]


def root_and_inverse(matrix: Reals) -> tuple[Reals, Reals]:
    """That root, and its inverse."""
    values, vectors = np.linalg.eigh(matrix)
    roots = np.sqrt(np.maximum(values, NEGLIGIBLE * values[-1]))
    return (vectors * roots) @ vectors.T, (vectors / roots) @ vectors.T


def balanced(gram: Reals, frame: Reals, steps: int, tolerance: float = 1e-3) -> Reals:
    """The best X found: float64 (p, p), with max_x φ_xᵀXφ_x = 1.

    Shapes: gram (p, p), positive definite; frame (p, cells), φ_x in column x.

    Args:
        gram: Γ, how much each pair of contrasts is asked for.
        frame: the contrasts of a row in each cell, cells that differ in sign once.
        steps: at most so many; each costs two eigenvalue problems of size p.
        tolerance: stop when no other X has a value lower by more than this share.
    """
    law = np.full(frame.shape[1], 1 / frame.shape[1])
    best, found = np.inf, np.eye(len(gram))
    for _ in range(steps):
        spread = (frame * law) @ frame.T
        root, inverse = root_and_inverse(spread)
        middle = symmetric_root(root @ gram @ root)
        information = inverse @ middle @ inverse
        told = np.einsum("px,px->x", frame, information @ frame)
        bound, most = float(np.trace(middle)), float(told.max())
        if bound * most < best:  # tr(ΓX⁻¹) = tr(middle), for X scaled to most = 1
            best, found = bound * most, information / most
        if most <= bound * (1 + tolerance):  # bound² is below every value
            break
        law *= told
        law /= law.sum()
    return found
