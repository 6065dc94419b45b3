"""What may be asked of a dataset, as an analyst's program holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from sigmaclient.compacted import last_values
from sigmaclient.errors import NoSchema
from sigmacount.errors import InvalidMessage
from streams.wire.codec import decode
from streams.wire.messages.catalog import Catalog, CatalogAttribute, Edge, KindName
from streams.wire.topics import Topics


@dataclass(frozen=True, slots=True)
class SchemaAttribute:
    """One attribute: its kind, its levels, and a condition to begin with.

    Attributes:
        levels: labels in order, as a table shows them; a missing value is not among
            them.
        edges: of bins: where they begin and end, as values of the kind (dates and
            moments as text); empty for labels.
        outside: ``bins``: two more bins hold what lies beyond the edges.
        nullable: whether a value may be missing, which is one more level.
        other: the level that counts every value that is not listed, or None.
        about: a sentence for people, or empty.
        example: a condition on this attribute that can be asked.
        left_out: levels that are not shown, because they are too many.
    """

    name: str
    kind: KindName
    levels: tuple[str, ...]
    edges: tuple[Edge, ...] = ()
    outside: str = "error"
    nullable: bool = False
    other: str | None = None
    about: str = ""
    example: str = ""
    left_out: int = 0

    @classmethod
    def of(cls, said: CatalogAttribute) -> SchemaAttribute:
        """The attribute that a catalog names."""
        return cls(**msgspec.structs.asdict(said))

    @property
    def size(self) -> int:
        """Number of levels, those of missing and of unlisted values among them."""
        return len(self.levels) + self.left_out + self.nullable


@dataclass(frozen=True, slots=True)
class DatasetSchema:
    """All that may be asked of one dataset, and what answers promise.

    Everything comes from the operator's declaration and settings, nothing from rows.

    Attributes:
        fingerprint: another declaration has another.
        cells: combinations of all levels.
        promise: as ``promise`` of docs/messages.md; None for a declaration alone.
        confidence: of an answer's interval, unless a question names its own.
        most_rows: rows of one table at most.
    """

    dataset: str
    fingerprint: str
    cells: int
    attributes: tuple[SchemaAttribute, ...]
    about: str
    promise: Mapping[str, Any] | None
    confidence: float
    most_rows: int

    @classmethod
    def of(cls, said: Catalog) -> DatasetSchema:
        """The schema that a record of the topic `catalog` carries."""
        return cls(
            dataset=said.dataset,
            fingerprint=said.fingerprint,
            cells=said.cells,
            attributes=tuple(map(SchemaAttribute.of, said.attributes)),
            about=said.about,
            promise=None if said.promise is None else msgspec.to_builtins(said.promise),
            confidence=said.confidence,
            most_rows=said.most_rows,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Of the attributes, as they were declared."""
        return tuple(each.name for each in self.attributes)

    def __getitem__(self, name: str) -> SchemaAttribute:
        """The attribute of that name; a KeyError names those that there are."""
        for each in self.attributes:
            if each.name == name:
                return each
        msg = f"no attribute is called {name!r}; there are {', '.join(self.names)}"
        raise KeyError(msg)


async def published_schema(
    bootstrap: str,
    prefix: str,
    dataset: str | None = None,
    **kafka: Any,  # noqa: ANN401  (aiokafka's own settings, passed on)
) -> DatasetSchema:
    """The schema of a dataset, or of the only one there, off the topic `catalog`.

    Raises:
        NoSchema: there is none, or there are several; the caller names one.
        StreamUnavailable, Mismatch: no broker, or no topic there.
    """
    topic = Topics.named(prefix).catalog
    values = await last_values(bootstrap, topic, **kafka)
    found: dict[str, Catalog] = {}
    for key, value in values.items():
        said = _read(value)
        if said is not None and said.dataset.encode() == key:
            found[said.dataset] = said
    wanted = next(iter(found), None) if dataset is None else dataset
    if wanted not in found or (dataset is None and len(found) > 1):
        raise NoSchema(dataset, tuple(found))
    return DatasetSchema.of(found[wanted])


def _read(value: bytes) -> Catalog | None:
    """What a record says; None for one of another version, or for nonsense."""
    try:
        return decode(Catalog, value)
    except InvalidMessage:
        return None
