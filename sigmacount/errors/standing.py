"""Errors of standing questions: too many of them, or noise that nobody pays for."""

from __future__ import annotations

from sigmacount.errors.root import SigmaError


class TooManyStanding(SigmaError):
    """A standing question beyond a limit; it is not kept and will not be answered.

    Attributes:
        whose: whose limit it is: a client's, or that of all.
        most: how many may stand.
    """

    code = "too_many_standing"

    def __init__(self, whose: str, most: int) -> None:
        super().__init__(whose, most)
        self.whose, self.most = whose, most

    def __str__(self) -> str:
        return (
            f"{self.whose} may have {self.most:,} standing questions in one partition,"
            " and has; this one was not kept. End one (`sigma standing remove`) and"
            " send this one again, or have the operator raise the limit."
        )


class StandingNeedsNoise(SigmaError):
    """A standing question that no algebra holds; nothing was drawn or spent.

    Attributes:
        cost: what each answer would add to the ledger now, with its unit.
    """

    code = "standing_needs_noise"

    def __init__(self, cost: str) -> None:
        super().__init__(cost)
        self.cost = cost

    def __str__(self) -> str:
        return (
            "no algebra holds this standing question: each answer would add"
            f" {self.cost} to the ledger, from the client's quota; nothing was drawn or"
            " spent. It stands, and is answered once an algebra holds it. Send it again"
            f" with a max_cost of {self.cost} or more to pay for each answer."
        )
