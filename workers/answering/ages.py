"""Ages: the plan of an epoch with its noise as old as the epoch says."""

from __future__ import annotations

from sigmacount.release import Plan
from store.releases.released import Head


def aged_as(plan: Plan, head: Head) -> Plan:
    """``plan``, which is that of the head, with the errors that its epoch has.

    Under a rule whose noise does not grow it is the plan itself.

    Raises:
        InvalidPlan: the head says no age of a unit, or none that there is; another
            version published it.
    """
    about = head.about
    return plan.aged(about["ticks"], about["horizon"]) if "ticks" in about else plan
