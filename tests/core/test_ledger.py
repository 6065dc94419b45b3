"""Ledger: every µε once, and never past a limit."""

import pytest

from sigmacount.accounting import MOST_UNITS, Charge, chain, first_hash
from sigmacount.errors import (
    BudgetExhausted,
    ChargeConflict,
)
from sigmacount.models.ledger import Ledger


def fresh(charge_id, asked, client=None):
    """A charge for one query."""
    return Charge(charge_id, "fresh", asked, client)


def test_a_new_ledger_has_spent_nothing():
    """Before the first charge all of the limit is left."""
    ledger = Ledger("census", 100)

    assert (ledger.spent, ledger.left, ledger.repeated, len(ledger)) == (0, 100, 0, 0)
    assert ledger.spent_on("group") == 0
    assert ledger.spent_by("ann") == 0
    assert ledger.head == first_hash("census")


def test_a_charge_is_added_under_every_limit():
    """Dataset, purpose and client all see it."""
    ledger = Ledger("census", 100).charge(fresh("q", 30, "ann"))

    assert (ledger.spent, ledger.left) == (30, 70)
    assert ledger.spent_on("fresh") == 30
    assert ledger.spent_on("group") == 0
    assert ledger.spent_by("ann") == 30
    assert ledger.spent_by("bob") == 0


def test_charging_leaves_the_old_ledger_as_it_was():
    """A ledger is a value."""
    before = Ledger("census", 100).charge(fresh("a", 1, "ann"))

    after = before.charge(fresh("b", 2, "ann"))

    assert (before.spent, after.spent) == (1, 3)
    assert (before.spent_by("ann"), after.spent_by("ann")) == (1, 3)
    assert before.entry("b") is None
    assert [entry.charge.charge_id for entry in before] == ["a"]


def test_the_same_charge_again_changes_nothing():
    """A replayed event finds its charge and pays no second time."""
    ledger = Ledger("census", 100).charge(fresh("q", 30))

    assert ledger.charge(fresh("q", 30)) is ledger


def test_a_granted_charge_is_found_even_when_nothing_is_left():
    """Replay is not refused for want of budget."""
    ledger = Ledger("census", 30).charge(fresh("q", 30))

    assert ledger.charge(fresh("q", 30)).left == 0


@pytest.mark.parametrize(
    "other",
    [
        Charge("q", "fresh", 31, "ann"),
        Charge("q", "group", 30, "ann"),
        Charge("q", "fresh", 30, "bob"),
        Charge("q", "fresh", 30, "ann", repeats=1),
    ],
)
def test_one_id_cannot_pay_for_two_things(other):
    """Amount, purpose, client and exposure belong to the id."""
    ledger = Ledger("census", 100).charge(Charge("q", "fresh", 30, "ann"))

    with pytest.raises(ChargeConflict) as conflict:
        ledger.charge(other)

    assert conflict.value.charge_id == "q"
    assert "nothing was spent" in str(conflict.value)
    assert isinstance(conflict.value, ValueError)


def test_a_replayed_epoch_is_known_by_what_it_shows_again():
    """Its price depends on what came before it, which a replay sees differently."""
    ledger = Ledger("census", 100).charge(Charge("t1", "epoch", 3, repeats=50))

    assert ledger.charge(Charge("t1", "epoch", 9, repeats=50)) is ledger


def test_repeated_exposure_adds_up():
    """Y is the sum of what epochs showed again."""
    ledger = Ledger("census", 100)

    ledger = ledger.charge(Charge("t1", "epoch", 0, repeats=50))
    ledger = ledger.charge(Charge("t2", "epoch", 1, repeats=70))

    assert ledger.repeated == 120


@pytest.mark.parametrize(
    ("asked", "limit", "left"),
    [
        (Charge("x", "group", 71), "dataset 'census'", 70),
        (Charge("x", "fresh", 21), "purpose 'fresh'", 20),
        (Charge("x", "group", 11, "ann"), "client 'ann'", 10),
        (Charge("x", "fresh", 99, "ann"), "dataset 'census'", 70),
        (Charge("x", "fresh", 25, "ann"), "purpose 'fresh'", 20),
    ],
)
def test_the_first_limit_that_is_short_refuses(asked, limit, left):
    """Dataset, then purpose, then client; the refusal says which and how much."""
    ledger = Ledger("census", 100, caps={"fresh": 50}, client_quota=40)
    ledger = ledger.charge(fresh("q", 30, "ann"))

    with pytest.raises(BudgetExhausted) as refusal:
        ledger.charge(asked)

    assert refusal.value.args == (limit, asked.asked, left, "µε")


