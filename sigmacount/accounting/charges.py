"""Charges: what an act asks of the ledger, and the chained line that grants it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from sigmacount.mechanisms import MOST_UNITS, Measure

Purpose = Literal["group", "fresh", "epoch", "rule", "plan"]
PURPOSES: Final[tuple[Purpose, ...]] = ("group", "fresh", "epoch")
NOTE_PURPOSES: Final[tuple[Purpose, ...]] = ("rule", "plan")  # they cost nothing


@dataclass(frozen=True, slots=True)
class Charge:
    """A request to spend, named so that asking twice spends once.

    Attributes:
        charge_id: the act that is paid for; the same act always has the same id.
        purpose: ``group`` noise for an algebra; ``fresh`` for one query, its noise
            or, with ``repeats``, the surcharge for showing that once more; ``epoch``
            the surcharge for showing the noise of algebras again (Theorem 5); ``rule``
            and ``plan`` note an act that costs nothing, and no limit refuses them.
        asked: price; 0 is allowed for a surcharge, which is rounded.
        client: whose quota it comes from, or None.
        repeats: price of noise that is shown again; ``asked`` then depends on what was
            shown before, so a repeated request is known by this, not by its price.
        attributes: what the query that is paid for asks about; for the auditor, so
            a repeated charge is not recognised by them.
        measure: what ``asked`` is whole units of: that of the ledger that is charged,
            but for surcharges, which are priced in ε whatever the ledger is kept in.

    Units: µε where ``measure`` is epsilon, pico-ρ where it is rho; ``repeats`` in
    those of the ledger.

    Raises:
        ValueError: a field is out of range; the caller has a bug.
    """

    charge_id: str
    purpose: Purpose
    asked: int
    client: str | None = None
    repeats: int = 0
    attributes: tuple[str, ...] = ()
    measure: Measure = Measure.EPSILON

    def __post_init__(self) -> None:
        cheapest = 0 if self.purpose == "epoch" or self.repeats > 0 else 1
        if self.purpose in NOTE_PURPOSES:
            self._check_note()
        elif not self.charge_id or self.purpose not in PURPOSES:
            msg = "a charge needs an id and a known purpose"
            raise ValueError(msg)
        elif not (
            cheapest <= self.asked <= MOST_UNITS and 0 <= self.repeats <= MOST_UNITS
        ):
            msg = f"asked and repeats must lie in [{cheapest}, 2^53) units"
            raise ValueError(msg)

    def _check_note(self) -> None:
        if not self.charge_id or self.asked or self.repeats or self.client is not None:
            msg = "a note needs an id, costs nothing and is in nobody's name"
            raise ValueError(msg)

    @property
    def is_surcharge(self) -> bool:
        """Whether it pays for showing noise once more (Theorem 5)."""
        return self.repeats > 0

    def measure_conflicts(self, measure: Measure) -> bool:
        """Whether it cannot be a line of a ledger of ``measure``; a note always can."""
        due = Measure.EPSILON if self.is_surcharge else measure
        return self.purpose not in NOTE_PURPOSES and self.measure is not due

    def apart_in(self, measure: Measure) -> bool:
        """Whether a ledger of ``measure`` pays it from the purse of surcharges.

        One of pure ε has a single purse; one of ρ has a second, in µε.
        """
        return self.is_surcharge and measure is not Measure.EPSILON

    def repeated_by(self, other: Charge) -> bool:
        """Whether ``other`` is this very request once more."""
        mine = (self.purpose, self.client, self.repeats)
        theirs = (other.purpose, other.client, other.repeats)
        return mine == theirs and (self.repeats > 0 or self.asked == other.asked)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the ledger: a granted charge, chained to the line before it.

    Attributes:
        charge: what was granted.
        hash: hex SHA-256 over the hash of the line before and this line's fields.
        at_ms: when it was granted, by the curator's clock, milliseconds since 1970;
            None in lines that are older than this field.
    """

    charge: Charge
    hash: str
    at_ms: int | None = None


def first_hash(dataset: str) -> str:
    """The hash that the first line is chained to: it names the dataset."""
    return hashlib.sha256(dataset.encode()).hexdigest()


def chain(previous: str, charge: Charge, at_ms: int | None = None) -> Entry:
    """The line that grants ``charge`` after the line whose hash is ``previous``."""
    fields: list[object] = [
        previous,
        charge.charge_id,
        charge.purpose,
        charge.asked,
        charge.client,
        charge.repeats,
    ]
    other = charge.measure is not Measure.EPSILON
    if at_ms is not None or charge.attributes or other:  # else as hashed before
        fields += [at_ms, charge.attributes]
    if other:
        fields.append(charge.measure.value)
    text = json.dumps(fields, ensure_ascii=True, separators=(",", ":"))
    return Entry(charge, hashlib.sha256(text.encode()).hexdigest(), at_ms)


def intact(dataset: str, entries: Iterable[Entry]) -> bool:
    """Whether no line was changed, dropped from the middle, or moved."""
    return follows(first_hash(dataset), entries)


def follows(previous: str, entries: Iterable[Entry]) -> bool:
    """Whether these lines are chained to each other and to ``previous``."""
    for entry in entries:
        if chain(previous, entry.charge, entry.at_ms) != entry:
            return False
        previous = entry.hash
    return True
