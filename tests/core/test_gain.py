"""The gain of a plan, on the log that it was made for and on others."""

from hypothesis import given, settings

from sigmacount.planner import gain_of, propose
from tests.core.priced import options
from tests.core.test_planner import FRESH, LOG, QUICK, currents
from tests.core.tiny import SCHEMA, logs


@settings(max_examples=60, deadline=None)
@given(log=logs, current=currents)
def test_the_gain_on_its_own_log_is_that_of_the_proposal(log, current):
    """And a plan gains nothing over itself, whatever is asked."""
    terms = options(500_000, FRESH)

    made = propose(SCHEMA, log, terms, current, QUICK)

    assert gain_of(SCHEMA, log, terms, current, made.plan) == made.gain
    assert gain_of(SCHEMA, LOG, terms, current, current) == 0
