"""Making: true counts and noise → what one epoch shows, whatever its plan is like."""

from __future__ import annotations

from sigmacount.accounting import with_noise
from sigmacount.errors import SigmaError, UnfitRelease
from sigmacount.mechanisms import Watch, unwatched
from sigmacount.release.joint.estimating import VectorsById, noisy_units
from sigmacount.release.joint.plan import JointPlan
from sigmacount.release.joint.whole import EpochArrays, WarmFit
from sigmacount.release.plan import Plan
from sigmacount.release.postprocess import Postprocess, common_total


class EpochMaker:
    """Adds noise that was paid for to true counts; the rest is post-processing.

    SENSITIVE: it sees true counts and noise apart. Only their sums, and what is made of
    those, leave it. A joint plan takes seconds; not for two threads at once.
    """

    __slots__ = ("_fit", "_postprocess")

    def __init__(self, postprocess: Postprocess) -> None:
        self._postprocess, self._fit = postprocess, WarmFit()

    def arrays(
        self,
        plan: Plan,
        tallies: VectorsById,
        noises: VectorsById,
        watch: Watch = unwatched,
    ) -> EpochArrays:
        """What the epoch shows; ``watch`` as ``Fit.of`` has it.

        Shapes: ``tallies`` of ``plan.tallied`` by id of the algebra, ``noises`` by id
        of the unit.

        Raises:
            UnfitRelease, CountsTooLarge: nothing of it may be shown.
        """
        if plan.joint is not None:
            return self._jointly(plan, plan.joint, tallies, noises, watch)
        groups = plan.groups
        sums = {g.id: with_noise(tallies[g.algebra.id], noises[g.id]) for g in groups}
        total = common_total((int(sums[g.id].sum()), g.total_variance) for g in groups)
        counts = {gid: self._postprocess(each, total) for gid, each in sums.items()}
        return EpochArrays(sums, counts)

    def _jointly(
        self,
        plan: Plan,
        joint: JointPlan,
        tallies: VectorsById,
        noises: VectorsById,
        watch: Watch,
    ) -> EpochArrays:
        """Whatever fails on the way, it is a release that fails, not its maker.

        Its text says the kind of failure alone: what numbers were met is in the error
        that is left out here. The next fit starts cold.
        """
        try:
            noisy = noisy_units(plan, joint, tallies, noises)
            return self._fit.tables(plan, joint, noisy, watch)
        except SigmaError:
            raise
        except Exception as error:  # noqa: BLE001 - a plan's tables may ask too much
            self._fit = WarmFit()
            msg = f"making the tables broke down ({type(error).__name__})"
            raise UnfitRelease(msg) from None
