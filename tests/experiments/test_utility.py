"""Utility: the closed form is the derived one, and draws come near it."""

import numpy as np
import pytest

from experiments.measuring.data import Bits
from experiments.parts import utility
from experiments.report.tables import Setting

# docs/mathematics.md, section 4, "closed form".
DERIVED = {
    (10, 10**5): (75.5, 14.25, 3.79),
    (10, 10**6): (78.1, 14.25, 3.79),
    (21, 10**5): (5.16, 2.84, 1.57),
    (21, 10**6): (6.56, 2.84, 1.57),
}


@pytest.fixture
def bits():
    """A few rows: what is measured is the noise, so their number is of no account."""
    rng = np.random.default_rng(3)
    return Bits("simulated", rng.random((200, 10)) < 0.5)


@pytest.mark.parametrize(("columns", "questions"), list(DERIVED))
def test_the_closed_form_is_the_derived_one(columns, questions):
    """To the digits given."""
    for size, derived in zip((3, 2, 1), DERIVED[columns, questions], strict=True):
        form = utility.closed_form(columns, questions, size)
        assert form == pytest.approx(derived, abs=0.06 if derived > 50 else 0.006)


@pytest.mark.statistical
def test_a_small_run_through_the_library_comes_near(monkeypatch, bits):
    """10^5 questions over 10 columns, u = 1, one draw; a ratio of Σ of squares.

    False alarm: the relative deviation is 1.6 %, 10 % is 6 of them. Miss: fresh noise
    a tenth stronger or weaker moves the ratio by 20 %.
    """
    monkeypatch.setattr(utility, "DRAWS", {10: 1})

    (found,) = utility.drawn(bits, 10**5, (1,))

    assert found == pytest.approx(utility.closed_form(10, 10**5, 1), rel=0.1)


def test_a_cell_further_than_5_percent_says_so(monkeypatch):
    """And one that is nearer does not."""
    cell = ("simulated", 10, 10**5)
    monkeypatch.setattr(utility, "PAPER_SAYS", {cell: (77.1, 14.0, 3.8)})
    ours = [77.1 * 1.049, 14.0 * 0.949, 3.8 * 1.051]
    monkeypatch.setattr(utility, "drawn", lambda *_: ours)
    wide = Bits("simulated", np.zeros((1, 10), np.bool_))

    (table,) = utility.tables(Setting({"simulated": wide}))

    assert [bool(row.missed) for row in table.rows] == [False, True, True]
    assert table.rows[0].cells[0] == "simulated, 10 columns, Q = 10^5, u = 3"
    assert table.missed[0].startswith("simulated, 10 columns, Q = 10^5, u = 2: further")


def test_the_table_has_24_cells(monkeypatch):
    """Eight lines of the paper, three sizes each; without Adult there are twelve."""
    monkeypatch.setattr(utility, "drawn", lambda *_: [1.0, 1.0, 1.0])
    wide = Bits("simulated", np.zeros((1, 21), np.bool_))
    steps = []

    (whole,) = utility.tables(Setting({"simulated": wide, "adult": wide}, steps.append))
    (half,) = utility.tables(Setting({"simulated": wide}))

    assert (len(whole.rows), len(half.rows), len(steps)) == (24, 12, 8)
    assert len(whole.missed) == 24
