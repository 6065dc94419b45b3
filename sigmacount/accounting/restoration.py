"""Restoration: a ledger put together again from its audit trail and its store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sigmacount.accounting.charges import Charge, Entry, chain, first_hash


def restored_lines(
    dataset: str, shown: Sequence[Entry], held: Sequence[Entry]
) -> list[Entry]:
    """Every line of ``shown``, and after them what only ``held`` has.

    ``shown`` is the whole chain that the audit trail tells, ``held`` the chain in the
    store. Where one continues the other it is the longer one, line for line. Where
    they part, what only the store granted is chained anew after what was shown, so
    the sum of the charges is that of neither, but at least that of each. A line that
    was changed in the store, its hash left as it was, is the line that was shown.
    """
    common = min(len(shown), len(held))
    if list(shown[:common]) == list(held[:common]):
        return list(shown if len(shown) > len(held) else held)
    lines = list(shown)
    known = {line.charge.charge_id: line.charge for line in shown}
    hashes = {line.hash for line in shown}
    head = lines[-1].hash if lines else first_hash(dataset)
    for line in held:
        charge = line.charge
        if line.hash in hashes or known.get(charge.charge_id) == charge:
            continue
        lines.append(chain(head, _apart(charge, known, line.hash), line.at_ms))
        head = lines[-1].hash
    return lines


def _apart(charge: Charge, known: dict[str, Charge], hash_: str) -> Charge:
    """The charge, under an id of its own where the trail has another of that id."""
    if charge.charge_id not in known:
        return charge
    return replace(charge, charge_id=f"{charge.charge_id}~{hash_[:16]}")
