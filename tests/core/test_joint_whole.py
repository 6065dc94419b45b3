"""Tables of an epoch are whole, not negative, and of no more rows than declared."""

import numpy as np
import pytest

from sigmacount.errors import CountsTooLarge, UnfitRelease
from sigmacount.release import EpochMaker, simplex, tally
from sigmacount.release.joint import whole
from sigmacount.release.joint.estimating import noisy_units
from sigmacount.release.joint.whole import WarmFit
from tests.core import joint_plans
from tests.core.joint_plans import drawn, of_contrasts, of_cuts, of_groups, rows_of
from tests.core.tiny import CELLS

BOTH = pytest.mark.parametrize("plan", [of_groups(), of_contrasts(), of_cuts()])


def noisy_of(plan, seed=0, rows=400):
    """What the units measured of made-up rows."""
    tallies = joint_plans.tallies_of(plan, rows_of(seed, rows))
    return noisy_units(plan, plan.joint, tallies, drawn(plan, seed))


@BOTH
def test_every_table_is_whole_and_not_negative(plan):
    """The unbiased ones are whole as well, and may be negative."""
    found = WarmFit().tables(plan, plan.joint, noisy_of(plan))

    assert list(found.counts) == list(found.noisy) == list(plan.published)
    for gid, algebra in plan.published.items():
        assert found.counts[gid].dtype == found.noisy[gid].dtype == np.int64
        assert found.counts[gid].shape == found.noisy[gid].shape == (algebra.size,)
        assert found.counts[gid].min() >= 0


@pytest.mark.parametrize("make", [of_groups, of_contrasts, of_cuts])
def test_a_fit_begins_where_the_last_one_ended(make):
    """Of the same plan; another one begins cold."""
    plan = make(sd=0.01)
    fit, noisy = WarmFit(), noisy_of(plan, rows=20)
    cold = fit.tables(plan, plan.joint, noisy).steps

    warm = fit.tables(plan, plan.joint, noisy).steps
    other = make(sd=0.02)
    again = fit.tables(other, other.joint, noisy).steps

    assert warm < cold
    assert again == WarmFit().tables(other, other.joint, noisy).steps


def test_more_rows_than_the_declaration_allows_are_not_shown():
    """Sums might wrap, so the declaration is held to."""
    plan = of_groups(rows_max=300)

    with pytest.raises(UnfitRelease, match="rows_max, 300"):
        WarmFit().tables(plan, plan.joint, noisy_of(plan, rows=400))


def test_a_negative_table_is_not_shown(monkeypatch):
    """The order of answers would not hold."""
    plan = of_groups()
    tables = {at: -np.ones(a.size, np.int64) for at, a in plan.joint.algebras.items()}
    monkeypatch.setattr(whole, "whole_tables", lambda *_: tables)

    with pytest.raises(UnfitRelease, match="negative"):
        WarmFit().tables(plan, plan.joint, noisy_of(plan))


FAULTS = [
    np.linalg.LinAlgError("singular"),
    FloatingPointError("of 4711 rows"),
    MemoryError("4711"),
    ValueError("4711"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_a_fit_that_breaks_down_shows_nothing_and_the_next_starts_cold(
    monkeypatch, fault
):
    """Whatever the failure, it is the release that freezes; its text has no number."""
    plan = of_groups(sd=0.01)
    counted = joint_plans.tallies_of(plan, rows_of(0, 20)), drawn(plan)
    maker = EpochMaker(simplex)
    cold = maker.arrays(plan, *counted).steps

    def broken(*_):
        raise fault

    with monkeypatch.context() as patched:
        patched.setattr(whole.Fit, "of", broken)
        with pytest.raises(UnfitRelease, match=r"broke down \(\w+\);") as told:
            maker.arrays(plan, *counted)

    assert "4711" not in str(told.value)
    assert told.value.__cause__ is None
    assert told.value.__suppress_context__
    assert maker.arrays(plan, *counted).steps == cold


def test_a_failure_that_is_known_keeps_its_name(monkeypatch):
    """The release freezes with that reason."""

    def too_large(*_):
        raise CountsTooLarge(3)

    monkeypatch.setattr(whole.Fit, "of", too_large)
    plan = of_groups()

    with pytest.raises(CountsTooLarge):
        EpochMaker(simplex).arrays(
            plan, joint_plans.tallies_of(plan, rows_of(0, 20)), drawn(plan)
        )


@BOTH
def test_how_long_a_fit_is_follows_from_noisy_numbers_alone(plan):
    """Other rows under noise that makes up for it: the same steps and tables."""
    rows = rows_of(1), rows_of(2)
    one, two = (joint_plans.tallies_of(plan, each) for each in rows)
    noises = drawn(plan)
    silence = {uid: np.zeros_like(noise) for uid, noise in noises.items()}
    measured = [noisy_units(plan, plan.joint, each, silence) for each in (one, two)]
    instead = {
        uid: noise + measured[0][uid] - measured[1][uid]
        for uid, noise in noises.items()
    }

    said, same = (
        EpochMaker(simplex).arrays(plan, one, noises),
        EpochMaker(simplex).arrays(plan, two, instead),
    )

    assert (said.steps, said.mixed) == (same.steps, same.mixed)
    for gid in plan.published:
        assert np.array_equal(said.noisy[gid], same.noisy[gid])
        assert np.array_equal(said.counts[gid], same.counts[gid])


@BOTH
def test_under_one_noise_the_unbiased_tables_move_by_what_the_rows_moved(plan):
    """Algorithm 5: true changes are added, whatever is measured of them."""
    noises, maker = drawn(plan), EpochMaker(simplex)
    one, two = (
        maker.arrays(plan, joint_plans.tallies_of(plan, rows_of(seed)), noises)
        for seed in (1, 2)
    )

    for table, algebra in plan.joint.algebras.items():
        before, after = (tally(algebra, CELLS, rows_of(seed)) for seed in (1, 2))
        moved = (two.noisy[algebra.id] - one.noisy[algebra.id]) / (
            plan.joint.denominator(table)
        )
        assert moved == pytest.approx(after - before, abs=0.5)
