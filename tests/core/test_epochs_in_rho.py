"""How many epochs a purse of ε pays for, where noise is paid for in ρ."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.accounting import max_epochs_in_zcdp, surcharge_in_zcdp

DELTA, CHURN = 1e-9, 1e-3


@settings(max_examples=20)
@given(
    price=st.integers(10**6, 10**10),
    purse=st.integers(0, 3_000_000),
)
def test_epochs_end_where_the_purse_does(price, purse):
    """One more would cost more than it holds; drawing is paid from elsewhere."""
    most = max_epochs_in_zcdp(price, CHURN, DELTA, purse)

    assert surcharge_in_zcdp(price, price * (most - 1), CHURN, DELTA) <= purse
    assert surcharge_in_zcdp(price, price * most, CHURN, DELTA) > purse


def test_no_purse_pays_for_more_than_a_ledger_counts():
    """However large it is: an amount has fewer than 2^53 units."""
    most = max_epochs_in_zcdp(2**50, CHURN, DELTA, 10**15)

    assert most == 7
