"""Errors of what a ledger is pinned to: its rule, its measure, how far it is rated.

Each is an operator's to decide; nothing was started, spent or written.
"""

from __future__ import annotations

from sigmacount.errors.root import SigmaError


class RulePinned(SigmaError):
    """The ledger is of another rule than the settings name; nothing was started.

    Attributes:
        dataset: whose ledger it is.
        pinned: the rule that it is of.
        asked: the rule of the settings.
    """

    code = "rule_pinned"

    def __init__(self, dataset: str, pinned: str, asked: str) -> None:
        super().__init__(dataset, pinned, asked)
        self.dataset, self.pinned, self.asked = dataset, pinned, asked

    def __str__(self) -> str:
        return (
            f"dataset {self.dataset!r} is released by rule {self.pinned}, the settings"
            f" say {self.asked}; nothing was started. Set SIGMA_PRIVACY_RULE to"
            f" {self.pinned}, or change the rule for good with `sigma ledger rule"
            f" {self.asked}`: all noise is then drawn and paid for anew."
        )


class RulesDoNotMix(SigmaError):
    """What was shown under one rule forbids the other; the rule stays as it was.

    Attributes:
        dataset: whose ledger it is.
        shown: the rule under which it was shown.
        asked: the rule that was to follow.
        charges: so many were granted under ``shown``, and stand in the way.
        mended_by_loss: whether the rule may follow once they are counted as lost.
    """

    code = "rules_do_not_mix"

    def __init__(self, dataset: str, shown: str, asked: str, charges: int) -> None:
        super().__init__(dataset, shown, asked, charges)
        self.dataset, self.shown, self.asked = dataset, shown, asked
        self.charges = charges
        self.mended_by_loss = shown == "fixed-noise"

    def __str__(self) -> str:
        many = f"{self.charges} charge" + "s" * (self.charges != 1)
        ways = self._if_lost(many) if self.mended_by_loss else self._for_good(many)
        return (
            f"dataset {self.dataset!r} {ways}. Or count the rows under a dataset of"
            " another name, whose budget is a new promise to the same people."
        )

    def _if_lost(self, many: str) -> str:
        return (
            f"showed the same noise in several epochs under {self.shown} ({many}), so"
            f" changes of rows are known exactly, and {self.asked} promises every one;"
            " nothing was written and the rule stays. Say `sigma ledger rule"
            f" {self.asked} --count-lost`: what was shown before is then counted as"
            " lost, and changes are promised from then on alone"
        )

    def _for_good(self, many: str) -> str:
        return (
            f"promised under {self.shown} ({many}) that no change of a row is ever"
            f" shown exactly, and {self.asked} shows the next one; nothing was written"
            " and the rule stays. Take renew, which keeps the promise"
        )


class HorizonPinned(SigmaError):
    """The counters are rated for other epochs than the settings say; nothing started.

    Attributes:
        dataset: whose counters they are.
        pinned: epochs that they are rated for.
        asked: what the settings name, or what follows from the length of an epoch.
    """

    code = "horizon_pinned"

    def __init__(self, dataset: str, pinned: int, asked: int) -> None:
        super().__init__(dataset, pinned, asked)
        self.dataset, self.pinned, self.asked = dataset, pinned, asked

    def __str__(self) -> str:
        return (
            f"the counters of dataset {self.dataset!r} are rated for {self.pinned:,}"
            f" epochs, the settings come to {self.asked:,}; nothing was started. Set"
            f" SIGMA_PRIVACY_HORIZON={self.pinned}. Counters of another horizon begin"
            " anew, and are paid for anew: `sigma ledger rule renew`, then `sigma"
            " ledger rule continual`."
        )


class MeasurePinned(SigmaError):
    """The ledger is kept in another privacy measure; nothing was started or spent.

    Attributes:
        dataset: whose ledger it is.
        pinned: the measure that it is kept in: ``epsilon`` or ``rho``.
        asked: the measure that it was to be opened in.
    """

    code = "measure_pinned"

    def __init__(self, dataset: str, pinned: str, asked: str) -> None:
        super().__init__(dataset, pinned, asked)
        self.dataset, self.pinned, self.asked = dataset, pinned, asked

    def __str__(self) -> str:
        return (
            f"the ledger of dataset {self.dataset!r} is kept in {self.pinned} for as"
            f" long as the dataset lives, and was to be opened in {self.asked}; nothing"
            " was started or spent. Start the version and the settings that it was"
            " opened with; another measure needs a dataset of another name, whose"
            " budget is a new promise to the same people."
        )
