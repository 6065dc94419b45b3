"""Columns of change events, by the names of their schemas and by kinds alone."""

from __future__ import annotations

import base64
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import InvalidRow
from streams.formats.debezium.columns import Columns
from streams.formats.encodings.encoding import ConnectSchema

T, D, C = "io.debezium.time.", "io.debezium.data.", "org.apache.kafka.connect.data."
DAY = 86_400
WIDE = Context(prec=60)
SCHEMA = Schema(
    "t",
    (
        Attribute.categorical("categorical", ("a",)),
        Attribute.boolean("boolean", nullable=True),
        Attribute.binned("integer", "integer", (0, 1)),
        Attribute.binned("number", "number", (0, 1)),
        Attribute.binned("date", "date", (date(2000, 1, 1), date(2001, 1, 1))),
        Attribute.binned("datetime", "datetime", ("2000-01-01", "9999-12-31")),
    ),
)
NOON = datetime(2024, 1, 31, 12, 0, 0, 123456, tzinfo=UTC)
EPOCH, MICRO = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
MICROS = (NOON - EPOCH) // MICRO
SCALED = {"scale": 1, "value": "Nw=="}
NOON_TEXT = "2024-01-31T12:00:00.123456Z"
NOON_ABROAD = "2024-01-31T14:00:00.123456+02:00"
MILLIS_NOON = NOON.replace(microsecond=123000)


def number(unscaled, scale):
    """A decimal as Connect sends it in JSON."""
    size = unscaled.bit_length() // 8 + 1
    text = base64.b64encode(unscaled.to_bytes(size, "big", signed=True)).decode()
    return text, ConnectSchema("bytes", C + "Decimal", {"scale": str(scale)})


def named(name, type_="int64", **parameters):
    """A schema of this name."""
    return ConnectSchema(type_, name, parameters)


def value(kind, raw, schema=None, before=None):
    """What an attribute of this kind is given."""
    types = schema and ConnectSchema(
        "struct", fields=(ConnectSchema("string"), _field(kind, schema))
    )
    return Columns(SCHEMA).row({kind: raw}, before, types)[kind]


def _field(name, schema):
    return ConnectSchema(schema.type, schema.name, schema.parameters, (), name)


