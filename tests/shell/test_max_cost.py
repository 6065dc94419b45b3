"""What a question may cost, from what is typed to what a ledger is asked for."""

import pytest

from cli.asking.typed import options
from sigmaclient import NamedQuestion, Question
from sigmacount.mechanisms import Amount
from views.asking.standing import row
from workers.standing.intake import as_asked


def test_what_was_typed_travels_with_its_measure():
    """Of a question, and of one that stands, which is listed with it."""
    terms = {"by": [], "having": [], "order_by": [], "limit": None, "price": False}
    terms |= {"error": None, "confidence": None}
    asked, bare = (
        Question("age >= 60", **options(**terms, max_cost=most))
        for most in (Amount.zcdp(10**9), None)
    )

    named = NamedQuestion("ada", "old", asked)
    plain = NamedQuestion("ada", "old", Question("age >= 60", max_cost=50_000))

    said = asked.event("r", "ada").terms
    assert (said.max_cost, said.max_cost_measure) == (10**9, "rho")
    assert bare.event("r", "ada").terms.max_cost_measure is None
    assert NamedQuestion.of(named.event()) == named
    assert [row(each)[-1] for each in (named, plain)] == [
        "0.001 ρ",
        "50,000 units of the ledger",
    ]
    assert as_asked(named.event()).terms.limit("epsilon") == 0


def test_once_travels_as_a_question_that_does_not_repeat():
    """Left out it repeats; a standing question is nothing else."""
    terms = {"by": [], "having": [], "order_by": [], "limit": None, "price": False}
    terms |= {"max_cost": None, "error": None, "confidence": None}
    once, again = (Question("age >= 60", **options(**terms, once=o)) for o in (1, 0))

    assert [q.event("r", "ada").terms.repeat for q in (once, again)] == [False, True]
    with pytest.raises(ValueError, match="repeats"):
        NamedQuestion("ada", "old", once).event()
