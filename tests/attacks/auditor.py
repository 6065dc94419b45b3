"""An auditor who has the messages of the topic `ledger` and nothing of our code.

What they say is put together anew with JSON, SHA-256 and HMAC alone. Beside what the
service shows, it finds out whether the two agree.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any


class Auditor:
    """The books, as far as the first messages of the topic tell."""

    def __init__(self, dataset: str, messages: Sequence[bytes]) -> None:
        self._dataset = dataset
        self.messages = [json.loads(message) for message in messages]
        self.charges = [m for m in self.messages if m["kind"] == "charge"]

    def chained(self) -> bool:
        """Whether every line follows from the one before."""
        head = hashlib.sha256(self._dataset.encode()).hexdigest()
        for number, line in enumerate(self.charges, 1):
            fields = [
                *(head, line["charge_id"], line["purpose"], line["micro_epsilon"]),
                *(line.get("client"), line.get("repeats", 0)),
                *(line["at_ms"], line.get("attributes", [])),
            ]
            text = json.dumps(fields, separators=(",", ":"))
            head = hashlib.sha256(text.encode()).hexdigest()
            if (line["length"], line["hash"]) != (number, head):
                return False
        return True

    def totals(self) -> tuple[int, dict[str, int], dict[str, int]]:
        """All that was spent, by purpose, and by client (µε)."""
        purposes, clients = Counter[str](), Counter[str]()
        for line in self.charges:
            purposes[line["purpose"]] += line["micro_epsilon"]
            if line.get("client") is not None:
                clients[line["client"]] += line["micro_epsilon"]
        return purposes.total(), dict(+purposes), dict(+clients)

    def paid(self) -> set[str]:
        """The noises that some charge paid for, by name."""
        drawn = (line["charge_id"].partition(":") for line in self.charges)
        return {name for purpose, _, name in drawn if purpose in ("group", "fresh")}

    def bound(self) -> dict[str, str]:
        """The commitment to each noise, by name; the first one counts."""
        found: dict[str, str] = {}
        for message in self.messages:
            if message["kind"] == "noise":
                found.setdefault(message["noise"], message["commitment"])
        return found

    def opens(self, name: str, key: bytes, noise: Sequence[int]) -> bool:
        """Whether that noise, and no other, is what was bound under this name."""
        about = json.dumps([self._dataset, name, len(noise)], separators=(",", ":"))
        numbers = b"".join(int(n).to_bytes(8, "little", signed=True) for n in noise)
        figure = hmac.new(key, about.encode() + numbers, hashlib.sha256).hexdigest()
        return self.bound().get(name) == figure

    def repeated(self) -> list[dict[str, Any]]:
        """Charges for noise that was shown once more."""
        return [line for line in self.charges if line.get("repeats", 0) > 0]
