"""A basis: equal digests for equal tables, and for no others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import Fenced
from sigmacount.models import counts_digest
from sigmacount.models.basis import BasesModel, SummaryModel

tables = st.dictionaries(st.integers(0, 40), st.integers(0, 3), max_size=6)


def made(table):
    """The digest of these cells."""
    codes = np.array(sorted(table), np.int64)
    return counts_digest(codes, np.array([table[c] for c in sorted(table)], np.int64))


@given(one=tables, two=tables)
def test_digests_are_equal_for_equal_tables_alone(one, two):
    """A cell that is empty is as one that is not there."""
    same = [{c: n for c, n in table.items() if n} for table in (one, two)]

    assert (made(one) == made(two)) is (same[0] == same[1])


def test_an_empty_table_has_a_digest_as_any_other():
    """64 hex digits."""
    assert len(made({})) == 64
    assert made({}) == made({7: 0})


def test_codes_are_not_taken_for_counts():
    """One cell twice as full is not two cells."""
    assert made({1: 2}) != made({2: 1})


def test_the_bases_of_the_served_and_the_coming_epoch_are_kept():
    """Whichever of the two is served when a curator dies."""
    bases = BasesModel().put(1, 0, 1, "one").put(1, 1, 2, "two")

    assert dict(bases.held) == {1: "one", 2: "two"}
    assert dict(bases.put(2, 2, 4, "four").held) == {2: "two", 4: "four"}


def test_a_stale_curator_changes_no_basis():
    """Its epoch will not be served either."""
    with pytest.raises(Fenced):
        BasesModel().put(2, 0, 1, "one").put(1, 1, 2, "two")


def test_the_last_summary_is_kept():
    """By whoever leads: a stale curator's would begin too early."""
    kept = SummaryModel().put(1, "one").put(2, "two")

    assert kept.held == "two"
    with pytest.raises(Fenced):
        kept.put(1, "three")
