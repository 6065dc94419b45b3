"""Identity of rows: what must stay for offsets, ids and cells to mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

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
        "fingerprint": (
            "the dataset's schema, the format of its rows, or how many an owner may"
            " have, has changed"
        ),
    }
)

OWNER_ROWS: Final = "owner-rows="  # before a number, in the fingerprint of such rows


@dataclass(frozen=True, slots=True)
class RowIdentity:
    """What must be the same for stored offsets and codes to mean what they meant.

    Attributes:
        fingerprint: the schema's; behind plus signs the format of rows, unless native,
            and how many an owner may have, if ids say whose rows they are.
    """

    topic_id: str
    cluster_id: str
    partitions: int
    fingerprint: str

    @property
    def schema(self) -> str:
        """The part of the fingerprint that is the schema's own."""
        return self.fingerprint.partition("+")[0]

    @property
    def owner_rows(self) -> int | None:
        """How many rows an owner may have; None: ids do not say whose rows they are."""
        last = self.fingerprint.rpartition("+")[2]
        if not last.startswith(OWNER_ROWS):
            return None
        return int(last.removeprefix(OWNER_ROWS))

    @property
    def rows(self) -> tuple[int, str]:
        """What must stay for an id and a cell to mean the same, of whatever topic."""
        return self.partitions, self.fingerprint

    def fields(self) -> tuple[str, str, str, str]:
        """The four, as text, in order."""
        return self.topic_id, self.cluster_id, str(self.partitions), self.fingerprint

    def strange(self, other: RowIdentity) -> str | None:
        """The name of the first field in which ``other`` differs, or None."""
        pairs = zip(STRANGE, self.fields(), other.fields(), strict=True)
        return next((name for name, mine, theirs in pairs if mine != theirs), None)
