"""Errors of a release: what may not be shown of an epoch, or told between two."""

from __future__ import annotations

from sigmacount.errors.root import SigmaError


class UnfitRelease(SigmaError):
    """The tables of an epoch are not what they must be; none of them was shown.

    Attributes:
        why: what is wrong, of what was released or declared alone.
    """

    code = "unfit_release"

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why

    def __str__(self) -> str:
        return (
            f"{self.why}; the epoch was not published and the last one stays. What was"
            " charged for it stays charged, and its noise is kept. Raise rows_max in"
            " the declaration if there may be so many rows, or propose another plan."
        )


class ChangesNotTold(SigmaError):
    """Under this rule the change of a count is exact, and protected by nothing.

    Attributes:
        rule: that is in force.
    """

    code = "changes_not_told"

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule

    def __str__(self) -> str:
        return (
            f"under the rule {self.rule} epochs share their noise, which cancels: a"
            " change would be told exactly, down to a single row, so it is not offered."
            " Ask for the count of the epoch; a data set under the rule continual tells"
            " changes, each with noise."
        )


class SinceTooEarly(SigmaError):
    """Changes cannot be told since an epoch whose numbers are kept no more.

    Attributes:
        epoch: the oldest that is kept; None: no epoch was ever released.
        time: of its rows.
    """

    code = "since_too_early"

    def __init__(self, epoch: int | None = None, time: str = "") -> None:
        super().__init__(epoch, time)
        self.epoch, self.time = epoch, time

    def __str__(self) -> str:
        if self.epoch is None:
            return (
                "no epoch has been released yet, so there is none to compare with;"
                " nothing was spent. Ask again once two have come."
            )
        return (
            f"the oldest epoch that is kept is {self.epoch}, of {self.time}; nothing"
            " was spent. Ask since then or later; the operator chooses how many are"
            " kept (SIGMA_CURATOR_HISTORY)."
        )


class SinceInFuture(SigmaError):
    """Changes are asked since an epoch, or a time, that has not come.

    Attributes:
        epoch: that is served.
        time: of its rows.
    """

    code = "since_in_future"
    retriable = True

    def __init__(self, epoch: int, time: str) -> None:
        super().__init__(epoch, time)
        self.epoch, self.time = epoch, time

    def __str__(self) -> str:
        return (
            f"epoch {self.epoch}, of {self.time}, is served; nothing was spent. Ask"
            " since an earlier one, or again once that epoch has come."
        )


class PlanChanged(SigmaError):
    """Two epochs of different plans do not tell the change of this set.

    Attributes:
        epoch: the oldest that is kept of the plan in force.
        time: of its rows.
    """

    code = "plan_changed"

    def __init__(self, epoch: int, time: str) -> None:
        super().__init__(epoch, time)
        self.epoch, self.time = epoch, time

    def __str__(self) -> str:
        return (
            "what counted this set then is not what counts it now: another plan was"
            f" adopted between; nothing was spent. Ask since epoch {self.epoch}, of"
            f" {self.time}, or later."
        )


class ChangeNotHeld(SigmaError):
    """No table of the plan holds this set, so no two epochs tell its change."""

    code = "change_not_held"

    def __str__(self) -> str:
        return (
            "no table of the plan holds this set, and a change is told from what epochs"
            " released; nothing was spent. Ask for coarser bins or fewer attributes, or"
            " for the count itself."
        )


class ChangeTooInexact(SigmaError):
    """The change is not known as exactly as it was asked for.

    Attributes:
        half: half the width of its interval (rows).
    """

    code = "change_too_inexact"

    def __init__(self, half: int) -> None:
        super().__init__(half)
        self.half = half

    def __str__(self) -> str:
        return (
            f"this change is known to within {self.half:,} rows either way, and noise"
            " that was drawn cannot be made less; nothing was spent. Ask for a wider"
            " interval, or a lower confidence."
        )
