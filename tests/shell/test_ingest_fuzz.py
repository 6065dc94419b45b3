"""Damaged and invented files: every line is accounted for, and nothing crashes."""

import csv
import gzip
import io
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cli.exits import CommandRefused
from cli.reading.feed import Feed
from cli.reading.header import Spelling

HEAD = "id,sex,note\n"
SPELLING = Spelling(needed=("sex",))
# What breaks readers: quotes, delimiters, ends of lines, and what looks like them.
TEXT = st.text(
    st.sampled_from("ab\",;\t '\\\n\r\0\x0b\x0c\x1c\x85\u2028\ufeffé=[{}]:1"),
    max_size=12,
)
LINES = st.lists(TEXT.map(lambda text: text.replace("\n", "")), max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all examples."""
    return tmp_path_factory.mktemp("fuzz")


def rows_of(folder, content, name="f.csv", spelling=SPELLING):
    """The rows of a file, or None if it is refused as a whole."""
    file = folder / name
    file.write_bytes(content)
    try:
        with Feed.of(file, spelling=spelling).sheet() as sheet:
            return list(sheet.rows)
    except CommandRefused:
        return None


def ends(text):
    """The lines of a text as every editor counts them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@given(lines=LINES)
@example(lines=['1,F,"a', "2,M,b", '3,F,c"'])
@example(lines=['1,"F,a', '2,M",b'])
@example(lines=["1,F,a\r2,M,b"])
def test_every_line_is_a_row_a_fault_or_empty(folder, lines):
    """Or the file is refused: no line is swallowed by another."""
    text = HEAD + "\n".join(lines)

    rows = rows_of(folder, text.encode())

    if rows is not None:
        told = {row.line for row in rows}
        assert len(told) == len(rows)
        for number, line in enumerate(ends(text)[1:], start=2):
            assert number in told or not line.strip(' "\t\x0b\x0c\x1c\x85\u2028\ufeff')


@given(cut=st.integers(0, 10**6), rows=st.lists(st.tuples(TEXT, TEXT), max_size=20))
def test_what_a_writer_wrote_is_read_or_refused(folder, cut, rows):
    """With line breaks allowed: exactly the fields, stripped; cut, a beginning."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([HEAD.strip().split(","), *(("1", a, b) for a, b in rows)])
    text = out.getvalue()
    whole = Spelling(needed=("sex",), multiline=True)
    wanted = [{"id": "1", "sex": a.strip(), "note": b.strip()} for a, b in rows]

    read = rows_of(folder, text.encode(), spelling=whole)
    part = rows_of(folder, text[: len(HEAD) + cut % len(text)].encode(), spelling=whole)

    if "\0" in text:
        assert read is None
        return
    assert [row.values for row in read] == wanted
    for row, values in zip(part or [], wanted, strict=False):
        assert row.values == values or row is part[-1]


@given(
    content=st.binary(max_size=60),
    begins=st.sampled_from(
        [b"", HEAD.encode(), b"[", b"{", b"\x1f\x8b\x08", b"sep=;\n"]
    ),
    name=st.sampled_from(["f.csv", "f.json", "f.csv.gz", "f.tsv"]),
)
def test_whatever_bytes_come_there_is_one_outcome(folder, content, begins, name):
    """Rows or a refusal, never another error."""
    rows_of(folder, begins + content, name)
    rows_of(folder, gzip.compress(begins + content)[: 20 + len(content)], name)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=6,
)


@given(values=st.lists(anything, max_size=6), indent=st.sampled_from([None, 1]))
def test_an_array_and_lines_of_json_are_the_same_rows(folder, values, indent):
    """One row for each value, a fault for each that is no object."""
    array = json.dumps(values, indent=indent).encode()
    lines = "\n".join(map(json.dumps, values)).encode()

    listed = rows_of(folder, array, "f.json")

    assert [row.fault is None for row in listed] == [
        isinstance(v, dict) for v in values
    ]
    if not lines.startswith(b"["):
        apart = rows_of(folder, lines, "f.json")
        assert repr([r.values for r in apart]) == repr([r.values for r in listed])
