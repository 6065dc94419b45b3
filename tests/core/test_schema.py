"""Schema: rows become cells, cells become levels, and the declaration has a name."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.domain import MISSING, Attribute, Schema
from sigmacount.errors import DomainTooLarge, InvalidRow, InvalidSchema, UnknownName

PEOPLE = Schema(
    "people",
    (
        Attribute.binned("age", "integer", [0, 18, 65], outside="bins", nullable=True),
        Attribute.categorical("sex", ["F", "M"]),
        Attribute.boolean("member", nullable=True),
    ),
)


def test_a_cell_code_is_a_mixed_radix_number():
    """The last attribute counts by one; the domain is the product of the levels."""
    assert PEOPLE.sizes == (5, 2, 3)
    assert PEOPLE.strides == (6, 3, 1)
    assert PEOPLE.cells == 30
    assert PEOPLE.names == ("age", "sex", "member")


def test_a_row_is_one_cell():
    """Keys that are no attribute are ignored."""
    row = {"age": 40, "sex": "M", "member": True, "shoe": 43}

    assert PEOPLE.cell_code(row) == 2 * 6 + 1 * 3 + 1


@pytest.mark.parametrize(
    ("row", "reason", "attribute"),
    [
        ({"age": 40, "sex": "M"}, "missing_attribute", "member"),
        ({"age": 40, "sex": None, "member": None}, "null_not_allowed", "sex"),
        ({"age": "40", "sex": "M", "member": None}, "wrong_type", "age"),
        ({"age": 40, "sex": "X", "member": None}, "outside_levels", "sex"),
        (["F"], "wrong_type", None),
    ],
)
def test_a_row_that_belongs_to_no_cell_says_why(row, reason, attribute):
    """Attribute and reason stand in the dead letter, the value never."""
    with pytest.raises(InvalidRow) as refused:
        PEOPLE.cell_code(row)

    assert (refused.value.reason, refused.value.attribute) == (reason, attribute)
    assert "40" not in str(refused.value)


def test_a_batch_gives_the_codes_of_its_rows():
    """A refused row has code −1 and harms no other."""
    columns = [[40, None, 7, True], ["M", "F", "x", "F"], [True, None, False, False]]

    assert PEOPLE.cell_codes(columns).tolist() == [16, 26, -1, -1]


def test_an_empty_batch_has_no_codes():
    """Nothing in, nothing out."""
    assert PEOPLE.cell_codes([[], [], []]).shape == (0,)


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param([[1], ["F"]], id="a column too few"),
        pytest.param([[1, 2], ["F", "M"], [True]], id="columns of two lengths"),
    ],
)
def test_a_batch_must_be_rectangular(columns):
    """A column of one value is not spread over the batch."""
    with pytest.raises(ValueError, match=r"length|shorter"):
        PEOPLE.cell_codes(columns)


@given(st.lists(st.integers(0, 29)))
def test_levels_and_codes_are_two_forms_of_one_cell(cells):
    """levels_of inverts the mixed radix; column is one attribute of it."""
    codes = np.array(cells, np.int64)

    levels = PEOPLE.levels_of(codes)

    assert levels.shape == (len(cells), 3)
    assert levels.dtype == np.int32
    assert (levels @ np.array(PEOPLE.strides) == codes).all()
    for i in range(3):
        assert np.array_equal(PEOPLE.column(codes, i), levels[:, i])


def test_the_largest_domain_still_has_codes():
    """Just below 2^63 cells the last cell's code is exact."""
    wide = [Attribute.binned(f"a{i}", "integer", range(513)) for i in range(6)]
    narrow = Attribute.binned("narrow", "integer", range(512))
    schema = Schema("wide", (*wide, narrow))

    last = schema.cell_codes([[511]] * 6 + [[510]])

    assert schema.cells == 2**54 * 511
    assert last.tolist() == [schema.cells - 1]
    assert schema.levels_of(last).tolist() == [[511] * 6 + [510]]