@pytest.mark.parametrize(
    "last", [Charge("x", "group", 70), Charge("x", "fresh", 20, "bob")]
)
def test_a_limit_may_be_reached(last):
    """The last µε is worth as much as the first."""
    ledger = Ledger("census", 100, caps={"fresh": 50}, client_quota=40)
    ledger = ledger.charge(fresh("q", 30, "ann"))

    assert ledger.charge(last).spent == 30 + last.asked


def test_a_charge_without_client_touches_no_quota():
    """A quota limits clients, not the dataset's own acts."""
    ledger = Ledger("census", 100, client_quota=1)

    assert ledger.charge(Charge("g", "group", 90)).left == 10


def test_a_refused_charge_may_be_asked_again_smaller():
    """A refusal leaves no trace of the id."""
    ledger = Ledger("census", 100)

    with pytest.raises(BudgetExhausted):
        ledger.charge(fresh("q", 101))

    assert ledger.charge(fresh("q", 99)).left == 1


def test_two_futures_of_one_ledger_do_not_see_each_other():
    """Branches share their past only."""
    root = Ledger("census", 100).charge(fresh("a", 1, "ann"))

    left = root.charge(fresh("b", 2, "ann")).charge(fresh("c", 4, "ann"))
    right = root.charge(fresh("b", 8, "ann"))

    assert (left.spent, right.spent) == (7, 9)
    assert (left.spent_by("ann"), right.spent_by("ann")) == (7, 9)
    assert right.entry("c") is None
    assert left.verify()
    assert right.verify()
    assert left.head != right.head


def test_an_older_ledger_sees_its_clients_as_they_were():
    """A client's later charges, several of them, are not yet there."""
    root = Ledger("census", 100)
    ledger = root.charge(fresh("a", 1, "ann"))
    later = ledger.charge(fresh("b", 2, "ann")).charge(fresh("c", 4, "ann"))

    assert root.spent_by("ann") == 0
    assert ledger.spent_by("ann") == 1
    assert later.spent_by("ann") == 7


def test_the_chain_is_intact():
    """Lines written by the ledger verify."""
    ledger = Ledger("census", 100).charge(fresh("a", 1)).charge(fresh("b", 2))

    assert ledger.verify()


@pytest.mark.parametrize(
    "limits",
    [
        {"limit": -1},
        {"limit": MOST_UNITS + 1},
        {"limit": 1, "caps": {"fresh": -1}},
        {"limit": 1, "client_quota": -1},
    ],
)
def test_limits_out_of_range_are_refused(limits):
    """A limit is a whole number of µε that Lua keeps exact."""
    with pytest.raises(ValueError, match="limits"):
        Ledger("census", **limits)


def test_lines_are_restored_exactly_whatever_the_limits():
    """Same head, same totals: they were weighed when they were granted."""
    whole = Ledger("census", 100).charge(fresh("a", 30, "ann"), 7)
    whole = whole.charge(Charge("e", "epoch", 5, repeats=9), 8)
    part = Ledger("census", 1).restore(list(whole)[:1])

    restored = part.restore(list(whole)[1:])

    assert list(restored) == list(whole)
    assert (restored.head, restored.spent, restored.repeated) == (whole.head, 35, 9)
    assert (restored.left, restored.spent_by("ann")) == (-34, 30)
    assert restored.spent_on("epoch") == 5


def test_lines_that_do_not_continue_the_chain_are_not_restored():
    """Neither a gap nor a second line of one id."""
    whole = Ledger("census", 100).charge(fresh("a", 1)).charge(fresh("b", 1))
    again = chain(whole.head, fresh("a", 1))

    with pytest.raises(ValueError, match="do not continue"):
        Ledger("census", 100).restore(list(whole)[1:])
    with pytest.raises(ValueError, match="do not continue"):
        whole.restore([again])
