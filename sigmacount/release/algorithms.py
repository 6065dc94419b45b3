"""Algorithms 1, 2 and 3: rows → atoms → noisy atoms → answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sigmacount.accounting import with_noise
from sigmacount.mechanisms import Mechanism
from sigmacount.release.postprocess import Postprocess, clamp
from sigmacount.sets import Algebra, Query, Sums


def tally(
    algebra: Algebra,
    cells: NDArray[np.integer],
    counts: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """N(ω) of every atom; an atom without rows counts 0, for Ω is public.

    Sums stay in integers: exact for every count that int64 holds.

    Shapes:
        cells   int64 (n,) cell codes, or integer (n, p) levels of each cell
        counts  int64 (n,) rows in each; None takes every entry for one row
        result  int64 (|Ω|,)
    """
    if cells.ndim == 1:
        atoms = algebra.atom_of(cells.astype(np.int64, copy=False))
    else:
        atoms = algebra.atom_of_levels(cells)
    tallied = np.zeros(algebra.size, dtype=np.int64)
    np.add.at(tallied, atoms, 1 if counts is None else counts)
    return tallied


def perturb(
    truth: NDArray[np.int64], noise: Mechanism, postprocess: Postprocess = clamp
) -> NDArray[np.int64]:
    """N̂(ω) = (N(ω) + ζ)⁺ of every atom, with one draw each (equation 5).

    Shapes: int64 (|Ω|,) in and out.
    """
    return postprocess(with_noise(truth, noise.draw(truth.size)))


def totals(
    algebra: Algebra, values: NDArray[np.int64], queries: Sequence[Query]
) -> NDArray[np.int64]:
    """N̂(A) = Σ_{ω∈A} N̂(ω) of every query (equation 4).

    Shapes: values int64 (|Ω|,), result int64 (Q,).

    Raises:
        NotInAlgebra: a query cuts an atom; the caller takes Algorithm 1 for it.
    """
    sums = Sums(algebra, values)
    answers = (sums.total(query) for query in queries)
    return np.fromiter(answers, dtype=np.int64, count=len(queries))


def benchmark(
    queries: Sequence[Query],
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    noise: Mechanism,
) -> NDArray[np.int64]:
    """Algorithm 1: N̂(A) = N(A) + ζ with a draw of its own for every query.

    Costs the noise's price for each query. Not clamped, as in the paper.

    Shapes: codes and counts int64 (n,), result int64 (Q,).
    """
    answers = (counts[query.contains(codes)].sum() for query in queries)
    truth = np.fromiter(answers, dtype=np.int64, count=len(queries))
    return with_noise(truth, noise.draw(len(queries)))


def sigma_counting(
    queries: Sequence[Query],
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    noise: Mechanism,
    postprocess: Postprocess = clamp,
) -> NDArray[np.int64]:
    """Algorithm 2: one draw for every atom of the algebra that the queries induce.

    Monotone (Theorem 1). Costs the noise's price once under ``parallel``, |Ω| times
    under ``paper``.

    Shapes: codes and counts int64 (n,), result int64 (Q,).
    """
    algebra = Algebra.induced_by(queries[0].schema, queries)
    released = perturb(tally(algebra, codes, counts), noise, postprocess)
    return totals(algebra, released, queries)


def grouped_sigma_counting(
    clusters: Sequence[Sequence[Query]],
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    noise: Mechanism,
    postprocess: Postprocess = clamp,
) -> list[NDArray[np.int64]]:
    """Algorithm 3, lines 3 to 6: Algorithm 2 within each cluster of queries.

    Lines 1 and 2, the clusters, come from ``grouping``. Costs of clusters add up.

    Shapes: codes and counts int64 (n,); one int64 (Q_k,) for each cluster.
    """
    return [
        sigma_counting(cluster, codes, counts, noise, postprocess)
        for cluster in clusters
    ]
