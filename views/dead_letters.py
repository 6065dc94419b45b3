"""Dead letters as a person reads them, and as a program does; never their content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.table import Table

from streams.dead_letters.reader import DeadLetter
from views import formats


def as_dict(letter: DeadLetter) -> dict[str, Any]:
    """Where it was and why it was refused; never what it holds."""
    names = (
        *("topic", "partition", "offset", "at_ms", "worker", "stage"),
        *("reason", "attribute", "message", "replayed"),
    )
    return {name: getattr(letter, name) for name in names}


def summary(found: Sequence[DeadLetter]) -> Table:
    """How many of each kind, the most frequent first."""
    kinds = Counter(
        (letter.topic, letter.reason, letter.attribute or "", letter.worker)
        for letter in found
    )
    rows = [(*kind, number) for kind, number in kinds.most_common()]
    return formats.table(
        ("topic", "reason", "attribute", "refused by", "letters"), rows
    )


def listing(found: Sequence[DeadLetter]) -> Table:
    """One line for each letter."""
    rows = [
        (
            formats.moment(letter.at_ms),
            f"{letter.topic} {letter.partition}:{letter.offset}",
            letter.message,
            "sent again" if letter.replayed else "",
        )
        for letter in found
    ]
    return formats.table(("written", "place", "why", ""), rows)
