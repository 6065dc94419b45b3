"""Errors say who, how much, what happened to state and what to do; never a count."""

import pickle

import pytest

from sigmacount import errors

RAISED = [
    errors.DomainTooLarge(2**64, (("age", 100), ("city", 90))),
    errors.InvalidRow("outside_levels", "age"),
    errors.InvalidMessage("is missing", "client"),
    errors.InvalidMessage("is no JSON text"),
    errors.InvalidPredicate("no such thing", 3),
    errors.BudgetExhausted("dataset 'census'", 500, 20),
    errors.BudgetExhausted("dataset 'census'", 500, 20, "pρ"),
    errors.ChargeConflict("group:a:0"),
    errors.MeasureMismatch("epsilon", "rho"),
    errors.PlanRateExceeded(500, 20),
    errors.PlanRateExceeded(500, 20, "pρ"),
    errors.AboveMaxCost("500 µε", "20 µε"),
    errors.AboveMaxCost("500 µε", None),
    errors.TooManyStanding("a client", 100),
    errors.NoiseTooWide("σ = 171,000 rows is too wide"),
    errors.TooManyTables(2**17),
    errors.StandingNeedsNoise("500 µε"),
    errors.ReleaseFrozen(),
    errors.EpochPending(),
    errors.UnfitRelease("a fitted table has a negative count"),
    errors.ChangesNotTold("fixed-noise"),
    errors.SinceTooEarly(4, "2026-11-29T12:00:00Z"),
    errors.SinceTooEarly(),
    errors.SinceInFuture(4, "2026-11-29T12:00:00Z"),
    errors.PlanChanged(4, "2026-11-29T12:00:00Z"),
    errors.ChangeNotHeld(),
    errors.ChangeTooInexact(17),
    errors.RulePinned("census", "renew", "fixed-noise"),
    errors.MeasurePinned("census", "epsilon", "rho"),
    errors.HorizonPinned("census", 1_024, 8_192),
    errors.RulesDoNotMix("census", "fixed-noise", "continual", 12),
    errors.RulesDoNotMix("census", "continual", "fixed-noise", 1),
    errors.PositionMismatch(7, 9),
    errors.Superseded(4, 5),
    errors.UnreadableBatch("sigma.rows", 3, 5, 9, "CorruptRecordException"),
    errors.TooManyDeadLetters(300, 1_000, "not_json"),
    errors.TooManyDeadLetters(300, 1_000, "wrong_partition", "Use murmur2."),
    errors.StoreWentBack("1 charge is missing"),
    errors.OldKeys("census", "sigma:census:{ledger}:state"),
    errors.KeysClash("census", 2, "sigma:census:{ledger}:state"),
    errors.EventTooLarge("sigma.results"),
    errors.StoreUnavailable("no answer"),
    errors.StreamUnavailable("no answer"),
    errors.StoreRefused(),
    errors.StreamRefused("its listener has no PLAIN", "Name another port."),
    errors.StoreForbids(),
    errors.StoreForbids("responder", "hset"),
    errors.FunctionsMissing("sigma_0"),
    errors.WorkEnded(),
]


@pytest.mark.parametrize("error", RAISED, ids=lambda error: error.code)
def test_an_error_survives_pickling_with_its_words(error):
    """It may cross a process, and must say the same there."""
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes

    assert str(again) == str(error)
    assert type(again) is type(error)


@pytest.mark.parametrize("error", RAISED, ids=lambda error: error.code)
def test_an_error_has_one_public_address(error):
    """Where it is defined may change; what dead letters name may not."""
    assert type(error).__module__ == "sigmacount.errors"
    assert getattr(errors, type(error).__name__) is type(error)


def test_a_position_mismatch_tells_where_to_go_on():
    """The worker seeks to the stored position; the text names both."""
    told = str(errors.PositionMismatch(stored=7, offered=9))

    assert "position 7" in told
    assert "begins at 9" in told
    assert "nothing was applied" in told


@pytest.mark.parametrize("error", [errors.StoreUnavailable, errors.StreamUnavailable])
def test_only_a_server_that_is_away_is_worth_trying_again(error):
    """The one worker loop reads this flag and nothing else."""
    assert error.retriable
    assert not errors.Fenced.retriable
    assert not errors.BudgetExhausted.retriable