@pytest.mark.parametrize(
    ("kind", "raw", "schema", "is_"),
    [
        ("date", 19753, named(T + "Date", "int32"), "2024-01-31"),
        ("date", 19753, named(C + "Date", "int32"), "2024-01-31"),
        ("date", "2024-01-31Z", named(T + "IsoDate", "string"), "2024-01-31"),
        ("date", MICROS, named(T + "MicroTimestamp"), "2024-01-31"),
        (
            "date",
            "2024-01-31T23:30:00-02:00",
            named(T + "ZonedTimestamp"),
            "2024-02-01",
        ),
        ("datetime", MICROS // 1000, named(T + "Timestamp"), MILLIS_NOON),
        ("datetime", MICROS // 1000, named(C + "Timestamp"), MILLIS_NOON),
        ("datetime", MICROS, named(T + "MicroTimestamp"), NOON),
        ("datetime", MICROS * 1000 + 999, named(T + "NanoTimestamp"), NOON),
        ("datetime", -1, named(T + "MicroTimestamp"), EPOCH - MICRO),
        ("datetime", NOON_TEXT, named(T + "ZonedTimestamp"), NOON),
        ("datetime", NOON_ABROAD, named(T + "ZonedTimestamp"), NOON),
        ("datetime", NOON_TEXT, named(T + "IsoTimestamp"), NOON),
        ("datetime", 19753, named(T + "Date"), date(2024, 1, 31)),
        ("categorical", 19753, named(T + "Date"), "2024-01-31"),
        ("categorical", MICROS, named(T + "MicroTimestamp"), NOON_TEXT),
        ("categorical", 30_600_000, named(T + "Time"), "08:30:00"),
        ("integer", 30_600_999, named(C + "Time"), 30_600),
        ("integer", 30_600_000_000, named(T + "MicroTime"), 30_600),
        ("number", 30_600_500_000_000, named(T + "NanoTime"), 30_600.5),
        ("integer", "10:30:00+02:00", named(T + "ZonedTime"), 30_600),
        ("integer", "08:30:00Z", named(T + "IsoTime"), 30_600),
        ("number", *number(1234, 2), 12.34),
        ("number", *number(-1, 3), -0.001),
        ("integer", *number(1200, 2), 12),
        ("integer", *number(12, -2), 1200),
        ("categorical", *number(1230, 2), "12.30"),
        ("boolean", *number(1, 0), 1),
        ("number", SCALED, named(D + "VariableScaleDecimal"), 5.5),
        ("number", SCALED, None, 5.5),
        ("number", "12.34", ConnectSchema("string"), 12.34),
        ("integer", "12.00", ConnectSchema("string"), 12),
        ("number", 12.34, ConnectSchema("double"), 12.34),
        ("integer", 7, ConnectSchema("int16"), 7),
        ("integer", "BQ==", named(D + "Bits", "bytes", length="3"), 5),
        ("integer", "AAE=", named(D + "Bits", "bytes", length="9"), 256),
        ("integer", "", named(D + "Bits", "bytes", length="3"), 0),
        ("categorical", "cook", named(D + "Enum", "string", allowed="cook"), "cook"),
        ("categorical", "a,b", named(D + "EnumSet", "string"), "a,b"),
        ("categorical", "550e8400", named(D + "Uuid", "string"), "550e8400"),
        ("categorical", 7, ConnectSchema("int32"), "7"),
        ("categorical", True, ConnectSchema("boolean"), "true"),
        ("boolean", False, ConnectSchema("boolean"), False),
        ("boolean", None, ConnectSchema("boolean"), None),
        ("date", 19753, None, "2024-01-31"),
        ("date", "2024-01-31", None, "2024-01-31"),
        ("datetime", NOON_TEXT, None, NOON),
        ("categorical", 7, None, "7"),
        ("number", 12, None, 12),
        ("boolean", True, None, True),
    ],
)  # fmt: skip
def test_a_value_means_what_its_schema_says(kind, raw, schema, is_):
    """And without one, what its attribute's kind leaves no doubt about."""
    assert value(kind, raw, schema) == is_


@pytest.mark.parametrize(
    ("kind", "raw", "schema", "reason"),
    [
        ("datetime", MICROS, None, "unknown_encoding"),
        ("number", "AQ==", None, "unknown_encoding"),
        ("number", "1234", None, "unknown_encoding"),  # 3 bytes in base64, or digits
        ("integer", "1234", None, "unknown_encoding"),
        ("date", "31.1.2024", named(T + "IsoDate", "string"), "wrong_type"),
        ("date", 2**31 - 1, named(T + "Date"), "outside_levels"),  # 'infinity'
        ("date", True, named(T + "Date"), "wrong_type"),
        ("date", 1.0, named(T + "Date"), "wrong_type"),
        ("date", [1], named(T + "Date"), "wrong_type"),
        ("date", True, None, "wrong_type"),
        ("date", 1.5, None, "wrong_type"),
        ("datetime", 7, named(T + "ZonedTimestamp", "string"), "wrong_type"),
        ("categorical", {}, named(T + "IsoDate", "string"), "wrong_type"),
        ("datetime", 2**63 - 1, named(T + "Timestamp"), "outside_levels"),
        ("datetime", "x", named(T + "MicroTimestamp"), "wrong_type"),
        ("categorical", DAY * 10**6, named(T + "MicroTime"), "outside_levels"),
        ("number", "A", named(C + "Decimal", scale="2"), "wrong_type"),
        ("number", "", named(C + "Decimal", scale="2"), "wrong_type"),
        ("number", 7, named(C + "Decimal", scale="2"), "wrong_type"),
        ("number", "AQ==", named(C + "Decimal"), "wrong_type"),
        ("number", "AQ==", named(C + "Decimal", scale="9999999"), "wrong_type"),
        ("number", "x" * 4000, named(C + "Decimal", scale="2"), "wrong_type"),
        ("number", {"scale": 1}, named(D + "VariableScaleDecimal"), "wrong_type"),
        ("integer", *number(1234, 2), "wrong_type"),
        ("integer", "twelve", ConnectSchema("string"), "wrong_type"),
        ("integer", "1E999999999", ConnectSchema("string"), "outside_levels"),
        ("integer", "Infinity", ConnectSchema("string"), "outside_levels"),
    ],
)
def test_what_could_mean_several_things_or_nothing_is_refused(
    kind, raw, schema, reason
):
    """By reason and attribute, never by value; large numbers cost no time."""
    with pytest.raises(InvalidRow) as refused:
        value(kind, raw, schema)

    assert (refused.value.reason, refused.value.attribute) == (reason, kind)


@given(st.integers(-(10**30), 10**30), st.integers(0, 20))
def test_decimals_are_exact(unscaled, scale):
    """To the last digit, however long."""
    text, schema = number(unscaled, scale)

    read = value("categorical", text, schema)

    assert Decimal(read) == Decimal(unscaled).scaleb(-scale, WIDE)


LEFT_OUT = "__debezium_unavailable_value"


@pytest.mark.parametrize(
    "raw", [LEFT_OUT, base64.b64encode(LEFT_OUT.encode()).decode(), LEFT_OUT.encode()]
)
def test_a_value_that_did_not_change_is_taken_from_before(raw):
    """As REPLICA IDENTITY FULL sends it; else the reason leads to that setting."""
    assert value("categorical", raw, before={"categorical": "a"}) == "a"
    for before in (None, {}, {"categorical": raw}, "nothing"):
        with pytest.raises(InvalidRow, match="unavailable value"):
            value("categorical", raw, before=before)