def test_a_domain_of_two_to_the_63_is_refused():
    """The refusal names the attributes that cost most, and what to do."""
    wide = [Attribute.binned(f"a{i}", "integer", range(513)) for i in range(5)]
    huge = Attribute.binned("huge", "integer", range(2**10 + 1))
    small = Attribute.binned("small", "integer", range(2**8 + 1))

    with pytest.raises(DomainTooLarge, match=r"huge \(1024 levels\)") as refused:
        Schema("wide", (*wide, small, huge))

    assert refused.value.cells == 2**63
    assert refused.value.costliest[0] == ("huge", 1024)
    assert len(refused.value.costliest) == 5


@pytest.mark.parametrize(
    ("name", "attributes", "told"),
    [
        ("", (Attribute.boolean("a"),), "needs a name"),
        ("empty", (), "at least one attribute"),
        ("twins", (Attribute.boolean("a"), Attribute.boolean("a")), "'a' is declared"),
    ],
)
def test_a_schema_that_contradicts_itself_is_refused(name, attributes, told):
    """Nothing starts on a declaration without meaning."""
    with pytest.raises(InvalidSchema, match=told):
        Schema(name, attributes)


def test_a_name_is_found_in_any_case():
    """Exact first, then any case, as in SQL."""
    both = Schema("both", (Attribute.boolean("Age"), Attribute.boolean("age")))

    assert PEOPLE.index("SEX") == 1
    assert both.index("age") == 1


def test_a_name_that_only_case_tells_apart_is_refused():
    """Neither of two attributes is guessed; both are offered."""
    both = Schema("both", (Attribute.boolean("Age"), Attribute.boolean("age")))

    with pytest.raises(UnknownName, match="'Age' or 'age'"):
        both.index("AGE")


def test_an_unknown_name_offers_close_ones():
    """A slip of the finger is answered with the right name."""
    with pytest.raises(UnknownName, match="Did you mean 'member'"):
        PEOPLE.index("membre")


def test_a_name_like_no_other_lists_what_there_is():
    """As many as a person will read, and no flood from a long name."""
    wide = Schema("wide", tuple(Attribute.boolean(f"a{i}") for i in range(9)))

    with pytest.raises(UnknownName, match="Known: 'age', 'sex', 'member'") as refused:
        PEOPLE.index("z" * 500)
    assert len(str(refused.value)) < 200
    with pytest.raises(UnknownName, match="'a7', …"):
        wide.index("zzz")


def test_no_more_names_are_offered_than_help():
    """The three closest; eight when none is close, the rest behind dots."""
    close = Schema("close", tuple(Attribute.boolean(f"age{i}") for i in range(9)))
    eight = Schema("eight", tuple(Attribute.boolean(f"a{i}") for i in range(8)))

    with pytest.raises(UnknownName) as refused:
        close.index("age")
    assert refused.value.message.count("'age") == 1 + 3
    with pytest.raises(UnknownName, match=r"'a7'\."):
        eight.index("zzz")


def test_the_fingerprint_is_of_the_declaration():
    """Equal declarations, equal fingerprints; any change of meaning changes it."""
    again = Schema("people", PEOPLE.attributes)
    renamed = Schema("persons", PEOPLE.attributes)
    swapped = Schema("people", PEOPLE.attributes[::-1])
    moved = Attribute.binned(
        "age", "integer", [0, 18, 66], outside="bins", nullable=True
    )
    edged = Schema("people", (moved, *PEOPLE.attributes[1:]))

    assert again.fingerprint == PEOPLE.fingerprint
    assert again == PEOPLE
    assert len({s.fingerprint for s in (PEOPLE, renamed, swapped, edged)}) == 4


def test_the_sentinel_of_absence_says_so():
    """It is no value of any attribute."""
    assert repr(MISSING) == "MISSING"
    assert PEOPLE.cell_codes([[1], ["F"], [MISSING]]).tolist() == [-1]
