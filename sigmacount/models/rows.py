"""Rows: one partition of their topic as counts, each row once however delivered.

The pure model of ``store/lua/claim.lua``, ``apply.lua`` and ``rebuild.lua``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from sigmacount.errors import Fenced, Mismatch, PositionMismatch

GONE = -1  # the code of a row that is deleted

# What it means that one field of an identity is another; in the order of its fields.
STRANGE: Mapping[str, str] = MappingProxyType(
    {
        "topic_id": "the rows topic was made anew since",
        "cluster_id": "the stream is another Kafka cluster's",
        "partitions": (
            "the rows topic has another number of partitions, so ids belong to others"
            " than they were sent to (send every row anew to a topic made with the"
            " number that is meant)"
        ),
        "fingerprint": "the dataset's schema, or the format of its rows, has changed",
    }
)


@dataclass(frozen=True, slots=True)
class RowIdentity:
    """What must be the same for stored offsets and codes to mean what they meant.

    Attributes:
        fingerprint: the schema's; behind a plus sign the format of rows, unless native.
    """

    topic_id: str
    cluster_id: str
    partitions: int
    fingerprint: str

    @property
    def schema(self) -> str:
        """The part of the fingerprint that is the schema's own."""
        return self.fingerprint.partition("+")[0]

    def fields(self) -> tuple[str, str, str, str]:
        """The four, as text, in order."""
        return self.topic_id, self.cluster_id, str(self.partitions), self.fingerprint

    def strange(self, other: RowIdentity) -> str | None:
        """The name of the first field in which ``other`` differs, or None."""
        pairs = zip(STRANGE, self.fields(), other.fields(), strict=True)
        return next((name for name, mine, theirs in pairs if mine != theirs), None)


@dataclass(frozen=True, slots=True)
class RowPartition:
    """One partition of the rows topic: who is where, and up to which offset.

    The count of a cell is the number of rows in it, so counts cannot drift from
    rows; the store keeps both and must agree with this value.

    Attributes:
        identity: stream and schema the offsets and codes belong to.
        next: offset of the first record not yet placed.
        rows: row id → cell code.
        token: the newest claim; older ones write nothing.
        generation: one more at each rebuild.
    """

    identity: RowIdentity
    next: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)
    token: int = 0
    generation: int = 1

    @property
    def cells(self) -> Mapping[int, int]:
        """Cell code → number of rows, empty cells left out."""
        return Counter(self.rows.values())

    def claim(self, identity: RowIdentity) -> RowPartition:
        """The partition under the fencing token of a new owner.

        Raises:
            Mismatch: another stream or schema; the operator rebuilds.
        """
        if self.identity.strange(identity):
            msg = "stream and store do not belong together; nothing was written"
            raise Mismatch(msg)
        return replace(self, token=self.token + 1)

    def apply(
        self, token: int, start: int, end: int, ids: Sequence[str], codes: Sequence[int]
    ) -> RowPartition:
        """The rows ``ids`` now lie in ``codes`` (GONE: nowhere); next is ``end``.

        Raises:
            Fenced: ``token`` is not the newest; the caller stops writing.
            PositionMismatch: ``start`` is not next; the caller seeks to it.
        """
        self._admit(token)
        if start != self.next:
            raise PositionMismatch(self.next, start)
        rows = dict(self.rows) | dict(zip(ids, codes, strict=True))
        kept = {row: code for row, code in rows.items() if code != GONE}
        return replace(self, next=end, rows=MappingProxyType(kept))

    def rebuild(
        self, token: int | None, start: int, identity: RowIdentity | None = None
    ) -> RowPartition:
        """Empty, one generation on, under a new token, beginning at ``start``.

        Raises:
            Fenced: ``token`` is given and not the newest.
        """
        if token is not None:
            self._admit(token)
        return RowPartition(
            identity=identity or self.identity,
            next=start,
            token=self.token + 1,
            generation=self.generation + 1,
        )

    def deltas(self, later: RowPartition) -> Mapping[int, int]:
        """Cell code → change of its count from here to ``later``, zeros left out."""
        change = Counter(later.cells)
        change.subtract(self.cells)
        return {code: by for code, by in change.items() if by}

    def _admit(self, token: int) -> None:
        if token != self.token:
            raise Fenced(token)
