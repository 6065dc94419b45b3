"""Settings of the privacy budget: what may be spent, on what, and by which rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from config.setting_types import (
    LedgerUnits,
    MicroEps,
    SettingsGroup,
    Share,
    Unit,
)
from sigmacount.continual import LAST_TICK, LaplaceTree, horizon_for
from sigmacount.mechanisms import Amount, Measure, most_rho

SAID: Final = ("budget", "measure", "delta")  # what the ledger's total follows from
PARTS: Final = ("plan_budget", "fresh", "fresh_budget", "client_quota")
YEAR: Final = 365.25 * 86_400  # seconds
# Ten-second epochs err 3 % less by counters for four million of them, which hold but an
# eighth of the noise: matrices of large entries would be too much for those.
LONGEST: Final = 524_288
Delta = Annotated[float, Field(gt=0, le=0.001), Unit("probability")]
MostChanges = Annotated[int, Field(ge=1, le=LAST_TICK), Unit("changes")]
MostRows = Annotated[int, Field(ge=1, le=1_000), Unit("rows")]
RatedEpochs = Annotated[int, Field(ge=1, le=LAST_TICK), Unit("epochs")]


def _ledger_total(said: dict[str, Any]) -> int:
    """What the ledger may hold in all: µε, or the most pρ that promise the budget."""
    budget: int = said["budget"]
    if said["measure"] == "epsilon" or said["delta"] is None:
        return budget  # without δ nothing starts: the validators say so
    return most_rho(budget, said["delta"])


def _part_of(whole: Callable[..., int], divisor: int, words: str) -> Callable[..., int]:
    """A default that follows other settings; ``words`` name it in the table."""

    def factory(validated: dict[str, Any]) -> int:
        return max(1, whole(validated) // divisor)

    factory.__doc__ = words
    return factory


def left_for_plans(total: int, reserve: float) -> int:
    """What all plans together may spend, of a ledger's total in the same units."""
    return int(total * (1 - reserve))


def rated_epochs(horizon: int | None, epoch_seconds: float, measure: Measure) -> int:
    """What there are counters, or trees in pure ε, for: nearest to this many epochs.

    None: to a year of them, of counters within ``LONGEST``.
    """
    year = min(max(1, round(YEAR / epoch_seconds)), LAST_TICK)
    if measure is Measure.EPSILON:
        return LaplaceTree.rated(horizon or year)
    return horizon_for(horizon or min(year, LONGEST)).epochs


