"""Eras: which rule a dataset is released by, and since when; written into the ledger.

The rule is fixed when the ledger is opened. Another one begins another era, and noise
of one era is never shown in another: whoever could see it with and without an exact
change, or renewed and fixed, would learn what neither rule tells.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from sigmacount.accounting.charges import Charge, Entry
from sigmacount.errors import RulesDoNotMix

FIXED_NOISE: Final = "fixed-noise"
CONTINUAL: Final = "continual"
_HORIZON: Final = "horizon"
_COUNTED: Final = "counted-from"


@dataclass(frozen=True, slots=True)
class Era:
    """A run of epochs that are released by one evolving rule.

    Attributes:
        rule: its name.
        since: no epoch of the era has a smaller number, and none before has a larger
            one. It is the generation of noise that stays for the whole era.
        horizon: epochs that its counters are rated for; None: it has none, or no
            curator has said yet.
        counted_from: changes are promised from this epoch on. What was shown before is
            counted as lost; 0: nothing is.
    """

    rule: str
    since: int = 0
    horizon: int | None = None
    counted_from: int = 0

    @property
    def charge(self) -> Charge:
        """The line of the ledger with which it begins; it costs nothing."""
        words = ["rule", self.rule, str(self.since)]
        if self.horizon is not None:
            words.append(f"{_HORIZON}={self.horizon}")
        if self.counted_from:
            words.append(f"{_COUNTED}={self.counted_from}")
        return Charge(":".join(words), "rule", 0)

    def rated(self, horizon: int) -> Era:
        """The same, with counters of this horizon."""
        return replace(self, horizon=horizon)

    def followed_by(
        self, rule: str, next_epoch: int, *, count_lost: bool = False
    ) -> Era:
        """The era of another rule; ``next_epoch`` is a number that no epoch has had.

        Noise may have been drawn for that epoch and never been shown, so the era
        begins behind it. ``count_lost``: changes are promised from there on alone.
        """
        since = max(next_epoch, self.since) + 1
        return Era(rule, since, None, since if count_lost else self.counted_from)


def era_in_force(entries: Iterable[Entry]) -> Era | None:
    """The newest era that these lines name; None in a ledger without one."""
    found = None
    for entry in entries:
        found = _begun(entry.charge) or found
    return found


def mixing(dataset: str, entries: Iterable[Entry], rule: str) -> RulesDoNotMix | None:
    """Why ``rule`` may not follow what was charged for; None: it may.

    Where the same noise was shown in several epochs, changes are known exactly: a
    promise of every change then needs what was shown to be counted as lost. Where every
    change was promised, none may be shown exactly ever after, and nothing mends that.
    """
    lines = [entry.charge for entry in entries]
    if rule == CONTINUAL:
        exact = [charge for charge in _since_loss(lines) if charge.is_surcharge]
        shown, stand = FIXED_NOISE, len(exact)
    elif rule == FIXED_NOISE:
        shown, stand = CONTINUAL, _paid_under(CONTINUAL, lines)
    else:
        return None
    return RulesDoNotMix(dataset, shown, rule, stand) if stand else None


def _begun(charge: Charge) -> Era | None:
    """The era that this line begins."""
    if charge.purpose != "rule":
        return None
    _, rule, since, *more = charge.charge_id.split(":")
    pairs = (word.partition("=") for word in more)
    said = {name: int(number) for name, _, number in pairs}
    return Era(rule, int(since), said.get(_HORIZON), said.get(_COUNTED, 0))


def _since_loss(lines: list[Charge]) -> list[Charge]:
    """The lines behind the newest that counts all before it as lost."""

    def stands(charge: Charge) -> bool:
        era = _begun(charge)
        return era is None or not 0 < era.counted_from == era.since

    return list(takewhile(stands, reversed(lines)))


def _paid_under(rule: str, lines: Iterable[Charge]) -> int:
    """How many charges were granted in eras of this rule; notes cost nothing."""
    era, paid = None, 0
    for charge in lines:
        era = _begun(charge) or era
        paid += bool(charge.asked) and era is not None and era.rule == rule
    return paid
