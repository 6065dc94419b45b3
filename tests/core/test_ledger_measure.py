"""Ledger: one measure for life, whatever the limits."""

import pytest

from sigmacount.accounting import Charge
from sigmacount.errors import MeasureMismatch, MeasurePinned
from sigmacount.mechanisms import Measure
from sigmacount.models.ledger import Ledger


def test_a_ledger_is_kept_in_one_measure_for_life():
    """Other limits may be set, in the same units; what was spent stays spent."""
    ledger = Ledger("census", 100).charge(Charge("q", "fresh", 30, "ann"))

    later = ledger.opened(50, {"fresh": 40}, 35)

    assert (later.left, dict(later.caps), later.client_quota) == (20, {"fresh": 40}, 35)
    assert (list(later), later.spent_by("ann")) == (list(ledger), 30)
    with pytest.raises(MeasurePinned) as refusal:
        ledger.opened(50, measure=Measure.RHO)
    assert refusal.value.args == ("census", "epsilon", "rho")
    assert "nothing was started or spent" in str(refusal.value)


@pytest.mark.parametrize("measure", Measure)
def test_a_charge_of_another_measure_is_no_line_of_it(measure):
    """Neither charged nor restored; a note costs nothing in any measure."""
    other = next(each for each in Measure if each is not measure)
    stray = Charge("q", "fresh", 1, measure=other)
    ledger = Ledger("census", 100, measure=measure)

    with pytest.raises(MeasureMismatch):
        ledger.charge(stray)
    with pytest.raises(MeasurePinned):
        ledger.restore(Ledger("census", 100, measure=other).charge(stray))
    note = Charge("rule:renew:0", "rule", 0, measure=other)
    assert len(ledger.charge(note)) == 1
    mine = Charge("q", "fresh", 1, measure=measure)
    assert ledger.charge(mine).restore([]).spent == 1
