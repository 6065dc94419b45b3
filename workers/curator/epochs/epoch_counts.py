"""What an epoch shows, made beside the event loop where it takes long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from sigmacount.release import (
    EpochArrays,
    EpochMaker,
    Plan,
    Postprocess,
    VectorsById,
)
from store.releases.released import ArrayKind, Arrays
from workers.running.long_acts import LongActs


@dataclass(frozen=True, slots=True)
class FitEffort:
    """What it took to make tables agree.

    Attributes:
        flat: share of flat tables that the fit took in, as it ended too early to have
            no negative cell; mostly 0.
    """

    seconds: float
    steps: int
    flat: float


@dataclass(frozen=True, slots=True)
class EpochCounts:
    """The arrays of an epoch, and the effort of its fit, if its plan needs one."""

    arrays: Mapping[ArrayKind, Arrays]
    effort: FitEffort | None


class CountMaker:
    """Makes what epochs show; keeps where the fit of the last one ended."""

    def __init__(self, postprocess: Postprocess, acts: LongActs) -> None:
        self._maker, self._acts = EpochMaker(postprocess), acts

    async def made(
        self,
        plan: Plan,
        noises: VectorsById,
        tallies: VectorsById,
        over: asyncio.Event,
    ) -> EpochCounts:
        """Noisy counts and the same post-processed; see ``EpochMaker``.

        Raises:
            UnfitRelease, CountsTooLarge: nothing of it may be shown.
            WorkEnded: see ``LongActs``.
        """
        began, act = time.perf_counter(), self._maker.arrays
        if plan.joint is None:
            return _counts(act(plan, tallies, noises), began)
        fit, tables = partial(act, plan, tallies, noises), len(plan.joint.tables)
        return _counts(await self._acts.done(fit, over, "fit", tables), began)


def _counts(made: EpochArrays, began: float) -> EpochCounts:
    effort = None
    if made.steps is not None:
        effort = FitEffort(time.perf_counter() - began, made.steps, made.mixed)
    return EpochCounts({"noisy": made.noisy, "counts": made.counts}, effort)
