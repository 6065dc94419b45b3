"""κ of units that were renewed: the plan's where all were as often, else the most."""

from __future__ import annotations

from types import SimpleNamespace

from sigmacount.accounting import Charge, Continual, Renew
from tests.fixtures.in_memory import standing_in
from workers.curator.noise.generations import Generations

PLAN = standing_in(
    SimpleNamespace(units=[SimpleNamespace(id=each) for each in "ab"], overlap=0.25)
)


def drawn(*names: str) -> list[Charge]:
    """Charges for these noises."""
    return [Charge(f"group:{name}", "group", 1) for name in names]


def test_unlike_renewals_make_it_the_most_that_it_can_be():
    """What is paid is then divided among other noises than the plan's."""
    found = Generations(Continual(128, 1.0, delta=1e-9), [])
    found.paid(drawn("a:0", "b:0"))
    assert found.overlap(PLAN) == 0.25

    found.paid(drawn("a:5"))
    assert (found.draws("a"), found.draws("b")) == (2, 1)
    assert found.overlap(PLAN) == 1

    found.paid(drawn("b:9"))
    assert found.overlap(PLAN) == 0.25
    found.paid(drawn("b:9.1"))  # lost, and counted anew: a row is in all three
    assert found.overlap(PLAN) == 1


def test_noise_of_an_era_before_is_none_of_its_own():
    """The ledger holds it still; nothing of it is shown any more."""
    found = Generations(Continual(128, 1.0, delta=1e-9, era=5), [])
    found.paid(drawn("a:0", "b:0", "b:3", "a:5", "b:5"))

    assert (found.draws("a"), found.draws("b"), found.of("c")) == (1, 1, 5)
    assert found.overlap(PLAN) == 0.25


def test_under_other_rules_no_change_is_promised():
    """There is nothing that overlaps."""
    found = Generations(Renew(delta=1e-9), [])
    found.paid(drawn("a:0", "a:5", "b:0"))

    assert found.overlap(PLAN) == 0
    assert found.draws("a") == 1
