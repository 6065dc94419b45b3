"""The O(1) ledger beside the plainest one, under load and under threads."""

import dataclasses
import itertools
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.accounting import MOST_UNITS, Charge
from sigmacount.errors import BudgetExhausted, ChargeConflict
from sigmacount.models.ledger import Ledger

charges = st.builds(
    Charge,
    charge_id=st.sampled_from("abcdefgh"),
    purpose=st.sampled_from(["group", "fresh", "epoch"]),
    asked=st.integers(1, 40),
    client=st.sampled_from([None, "ann", "bob"]),
    repeats=st.sampled_from([0, 0, 7]),
)


def fresh(charge_id, asked, client=None):
    """A charge for one query."""
    return Charge(charge_id, "fresh", asked, client)


def total(granted, **having):
    """µε of the granted charges whose fields are as given: the plainest model."""
    rows = (dataclasses.asdict(charge) for charge in granted)
    return sum(row["asked"] for row in rows if having.items() <= row.items())


def verdict(granted, wish, limit, cap, quota):
    """What the rules say of a wish, by summing everything each time."""
    earlier = [charge for charge in granted if charge.charge_id == wish.charge_id]
    if earlier:
        return None if earlier[0].repeated_by(wish) else ChargeConflict
    over = total(granted) + wish.asked > limit
    if wish.purpose == "fresh":
        over |= total(granted, purpose="fresh") + wish.asked > cap
    if wish.client is not None:
        over |= total(granted, client=wish.client) + wish.asked > quota
    if over:
        return BudgetExhausted
    granted.append(wish)
    return None


@given(wishes=st.lists(charges, max_size=30), limit=st.integers(0, 120))
def test_it_agrees_with_a_list_and_sums(wishes, limit):
    """The O(1) ledger grants what the plainest possible one grants."""
    ledger = Ledger("census", limit, caps={"fresh": 60}, client_quota=50)
    granted = []
    for wish in wishes:
        refusal = verdict(granted, wish, limit, cap=60, quota=50)

        if refusal is None:
            ledger = ledger.charge(wish)
        else:
            with pytest.raises(refusal):
                ledger.charge(wish)

        assert ledger.spent == total(granted)
        assert ledger.spent_by("ann") == total(granted, client="ann")
        assert ledger.surcharged == sum(c.asked for c in granted if c.repeats)
        assert ledger.spent_on("epoch") == total(granted, purpose="epoch")
    assert [entry.charge for entry in ledger] == granted
    assert ledger.verify()


def test_a_charge_costs_the_same_however_long_the_ledger():
    """Twenty thousand charges: the last thousand are no slower than tenfold."""
    ledger, laps = Ledger("census", MOST_UNITS), []
    for i in range(20_000):
        if i % 1_000 == 0:
            laps.append(time.perf_counter())
        ledger = ledger.charge(fresh(f"q{i}", 1, f"c{i % 300}"))

    laps.append(time.perf_counter())
    paces = [after - before for before, after in itertools.pairwise(laps)]
    assert min(paces[-3:]) < 10 * min(paces[:3])


def test_threads_that_charge_one_ledger_get_a_branch_each():
    """Nobody's line lands in another's ledger."""
    root, ends = Ledger("census", MOST_UNITS).charge(fresh("root", 1)), {}

    def charge_many(name):
        ledger = root
        for i in range(200):
            ledger = ledger.charge(fresh(f"{name}{i}", 1))
        ends[name] = ledger

    threads = [threading.Thread(target=charge_many, args=(n,)) for n in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for name, ledger in ends.items():
        ids = [entry.charge.charge_id for entry in ledger]
        assert ids == ["root", *(f"{name}{i}" for i in range(200))]
        assert ledger.verify()
