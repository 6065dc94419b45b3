"""The declaration of a data set as pydantic models, one for each table of its file.

The models say which keys a table has, of which type, and what each is for: what is
wrong is found all at once, and editors get the same as a JSON Schema. What a sound
table means is left to ``sigmacount.domain``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, ClassVar, Final, Literal, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    PlainValidator,
    ValidationInfo,
    model_validator,
)

from config.declarations.bin_edges import Every, edges
from sigmacount.domain import Attribute, BinnedKind
from sigmacount.errors import InvalidSchema

UNNAMED = "_"  # stands for an attribute's name, which its own table does not hold


class DeclaredTable(BaseModel):
    """A table with these keys and no others; TOML has types, so none is converted."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )


class JustAfter(DeclaredTable):
    """The edge just after a number, which cuts that number from what is above it."""

    after: float


class Steps(DeclaredTable):
    """Edges from ``start`` to ``stop``, ``step`` apart; the stop is an edge, too."""

    start: float
    stop: float
    step: Annotated[float, Field(gt=0)]


class Calendar(DeclaredTable):
    """Edges from ``start`` to ``stop``, one every so often; the stop is one, too."""

    start: datetime | date
    stop: datetime | date
    every: Every


def _edges(declared: object, about: ValidationInfo) -> tuple[object, ...]:
    """The edges that a list or a table of steps means, for the kind of its table."""
    try:
        return tuple(edges(about.data.get("kind", ""), declared))
    except InvalidSchema as wrong:
        raise ValueError(str(wrong)) from None


def _no_null(schema: dict[str, Any]) -> None:
    """What may be absent cannot be null instead: TOML has none."""
    del schema["default"]
    schema["anyOf"] = [each for each in schema["anyOf"] if each != {"type": "null"}]


def _written_as(form: Any) -> PlainValidator:  # noqa: ANN401 - a type, or a union
    return PlainValidator(_edges, json_schema_input_type=form)


Text = Annotated[str, Field(min_length=1)]
Edges = tuple[object, ...]
NumberEdges = Annotated[Edges, _written_as(list[float] | Steps)]
FineNumberEdges = Annotated[Edges, _written_as(list[float | JustAfter] | Steps)]
MomentEdges = Annotated[Edges, _written_as(list[datetime | date] | Calendar)]


class AttributeTable(DeclaredTable):
    """What the tables of all kinds share."""

    kind: Any
    description: str = ""
    """A sentence for people."""
    nullable: bool = False
    """A row may lack the value; that is a level of its own."""

    def attribute(self, name: str) -> Attribute:
        """The column that this table declares."""
        raise NotImplementedError

    @model_validator(mode="after")
    def _sound(self) -> Self:
        try:
            self.attribute(UNNAMED)
        except InvalidSchema as wrong:
            text = str(wrong).removeprefix(f"attribute {UNNAMED!r}: ")
            raise ValueError(text) from None
        return self


class BooleanTable(AttributeTable):
    """A column of truth values."""

    kind: Literal["boolean"]

    def attribute(self, name: str) -> Attribute:
        """See ``Attribute.boolean``."""
        return Attribute.boolean(name, nullable=self.nullable)


class CategoricalTable(AttributeTable):
    """A column of labels."""

    kind: Literal["categorical"]
    levels: list[Text]
    """The values, as text, in the order in which they are shown."""
    other: Text | None = Field(None, json_schema_extra=_no_null)
    """Name of one more level, which counts every value that is not listed."""

    def attribute(self, name: str) -> Attribute:
        """See ``Attribute.categorical``."""
        return Attribute.categorical(
            name, self.levels, nullable=self.nullable, other=self.other
        )


class BinnedTable(AttributeTable):
    """A column whose values are cut into half-open bins."""

    kind: BinnedKind
    edges: Edges
    """Where bins begin and end: ascending values, or a start, a stop and a step."""
    outside: Literal["error", "bins"] = "error"
    """What lies beyond the edges makes the row a dead letter, or has two more bins."""

    def attribute(self, name: str) -> Attribute:
        """See ``Attribute.binned``."""
        return Attribute.binned(
            name, self.kind, self.edges, nullable=self.nullable, outside=self.outside
        )


class IntegerTable(BinnedTable):
    """A column of whole numbers."""

    kind: Literal["integer"]
    edges: NumberEdges
    """[0, 10, 20] or { start = 0, stop = 100, step = 10 }."""


class NumberTable(BinnedTable):
    """A column of numbers; { after = 0 } is the edge just after 0."""

    kind: Literal["number"]
    edges: FineNumberEdges
    """[0.0, { after = 0 }, 2.5] or { start = 0.0, stop = 1.0, step = 0.1 }."""


class DayTable(BinnedTable):
    """A column of dates."""

    kind: Literal["date"]
    edges: MomentEdges
    """[2024-01-01, 2024-07-01] or { start = …, stop = …, every = "month" }."""


class MomentTable(BinnedTable):
    """A column of dates with a time, UTC unless they name another zone."""

    kind: Literal["datetime"]
    edges: MomentEdges
    """[2024-01-01T00:00:00Z, …] or { start = …, stop = …, every = "hour" }."""


AnyAttribute = (
    BooleanTable
    | CategoricalTable
    | IntegerTable
    | NumberTable
    | DayTable
    | MomentTable
)
KINDS: Mapping[str, type[AttributeTable]] = {
    get_args(table.model_fields["kind"].annotation)[0]: table
    for table in get_args(AnyAttribute)
}


class Source(DeclaredTable):
    """How files of this data set look; ``sigma ingest`` alone reads it."""

    columns: list[str] = []
    """Names of a CSV file's columns when it has no header line, in order."""
    missing: list[str] = []
    """Texts that stand for a missing value, beside the empty field."""
    id: str | None = Field(None, json_schema_extra=_no_null)
    """The column that names a row; else one called id does."""


MANY_ROWS: Final = 10**9  # of a data set that says nothing of it
_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"  # what a key of the store can hold
_PATTERN: Final[dict[str, JsonValue]] = {"pattern": f"^{_NAME}$"}


def _named(name: str) -> str:
    if not re.fullmatch(_NAME, name):
        msg = (
            "name must be 1 to 64 letters, digits, '_', '.' or '-', the first one a"
            " letter or digit: it becomes part of topics and keys"
        )
        raise ValueError(msg)
    return name


class Declaration(DeclaredTable):
    """Which columns of the rows are counted, and which values each may have."""

    name: Annotated[str, AfterValidator(_named), Field(json_schema_extra=_PATTERN)]
    """The data set's name in topics, keys and the ledger."""
    description: str = ""
    """One line for people."""
    rows_max: Annotated[int, Field(ge=1, le=2**53)] = MANY_ROWS
    """How many rows there may ever be; plans by strategy optimal rely on it."""
    attributes: dict[str, Annotated[AnyAttribute, Field(discriminator="kind")]]
    """One table [attributes.NAME] for each counted column."""
    source: Source = Source()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        columns = self.source.columns
        absent = [name for name in self.attributes if name not in columns]
        if columns and absent:
            msg = f"source: columns lack the attribute {absent[0]!r}"
            raise ValueError(msg)
        return self
