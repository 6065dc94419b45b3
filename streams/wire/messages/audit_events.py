"""The audit trail on the wire: charges, commitments to noise, epochs; kept for ever.

A message is repeated when its acknowledgement was lost, so equal ones count once. It
holds no noise, no key of a commitment, and nothing of a row.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from streams.wire.codec import decode
from streams.wire.messages.events import Event, Texts, Whole, Words
from streams.wire.messages.privacy import MeasureName

MOST_BOUND: Final = 1_000  # ticks of one message: about 150 kB
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
        until: the last epoch that may show it; None: until the unit has newer noise.
    """

    noise: Words
    commitment: Words
    epoch: Whole
    until: Whole | None = None


class TickBound(msgspec.Struct, frozen=True, kw_only=True):
    """What binds one tick of one unit.

    Attributes:
        noise: the name of the unit's noise.
        tick: which of its ticks.
        commitment: hex HMAC-SHA-256 over the state of its counters after the tick.
    """

    noise: Words
    tick: Whole
    commitment: Words


class TicksCommitted(AuditEvent, frozen=True, kw_only=True, tag="ticks"):
    """Counters ticked, and what they drew is stored; before it is shown, this binds it.

    Attributes:
        epoch: the one that shows these ticks.
        bound: one of each unit.
    """

    epoch: Whole
    bound: Annotated[tuple[TickBound, ...], Meta(max_length=MOST_BOUND)]


class EpochAnnounced(AuditEvent, frozen=True, kw_only=True, tag="epoch"):
    """Readers are about to be served ``epoch``; its number is never used again."""

    epoch: Whole


class NoiseLost(AuditEvent, frozen=True, kw_only=True, tag="lost"):
    """This noise is not in the vault any more: it is drawn under another name.

    Attributes:
        noise: the name under which nothing is shown from here on.
        unasked: it was put away, as nobody asked its question for so long; else it was
            lost.
    """

    noise: Words
    unasked: bool = False


class StoreRestored(AuditEvent, frozen=True, kw_only=True, tag="restored"):
    """An operator restored the store from this topic.

    Attributes:
        lines: charges that were brought back.
        micro_epsilon: what they had cost of pure ε (µε).
        pico_rho: what they had cost of ρ (1e-12 ρ).
        lost: how many noises were marked.
    """

    lines: Whole
    micro_epsilon: Whole
    lost: Whole
    pico_rho: Whole = 0


AnyAuditEvent: TypeAlias = (
    ChargeGranted
    | NoiseCommitted
    | TicksCommitted
    | EpochAnnounced
    | NoiseLost
    | StoreRestored
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
