"""Settings of the privacy budget: what may be spent, on what, and by which rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from config.setting_types import MicroEps, SettingsGroup, Share


def _part_of(whole: str, divisor: int, words: str) -> Callable[..., int]:
    """A default that follows another setting; ``words`` name it in the table."""

    def factory(validated: dict[str, int]) -> int:
        return max(1, validated[whole] // divisor)

    factory.__doc__ = words
    return factory


def left_for_plans(budget: int, reserve: float) -> int:
    """What all plans together may spend (µε)."""
    return int(budget * (1 - reserve))


class Privacy(SettingsGroup):
    """What may be spent, on what, and by which rule."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_PRIVACY_")

    budget: MicroEps
    """Total of the dataset for as long as it lives (paper: ε_budget). No default."""
    rule: Literal["fixed-noise", "renew"] = "fixed-noise"
    """How a changing database is released: the noise stays (Algorithm 5), or is drawn
    anew and paid for at every tick of the clock, changed or not.
    Pinned when the ledger is opened; `sigma ledger rule` changes it."""
    churn_probability: Share | None = None
    """ρ of Theorem 5: the probability that a person's row changes or goes. An
    assumption of yours about the world, so required for fixed-noise; no default."""
    composition: Literal["parallel", "paper"] = "parallel"
    """Cost of one algebra: ε, since a row sits in one atom; or |Ω|·ε, as in the
    paper."""
    plan_budget: MicroEps = Field(
        default_factory=_part_of("budget", 10, "a tenth of the budget")
    )
    """Most that the algebras of one plan may cost when it is adopted."""
    plan_rate: MicroEps = Field(
        default_factory=_part_of("budget", 100, "a hundredth of the budget")
    )
    """What plans may spend a day (µε), saved up to plan_budget at most. The first plan
    is paid at once; later ones cost whatever others asked for free."""
    plan_reserve: Share = 0.5
    """Part of the budget that plans never touch, kept for epochs and fresh questions
    of the years to come."""
    fresh: MicroEps = Field(
        default_factory=_part_of("budget", 1000, "a thousandth of the budget")
    )
    """Cost of one fresh query, the first time it is asked; to be the first who asks
    it in a later epoch costs what the rule says."""
    fresh_budget: MicroEps = Field(
        default_factory=_part_of("budget", 4, "a quarter of the budget")
    )
    """Most that all fresh queries together may spend, shown again in later epochs
    too."""
    client_quota: MicroEps = Field(
        default_factory=_part_of("fresh_budget", 4, "a quarter of fresh_budget")
    )
    """Most that the fresh queries of one client may spend, new ones and known ones in
    later epochs, so that nobody can use up what belongs to all."""
    postprocess: Literal["simplex", "clamp"] = "simplex"
    """How noisy atoms become counts ≥ 0: keeping the total, or cut at zero as in
    equation 5, which drifts upwards where atoms are small."""
    confidence: Annotated[Share, Field(ge=0.5, le=0.9999)] = 0.95
    """Probability that an answer's interval holds the true count."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.rule == "fixed-noise" and self.churn_probability is None:
            msg = "SIGMA_PRIVACY_CHURN_PROBABILITY is required by rule fixed-noise."
            raise ValueError(msg)
        parts = (self.plan_budget, self.fresh, self.fresh_budget, self.client_quota)
        if max(parts) > self.budget:
            msg = "No part of SIGMA_PRIVACY_BUDGET may exceed the whole."
            raise ValueError(msg)
        if self.plan_budget > left_for_plans(self.budget, self.plan_reserve):
            msg = (
                "SIGMA_PRIVACY_PLAN_BUDGET is more than SIGMA_PRIVACY_PLAN_RESERVE"
                " leaves for plans."
            )
            raise ValueError(msg)
        return self
