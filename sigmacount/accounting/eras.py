"""Eras: which rule a dataset is released by, and since when; written into the ledger.

The rule is fixed when the ledger is opened. Another one begins another era, and noise
of one era is never shown in another: whoever could see it with and without an exact
change, or renewed and fixed, would learn what neither rule tells.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sigmacount.accounting.charges import Charge, Entry


@dataclass(frozen=True, slots=True)
class Era:
    """A run of epochs that are released by one evolving rule.

    Attributes:
        rule: its name.
        since: no epoch of the era has a smaller number, and none before has a larger
            one. It is the generation of noise that stays for the whole era.
    """

    rule: str
    since: int = 0

    @property
    def charge(self) -> Charge:
        """The line of the ledger with which it begins; it costs nothing."""
        return Charge(f"rule:{self.rule}:{self.since}", "rule", 0)

    def followed_by(self, rule: str, next_epoch: int) -> Era:
        """The era of another rule; ``next_epoch`` is a number that no epoch has had.

        Noise may have been drawn for that epoch and never been shown, so the era
        begins behind it.
        """
        return Era(rule, max(next_epoch, self.since) + 1)


def era_in_force(entries: Iterable[Entry]) -> Era | None:
    """The newest era that these lines name; None in a ledger without one."""
    found = None
    for entry in entries:
        if entry.charge.purpose == "rule":
            _, rule, since = entry.charge.charge_id.split(":")
            found = Era(rule, int(since))
    return found