class Privacy(SettingsGroup):
    """What may be spent, on what, and by which rule."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_PRIVACY_")

    budget: MicroEps
    """Total ε of the dataset for as long as it lives (paper: ε_budget). No default.
    Under measure zcdp the ε at delta: the ledger holds the largest ρ that keeps it."""
    measure: Literal["epsilon", "zcdp"] = "epsilon"
    """What privacy is counted in, for as long as the dataset lives: pure ε, with
    Laplace noise and no δ; or ρ of zero-concentrated privacy, with Gaussian noise and
    a promise of (ε, δ). Budgets below are whole units of it: µε, or pρ (1e-12 ρ)."""
    delta: Delta | None = None
    """δ of the promise under measure zcdp, which requires it: the probability with
    which ε may be exceeded. Far below 1 over the number of people, such as 1e-9.
    No meaning under measure epsilon, which promises its ε without exception."""
    rule: Literal["fixed-noise", "renew", "continual"] = "fixed-noise"
    """How a changing database is released: the noise stays (Algorithm 5) and changes
    are shown exactly; it is drawn anew and paid for at every tick of the clock; or it
    is that of counters, paid for once, which protects every change for good. Pinned
    when the ledger is opened; `sigma ledger rule` changes it where one may follow."""
    horizon: RatedEpochs | None = None
    """Only for continual: the epochs that counters are rated for, rounded to the
    nearest that there are constants for. Unset, it is a year of them, under zcdp half
    a million at most. Past it they err more and stay as private; the longer, the less
    noise they hold, so a plan with large numbers may need a shorter one. Pinned with
    the rule."""
    changes_limit: MostChanges | None = None
    """Only for continual: how often one row may change, for as long as the dataset
    lives: 1 to come or to go, 2 to move. What is in excess is a dead letter, the row
    stays, and answers promise one ε to all. An even number never keeps a row from being
    deleted. Set it before the first row is counted; from then on it may only rise."""
    owner_rows: MostRows | None = None
    """Only with a limit of changes: how many rows one owner may have. Ids are then the
    owner, a slash and a number from 1 up to this, such as ``ada/2``; others are dead
    letters, and answers promise one ε to everybody with all their rows. Set it before
    the first row is counted; from then on it stays."""
    churn_probability: Share | None = None
    """ρ of Theorem 5: the probability that a person's row changes or goes. An
    assumption of yours about the world, so required for fixed-noise; no default."""
    surcharge_budget: MicroEps = Field(
        default_factory=_part_of(lambda said: said["budget"], 2, "half the budget")
    )
    """Only for fixed-noise under zcdp: most ε that showing the same noise again in
    later epochs may cost (Theorem 5), on top of the budget and with another δ. It buys
    exponentially many epochs, so more than half the budget gains little."""
    composition: Literal["parallel", "paper"] = "parallel"
    """Cost of one algebra: ε, since a row sits in one atom; or |Ω|·ε, as in the
    paper."""
    plan_budget: LedgerUnits = Field(
        default_factory=_part_of(_ledger_total, 10, "a tenth of the ledger's total")
    )
    """Most that the new noise of one plan may cost when it is adopted."""
    plan_rate: LedgerUnits = Field(
        default_factory=_part_of(_ledger_total, 100, "a hundredth of the total")
    )
    """What plans may spend a day, saved up to plan_budget at most. The first plan
    is paid at once; later ones cost whatever others asked for free."""
    plan_reserve: Share = 0.5
    """Part of the budget that plans never touch, kept for epochs and fresh questions
    of the years to come."""
    fresh: LedgerUnits = Field(
        default_factory=_part_of(_ledger_total, 1000, "a thousandth of the total")
    )
    """Cost of one fresh query, the first time it is asked; to be the first who asks
    it in a later epoch costs what the rule says."""
    fresh_budget: LedgerUnits = Field(
        default_factory=_part_of(_ledger_total, 4, "a quarter of the ledger's total")
    )
    """Most that all fresh queries together may spend, shown again in later epochs
    too."""
    client_quota: LedgerUnits = Field(
        default_factory=_part_of(
            lambda said: said["fresh_budget"], 4, "a quarter of fresh_budget"
        )
    )
    """Most that the fresh queries of one client may spend, new ones and known ones in
    later epochs, so that nobody can use up what belongs to all."""
    postprocess: Literal["simplex", "clamp"] = "simplex"
    """How noisy atoms become counts ≥ 0: keeping the total, or cut at zero as in
    equation 5, which drifts upwards where atoms are small."""
    confidence: Annotated[Share, Field(ge=0.5, le=0.9999)] = 0.95
    """Probability that an answer's interval holds the true count."""

    @property
    def total(self) -> Amount:
        """All that the ledger may ever be charged, surcharges under zcdp aside."""
        return self.amount(_ledger_total({name: getattr(self, name) for name in SAID}))

    @property
    def surcharges(self) -> Amount | None:
        """What showing noise again may cost beside it; None: it comes out of it."""
        beside = self.measure == "zcdp" and self.rule == "fixed-noise"
        return Amount.pure(self.surcharge_budget) if beside else None

    def rated_epochs(self, epoch_seconds: float) -> int:
        """The epochs that counters are rated for."""
        return rated_epochs(self.horizon, epoch_seconds, self.total.measure)

    def amount(self, units: int) -> Amount:
        """So many units of the ledger's measure."""
        pure = self.measure == "epsilon"
        return Amount(Measure.EPSILON if pure else Measure.RHO, units)

    @model_validator(mode="after")
    def _of_one_measure(self) -> Self:
        msg = None
        if self.measure == "zcdp" and self.delta is None:
            msg = (
                "SIGMA_PRIVACY_DELTA is required by measure zcdp: the probability with"
                " which its ε may be exceeded, far below 1 over the number of people,"
                " such as 1e-9."
            )
        elif self.measure == "epsilon" and self.delta is not None:
            msg = (
                "SIGMA_PRIVACY_DELTA has no meaning for measure epsilon, which promises"
                " its ε without exception: leave it out, or set"
                " SIGMA_PRIVACY_MEASURE=zcdp."
            )
        elif not self.total.units:
            msg = "SIGMA_PRIVACY_BUDGET at SIGMA_PRIVACY_DELTA is less than 1 pρ."
        elif self.surcharges is None and "surcharge_budget" in self.model_fields_set:
            msg = (
                "SIGMA_PRIVACY_SURCHARGE_BUDGET is for rule fixed-noise under measure"
                " zcdp alone: elsewhere every charge comes out of SIGMA_PRIVACY_BUDGET."
            )
        if msg is not None:
            raise ValueError(msg)
        return self

    @model_validator(mode="after")
    def _limited(self) -> Self:
        if self.changes_limit is not None and self.rule != "continual":
            msg = (
                "SIGMA_PRIVACY_CHANGES_LIMIT is for rule continual alone: fixed-noise"
                " protects no change, and renew every one at its own charge."
            )
            raise ValueError(msg)
        if self.owner_rows is not None and self.changes_limit is None:
            msg = (
                "SIGMA_PRIVACY_OWNER_ROWS needs SIGMA_PRIVACY_CHANGES_LIMIT: however"
                " few rows somebody has, nobody can say what all their changes cost."
            )
            raise ValueError(msg)
        return self

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.rule == "fixed-noise" and self.churn_probability is None:
            msg = "SIGMA_PRIVACY_CHURN_PROBABILITY is required by rule fixed-noise."
            raise ValueError(msg)
        if self.rule != "continual" and self.horizon is not None:
            msg = (
                "SIGMA_PRIVACY_HORIZON is for rule continual alone: under"
                f" {self.rule} no counter is rated for anything."
            )
            raise ValueError(msg)
        if max(getattr(self, part) for part in PARTS) > self.total.units:
            msg = "No part of SIGMA_PRIVACY_BUDGET may exceed the whole."
            if self.measure == "zcdp":
                msg += (
                    " Under zcdp parts are in pρ; `sigma check` says what the whole is."
                )
            raise ValueError(msg)
        if self.plan_budget > left_for_plans(self.total.units, self.plan_reserve):
            msg = (
                "SIGMA_PRIVACY_PLAN_BUDGET is more than SIGMA_PRIVACY_PLAN_RESERVE"
                " leaves for plans."
            )
            raise ValueError(msg)
        return self
