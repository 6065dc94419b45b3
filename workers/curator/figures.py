"""Figures: what a curator's metrics show of its epochs."""

from __future__ import annotations

import time

from config.metrics import (
    EPOCH,
    EPOCH_AGE,
    EPOCH_AS_OF,
    EPOCH_SECONDS,
    FIT_FLAT,
    FIT_STEPS,
    FROZEN,
    PLAN,
    PLAN_ATOMS,
    PLAN_GROUPS,
    Metrics,
)
from sigmacount.release import Plan
from store.releases.released import Head
from workers.curator.epochs.epoch_counts import FitEffort


class EpochFigures:
    """Shows what is served, and how long it took; nothing that was counted."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def served(self, head: Head | None, plan: Plan) -> None:
        """This epoch is served, if any is, and this plan is in force."""
        if head is not None:
            self._metrics.set(EPOCH, head.epoch)
            self._metrics.set(EPOCH_AS_OF, head.as_of_ms / 1000)
            self._metrics.set(FROZEN, int(head.frozen is not None))
        self._metrics.set(PLAN, plan.version)
        self._metrics.set(PLAN_GROUPS, len(plan.published))
        self._metrics.set(PLAN_ATOMS, plan.atoms)

    def age(self, head: Head | None) -> None:
        """How old the served epoch is."""
        if head is not None:
            self._metrics.set(EPOCH_AGE, time.time() - head.as_of_ms / 1000)

    def stage(self, stage: str, began: float) -> None:
        """A stage of an epoch that began then, by ``time.perf_counter``, is over."""
        self._metrics.observe(EPOCH_SECONDS, time.perf_counter() - began, stage=stage)

    def fitted(self, effort: FitEffort) -> None:
        """What it took to make tables agree: a function of noisy numbers."""
        self._metrics.observe(EPOCH_SECONDS, effort.seconds, stage="fit")
        self._metrics.set(FIT_STEPS, effort.steps)
        self._metrics.set(FIT_FLAT, effort.flat)
