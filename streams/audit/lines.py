"""A line of the ledger, and the message of the audit trail that tells of it."""

from __future__ import annotations

from sigmacount.accounting import Charge, Entry
from sigmacount.mechanisms import Measure
from streams.wire.messages.audit_events import ChargeGranted


def line_of(event: ChargeGranted) -> Entry:
    """The line as the ledger holds it."""
    charge = Charge(
        event.charge_id,
        event.purpose,
        event.micro_epsilon,
        event.client,
        event.repeats,
        event.attributes,
        Measure(event.measure),
    )
    return Entry(charge, event.hash, event.at_ms)


def granted(
    dataset: str, token: int, served: int, length: int, entry: Entry
) -> ChargeGranted:
    """The message of one line of the ledger."""
    charge = entry.charge
    return ChargeGranted(
        dataset=dataset,
        token=token,
        served=served,
        at_ms=entry.at_ms,
        length=length,
        charge_id=charge.charge_id,
        purpose=charge.purpose,
        micro_epsilon=charge.asked,
        hash=entry.hash,
        client=charge.client,
        repeats=charge.repeats,
        attributes=charge.attributes,
        measure=charge.measure.value,
    )
