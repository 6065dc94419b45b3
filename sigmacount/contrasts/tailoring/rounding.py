"""Rounding: the root of an information matrix as small integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sigmacount.contrasts.tailoring.balancing import Reals, symmetric_root


def frame_root(information: Reals, frame: Reals) -> Reals:
    """X^(1/2) as a matrix on the rows of the frame, of largest |entry| 1.

    Symmetric like X, and as smooth in the cells as X is: so few digits of each entry
    are enough. Its rows add up to zero where those of the frame do.

    Shapes: information (p, p), frame (p, m), tight → (m, m).
    """
    root = frame.T @ symmetric_root(information) @ frame
    scaled: Reals = root / np.abs(root).max()
    return scaled


def rounded(root: Reals, largest: int) -> NDArray[np.int64]:
    """``root`` times ``largest``, each entry to the nearest integer."""
    return np.rint(largest * root).astype(np.int64)


def rounded_to_zero_sums(root: Reals, largest: int) -> NDArray[np.int64]:
    """The same for rows that add up to zero: so do those of the result.

    All entries are rounded down, and as many as a row is short of then go up by one:
    those of the largest remainders.
    """
    exact = largest * root
    whole = np.floor(exact)
    order = np.argsort(whole - exact, axis=1, kind="stable")
    short = np.rint(-whole.sum(1)).astype(np.int64)
    raised = np.arange(root.shape[1]) < short[:, None]
    lifted = np.zeros_like(whole)
    np.put_along_axis(lifted, order, raised, axis=1)
    return (whole + lifted).astype(np.int64)
