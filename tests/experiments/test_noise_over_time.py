"""Noise over time by formula: what was derived comes out, what differs is missed."""

import numpy as np
import pytest

from experiments.continual import factorizations, polling, spending, year


@pytest.mark.parametrize("noise", factorizations.GAUSSIAN + factorizations.LAPLACE)
def test_a_figure_that_is_not_the_one_derived_is_named(noise):
    """At 64 epochs, say; two per cent are too much."""
    found = list(noise.derived)
    assert not factorizations.missed(found, noise.derived)

    found[1] = tuple(np.multiply(found[1], 1.02))

    assert factorizations.missed(found, noise.derived).endswith("at T = 64")


def test_trees_by_digits_are_what_they_are_by_hand():
    """Five levels for sixteen epochs; 15 has four digits, 16 one."""
    assert factorizations.binary_tree(16)[[14, 15]].tolist() == [20, 5]
    assert factorizations.honaker(16)[0] == 5
    assert factorizations.honaker(3)[2] == pytest.approx(2 * (1 + 2 / 3))


def test_the_square_root_is_one():
    """Its variances are those of the matrix whose square adds up epochs."""
    n = 40
    added = np.tril(np.ones((n, n)))
    root = np.array([1.0])
    for j in range(1, n):
        root = np.append(root, root[-1] * (2 * j - 1) / (2 * j))
    matrix = np.array(
        [[root[i - j] if i >= j else 0 for j in range(n)] for i in range(n)]
    )

    assert np.allclose(matrix @ matrix, added)
    rows, columns = (matrix**2).sum(1), (matrix**2).sum(0).max()
    assert factorizations.root_toeplitz(n) == pytest.approx(rows * columns)


def test_the_first_release_is_paid_for_by_theorem_5():
    """ε₀ = log((1 − ρ)e^ε + ρe^(Tε)), turned round."""
    first = year.first_release(1.0, 365)

    told = np.log((1 - year.CHURN) * np.exp(first) + year.CHURN * np.exp(365 * first))
    assert told == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize(
    ("rule", "factor", "missed"),
    [(0, 1.02, 1), (0, 0.98, 1), (1, 1.05, 1), (4, 0.5, 0)],
)
def test_a_year_that_errs_otherwise_is_missed(rule, factor, missed):
    """Counters both ways, others above."""
    derived = year.DERIVED[1.0, "1 day"]
    rms = list(derived)
    rms[rule] *= factor

    told = year.missed(year.YearErrors(tuple(rms), ()), derived, ())

    assert bool(told) == bool(missed)


def test_a_year_costs_what_a_year_errs():
    """Turned round: at the error that ε = 1 buys, ε is 1."""
    rms = [v**0.5 for v in year.variances(1.0, 365)]

    for rule, each in zip(year.RULES, rms, strict=True):
        assert spending.costs(365, each)[rule] == pytest.approx(1.0, rel=2e-3)


def test_what_costs_more_than_it_may_is_missed():
    """Counters by the hour, and fresh noise that is cheaper than both."""
    cheap = dict.fromkeys(year.RULES, 5.0) | {"counters": 1.0, "Laplace tree": 0.9}

    assert not spending.missed("1 h", cheap)
    assert spending.missed("1 h", cheap | {"counters": 1.1})
    assert spending.missed("1 day", cheap | {"`renew`, ρ": 0.8})
    assert not spending.missed("1 day", cheap | {"`fixed-noise`": 0.1})


def test_whole_rows_tell_a_little_more_than_continuous_noise():
    """At σ = 1 one number: P(ζ = 0). Many tell what a normal law does."""
    assert polling.of_sums(1.0, 1) == pytest.approx(0.3989, abs=1e-4)
    assert polling.gaussian_advantage(1.0) == pytest.approx(0.3829, abs=1e-4)
    assert polling.of_sums(7.0, 40) == pytest.approx(
        polling.gaussian_advantage(40**0.5 / 7), abs=1e-4
    )
