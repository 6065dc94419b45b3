"""The audit trail on the wire: charges, commitments to noise, epochs; kept for ever.

A message is repeated when its acknowledgement was lost, so equal ones count once. It
holds no noise, no key of a commitment, and nothing of a row.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from streams.wire.codec import decode
from streams.wire.messages.events import Event, Texts, Whole, Words
from streams.wire.messages.privacy import MeasureName

PurposeName = Literal["group", "fresh", "epoch", "rule", "plan"]


class AuditEvent(Event, frozen=True, kw_only=True, tag_field="kind"):
    """What every message of the topic says.

    Attributes:
        dataset: whose budget it is.
        token: of the curator's lease; it only grows.
        served: the epoch that readers were served when it was written; 0 for none.
        at_ms: when the act was, by the curator's clock, milliseconds since 1970;
            None for a charge that is older than this field.
    """

    dataset: Words
    token: Whole
    served: Whole
    at_ms: Whole | None


class ChargeGranted(AuditEvent, frozen=True, kw_only=True, tag="charge"):
    """One line of the ledger.

    Attributes:
        length: which line it is; 1 for the first.
        measure: what the ledger is kept in; ``epsilon`` where a message is silent.
        micro_epsilon: what was paid, in units of ``measure``: in µε for ``epsilon``.
        repeats: price of noise shown again (Theorem 5), in the same units.
        client: whose quota paid, or None.
        attributes: of the query that was paid for; empty for any other charge.
        hash: the head of the chain with this line.
    """

    length: Whole
    charge_id: Words
    purpose: PurposeName
    micro_epsilon: Whole
    hash: Words
    client: Words | None = None
    repeats: Whole = 0
    attributes: Texts = ()
    measure: MeasureName = "epsilon"


class NoiseCommitted(AuditEvent, frozen=True, kw_only=True, tag="noise"):
    """Noise was drawn and stored; before it is shown, this binds it.

    Attributes:
        noise: its name: unit, generation, and how often it was lost.
        commitment: hex HMAC-SHA-256; see ``sigmacount.mechanisms.commitments``.
        epoch: the first epoch that shows it.
    """

    noise: Words
    commitment: Words
    epoch: Whole


class EpochAnnounced(AuditEvent, frozen=True, kw_only=True, tag="epoch"):
    """Readers are about to be served ``epoch``; its number is never used again."""

    epoch: Whole


class NoiseLost(AuditEvent, frozen=True, kw_only=True, tag="lost"):
    """This noise is not in the vault any more: it is drawn under another name.

    Attributes:
        noise: the name under which nothing is shown from here on.
    """

    noise: Words


class StoreRestored(AuditEvent, frozen=True, kw_only=True, tag="restored"):
    """An operator restored the store from this topic.

    Attributes:
        lines: charges that were brought back.
        micro_epsilon: what they had cost.
        lost: how many noises were marked.
    """

    lines: Whole
    micro_epsilon: Whole
    lost: Whole


AnyAuditEvent: TypeAlias = (
    ChargeGranted | NoiseCommitted | EpochAnnounced | NoiseLost | StoreRestored
)


def decode_audit(value: bytes | None) -> AnyAuditEvent:
    """The message that ``value`` spells.

    Raises:
        InvalidMessage: it spells none of this version; whoever writes to the topic is
            not a curator of ours.
    """
    event: AnyAuditEvent = decode(AnyAuditEvent, value)
    return event


def key_of(event: AnyAuditEvent) -> str:
    """The record key: the charge, the noise, or else the dataset."""
    match event:
        case ChargeGranted():
            return event.charge_id
        case NoiseCommitted() | NoiseLost():
            return event.noise
    return event.dataset
