"""Values → level codes: exact one by one, and the same in batches."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.domain import MISSING, Attribute
from sigmacount.errors import InvalidRow

AGE = Attribute.binned("age", "integer", [0, 18, 65])
SIZE = Attribute.binned("size", "number", [0, 0.5, 2], outside="bins")
DAY = Attribute.binned("day", "date", ["2020-01-01", "2020-03-01", "2021-01-01"])
TIME = Attribute.binned("time", "datetime", ["2020-01-01", "2020-01-02", "2020-01-03"])
CITY = Attribute.categorical("city", ["A", "B"], other="else")
SEX = Attribute.categorical("sex", ["F", "M"])
FLAG = Attribute.boolean("flag")
NULLABLE = (
    Attribute.binned("age", "integer", [0, 18, 65], nullable=True, outside="bins"),
    Attribute.binned("size", "number", [0, 0.5, 2], nullable=True),
    Attribute.categorical("sex", ["F", "M"], nullable=True),
    Attribute.categorical("city", ["A", "B"], other="else", nullable=True),
    Attribute.boolean("flag", nullable=True),
)
ALL = (AGE, SIZE, DAY, TIME, CITY, SEX, FLAG, *NULLABLE)
EAST = timezone(timedelta(hours=2))


@pytest.mark.parametrize(
    ("attribute", "value", "code"),
    [
        (AGE, 0, 0),
        (AGE, 17, 0),
        (AGE, 18, 1),
        (AGE, 64, 1),
        (AGE, 18.0, 1),
        (AGE, np.int64(18), 1),
        (SIZE, -3, 0),
        (SIZE, 0, 1),
        (SIZE, -0.0, 1),
        (SIZE, 0.5, 2),
        (SIZE, 2, 3),
        (SIZE, np.float32(0.5), 2),
        (DAY, "2020-02-29", 0),
        (DAY, "2020-03-01", 1),
        (DAY, date(2020, 12, 31), 1),
        (TIME, "2020-01-01", 0),
        (TIME, "2020-01-01T23:59:59.999999", 0),
        (TIME, "2020-01-02T00:00:00Z", 1),
        (TIME, "2020-01-02T01:00:00+02:00", 0),
        (TIME, datetime(2020, 1, 2, 2, tzinfo=EAST), 1),
        (TIME, datetime(2020, 1, 2), 1),  # noqa: DTZ001 - no zone is UTC
        (TIME, date(2020, 1, 2), 1),
        (CITY, "B", 1),
        (CITY, "else", 2),
        (CITY, "anywhere", 2),
        (FLAG, False, 0),
        (FLAG, np.True_, 1),
        (FLAG, 0, 0),
        (FLAG, 1, 1),
        (FLAG, 0.0, 0),
        (FLAG, -0.0, 0),
        (FLAG, 1.0, 1),
        (FLAG, np.int64(1), 1),
    ],
)
def test_a_value_belongs_to_one_level(attribute, value, code):
    """Bins are half-open; a moment without a zone is UTC."""
    assert attribute.code(value) == code
    assert attribute.codes([value]).tolist() == [code]


@pytest.mark.parametrize(
    ("attribute", "value", "reason"),
    [
        (AGE, -1, "outside_levels"),
        (AGE, 65, "outside_levels"),
        (AGE, 10**30, "outside_levels"),
        (AGE, 17.5, "wrong_type"),
        (AGE, "17", "wrong_type"),
        (AGE, True, "wrong_type"),
        (AGE, float("nan"), "wrong_type"),
        (AGE, float("inf"), "wrong_type"),
        (SIZE, float("nan"), "wrong_type"),
        (SIZE, float("-inf"), "wrong_type"),
        (SIZE, 10**400, "wrong_type"),
        (SIZE, False, "wrong_type"),
        (SIZE, "0.5", "wrong_type"),
        (DAY, "2019-12-31", "outside_levels"),
        (DAY, "2020-02-30", "wrong_type"),
        (DAY, "soon", "wrong_type"),
        (DAY, 737425, "wrong_type"),
        (DAY, datetime(2020, 5, 5, tzinfo=UTC), "wrong_type"),
        (TIME, "2020-01-03", "outside_levels"),
        (TIME, "now", "wrong_type"),
        (TIME, 1577836800, "wrong_type"),
        (SEX, "f", "outside_levels"),
        (SEX, "else", "outside_levels"),
        (SEX, 1, "wrong_type"),
        (SEX, ["F"], "wrong_type"),
        (CITY, 1, "wrong_type"),
        (CITY, {"A": 1}, "wrong_type"),
        (FLAG, 2, "wrong_type"),
        (FLAG, -1, "wrong_type"),
        (FLAG, 0.5, "wrong_type"),
        (FLAG, float("nan"), "wrong_type"),
        (FLAG, [1], "wrong_type"),
        (FLAG, "1", "wrong_type"),
        (FLAG, "true", "wrong_type"),
        *((attribute, None, "null_not_allowed") for attribute in (AGE, DAY, SEX, FLAG)),
        *((attribute, MISSING, "missing_attribute") for attribute in ALL),
    ],
)
def test_a_value_that_belongs_to_none_says_why(attribute, value, reason):
    """A number is no text, a truth value no number, and nothing is guessed."""
    with pytest.raises(InvalidRow) as refused:
        attribute.code(value)

    assert (refused.value.reason, refused.value.attribute) == (reason, attribute.name)
    assert attribute.codes([value]).tolist() == [-1]


@pytest.mark.parametrize("attribute", NULLABLE, ids=lambda a: f"{a.kind} {a.other}")
def test_a_missing_value_has_a_level_where_it_may_be_missing(attribute):
    """It is the last one, alone and in a batch."""
    last = attribute.size - 1

    assert attribute.code(None) == last == attribute.null_code
    assert attribute.codes([None, None]).tolist() == [last, last]


anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 90),
    st.integers(),
    st.floats(),
    st.sampled_from([0.0, 0.25, 0.5, 18.0, 40.0, 2.0**53, -(2.0**60)]),
    st.sampled_from(["A", "B", "F", "M", "else", "", "2020-01-01", "2020-02-31"]),
    st.dates(date(2019, 12, 1), date(2021, 2, 1)).map(str),
    st.dates(date(2019, 12, 1), date(2021, 2, 1)),
    st.datetimes(datetime(2019, 12, 30), datetime(2020, 1, 4)).map(str),  # noqa: DTZ001
    st.datetimes(timezones=st.just(EAST)),
    st.just(MISSING),
    st.just([]),
)
alike = st.sampled_from(
    [
        st.integers(-3, 90),
        st.floats(-3, 90),
        st.floats(),
        st.sampled_from([0.0, 18.0, 3.5, 2.0**60]),
        st.one_of(st.integers(-3, 90), st.none()),
        st.one_of(st.floats(-3, 90), st.integers(-3, 90), st.none()),
        st.booleans(),
        st.one_of(st.booleans(), st.none()),
        st.sampled_from([True, 0, 1, 0.0, -0.0, 1.0, 2, 0.5, None]),
        st.sampled_from(["A", "B", "F", "M"]),
        st.sampled_from(["A", "F", None]),
        st.dates(date(2019, 12, 1), date(2021, 2, 1)).map(str),
        st.datetimes(datetime(2019, 12, 30), datetime(2020, 1, 4)).map(str),  # noqa: DTZ001
        anything,
    ]
).flatmap(lambda values: st.lists(values, max_size=8))


@pytest.mark.parametrize("attribute", ALL, ids=lambda a: f"{a.kind} {a.nullable}")
@given(values=alike)
def test_a_batch_agrees_with_its_values(attribute, values):
    """Quick paths change no code and refuse nothing else: −1 where code raises."""

    def alone(value):
        try:
            return attribute.code(value)
        except InvalidRow:
            return -1

    codes = attribute.codes(values)

    assert codes.dtype == np.int64
    assert codes.tolist() == [alone(value) for value in values]
