"""Restoration: whatever became of the store, no charge is forgotten."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import Charge, intact, restored_lines
from sigmacount.models.ledger import Ledger

ASKED = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.integers(1, 3)),
    max_size=6,
    unique_by=lambda pair: pair[0],
)


def grown(ledger, asked, at_ms=None):
    """The ledger after these charges."""
    for name, price in asked:
        ledger = ledger.charge(Charge(name, "group", price), at_ms)
    return ledger


@given(common=ASKED, shown=ASKED, held=ASKED)
def test_nothing_is_lost_and_nothing_is_free(common, shown, held):
    """The trail stays as it is, line for line; the sum falls below neither."""
    rest = [[p for p in more if p[0] not in dict(common)] for more in (shown, held)]
    base = grown(Ledger("census", 10**6), common)
    trail, store = grown(base, rest[0], 1), grown(base, rest[1], 2)

    lines = restored_lines("census", list(trail), list(store))

    assert intact("census", lines)
    assert len({line.charge.charge_id for line in lines}) == len(lines)
    assert lines[: len(trail)] == list(trail) or lines == list(store)
    paid = {(line.charge.charge_id.split("~")[0], line.charge.asked) for line in lines}
    for line in (*trail, *store):
        assert (line.charge.charge_id, line.charge.asked) in paid
    total = sum(line.charge.asked for line in lines)
    assert total >= max(trail.spent, store.spent)


def test_a_store_that_is_merely_behind_gets_the_very_same_head():
    """So whoever wrote the head down finds it again."""
    trail = grown(Ledger("census", 100), [("a", 1), ("b", 2), ("c", 3)], 7)

    assert restored_lines("census", list(trail), list(trail)[:1]) == list(trail)
    assert restored_lines("census", list(trail)[:2], list(trail)) == list(trail)
    assert restored_lines("census", list(trail), []) == list(trail)
