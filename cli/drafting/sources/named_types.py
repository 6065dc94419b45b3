"""Types that Debezium and Kafka Connect name: the kind that each is to us."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cli.drafting.columns import BLOB, Column
from sigmacount.domain import Kind

JsonObject = Mapping[str, Any]
DEBEZIUM: Final = "io.debezium."
CONNECT: Final = "org.apache.kafka.connect.data."
ENUM: Final = f"{DEBEZIUM}data.Enum"
DECIMALS: Final = (f"{CONNECT}Decimal", f"{DEBEZIUM}data.VariableScaleDecimal")
KINDS: Final[dict[str, Kind]] = {
    f"{DEBEZIUM}time.Date": "date",
    f"{CONNECT}Date": "date",
    f"{DEBEZIUM}time.Timestamp": "datetime",
    f"{DEBEZIUM}time.MicroTimestamp": "datetime",
    f"{DEBEZIUM}time.NanoTimestamp": "datetime",
    f"{DEBEZIUM}time.ZonedTimestamp": "datetime",
    f"{CONNECT}Timestamp": "datetime",
    f"{DEBEZIUM}time.Year": "integer",
}


def column_of(
    field: str,
    plain: Kind | None,
    named: str | None,
    parameters: Mapping[str, Any],
    *,
    nullable: bool,
) -> Column:
    """A column by the name of its type, else by its ``plain`` type."""
    if named == ENUM or (plain == "categorical" and "allowed" in parameters):
        allowed = tuple(str(parameters.get("allowed", "")).split(","))
        values = allowed if all(allowed) else None
        return Column(field, "categorical", values, nullable=nullable)
    kind = KINDS.get(named or "", plain)
    if named in DECIMALS:
        kind = "integer" if str(parameters.get("scale")) == "0" else "number"
    elif named is not None and named.startswith((DEBEZIUM, CONNECT)):
        kind = KINDS.get(named)  # a uuid, a set, a time of day, a geometry, …
    left = None if kind else BLOB
    return Column(field, kind, nullable=nullable, left_out=left)
