"""Files as people have them: each has one outcome, and none loses a row in silence."""

import errno
import gzip
import os
import threading

import pytest

from cli.reading import text

HEAD = "id,age,sex,city\n"
FILE = (HEAD + "1,36,F,Paris\n2,71,M,Lyon\n").encode()
NOTES = b'id,age,sex,city,note,\n1,36,F,Paris,5" pipe,\n2,71,M,Lyon,' + b"x" * 200_000
ADA = '{"id":1,"age":36,"sex":"F","city":"Paris"}'
BOB = '{"id":2,"age":71.0,"sex":"M","city":"Lyon"}'

READ = {
    "plain": (FILE, "p.csv"),
    "byte order mark": (b"\xef\xbb\xbf" + FILE, "p.csv"),
    "CRLF": (FILE.replace(b"\n", b"\r\n"), "p.csv"),
    "CR": (FILE.replace(b"\n", b"\r"), "p.csv"),
    "no last end": (FILE.rstrip(), "p.csv"),
    "empty lines": (FILE.replace(b"\n", b"\n\n  \n"), "p.csv"),
    "tabs": (FILE.replace(b",", b"\t"), "p.tsv"),
    "blanks": (FILE.replace(b",", b" ,  "), "p.csv"),
    "quotes": (FILE.replace(b"Paris", b'"Paris"'), "p.csv"),
    "notes, a quote inside, a delimiter at the end": (NOTES + b",", "p.csv"),
    "gzip": (gzip.compress(FILE, mtime=0), "P.CSV.GZ"),
    "gzip that is not called so": (gzip.compress(FILE, mtime=0), "p.csv"),
    "gzip of two members": (
        gzip.compress(FILE[:9], mtime=0) + gzip.compress(FILE[9:], mtime=0),
        "p.csv",
    ),
    "JSON lines": (f"{ADA}\n\n{BOB}", "p.jsonl"),
    "array": (f"[{ADA},{BOB}]", "p.json"),
    "array over lines": (f"\n [\n{ADA}\n,\n{BOB}]\n", "p.json"),
    "array among lines": (f"[{ADA},{BOB}]", "p.ndjson"),
}


@pytest.mark.parametrize(("content", "name"), READ.values(), ids=READ)
def test_a_usual_file_is_read(check, content, name):
    """Whatever ends its lines, packs it or stands between its fields."""
    report = check.report(content, name=name)

    assert (report["sent"], report["refused"], report["code"]) == (2, [], 0)
    assert report["id_column"] == "id"
    assert report["other"] == {}


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        (b"", "p.csv", "is empty: it has no header line"),
        (FILE[:30] + b"\0" + FILE[30:], "p.csv", "line 3 holds a NUL byte"),
        (HEAD.encode("utf-16"), "p.csv", "it is UTF-16 text: `iconv"),
        (HEAD.encode("utf-16-le"), "p.csv", "line 1 holds a NUL byte"),
        (
            FILE + "3,1,F,Orléans".encode("latin1"),
            "p.csv",
            "near line 4 it is no UTF-8",
        ),
        (FILE, "p.csv.gz", "its name ends in .gz, but it is no gzip file"),
        (b"", "p.csv.gz", "its name ends in .gz, but it is no gzip file"),
        (
            gzip.compress(FILE, mtime=0)[:-10],
            "p.csv.gz",
            "a gzip file that was cut after line",
        ),
        (
            gzip.compress(FILE, mtime=0)[:5],
            "p.csv.gz",
            "a gzip file that was cut after line 0",
        ),
        (
            gzip.compress(FILE, mtime=0)[:-8] + bytes(8),
            "p.csv.gz",
            "a gzip file that is damaged",
        ),
        (
            gzip.compress(FILE, mtime=0)[:10] + b"\xff" * 60,
            "p.csv.gz",
            "a gzip file that is damaged",
        ),
        (b"PK\x03\x04....", "p.csv", "a zip archive or a workbook"),
        (b"PAR1....", "p.csv", "a Parquet file"),
        (b"\x28\xb5\x2f\xfd....", "p.csv", "packed by zstd"),
        (
            f"[{ADA},\n{BOB}",
            "p.json",
            "begins like a JSON array, but is none at line 2",
        ),
        ("[" * 100_000, "p.json", "begins like a JSON array, but cannot be read"),
        (FILE, "p.xyz", "say --format csv or --format jsonl"),
        (None, "nowhere.csv", "No such file or directory"),
    ],
    ids=range(18),
)
def test_what_is_no_text_of_rows_is_named(check, content, name, words):
    """One line that says what it is instead; exit code 2."""
    told = check(content, name=name)

    assert told.code == 2, told
    assert words in told.err
    assert told.err.count("\n") == 1


def test_a_directory_is_no_file(check, tmp_path):
    """It is said as such, not as a format that is not known."""
    assert "is a directory" in check(None, name=tmp_path).err


def test_a_file_that_may_not_be_read_is_named(check, monkeypatch):
    """As the system says it; the tests may run as root, who may read everything."""

    def refused(_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(text, "_opened", refused)

    assert "cannot be read: Permission denied" in check(FILE).err


def test_a_named_pipe_is_read_once(check, tmp_path):
    """Like standard input: it is not looked through beforehand."""
    pipe = tmp_path / "p.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(FILE,))
    writer.start()

    report = check.report(None, name="p.csv")

    writer.join(60)
    assert report["sent"] == 2


def test_an_endless_line_is_refused(check, monkeypatch):
    """It would fill the memory; quotes that are never closed make one, too."""
    monkeypatch.setattr(text, "LONGEST", 100)

    assert "line 2 exceeds 100 characters" in check(HEAD + "x" * 200).err


@pytest.mark.parametrize(
    ("content", "name", "fault"),
    [
        (HEAD + "1,36,F,Paris,9\n2,7,M,Lyon\n", "p.csv", "wrong_number_of_fields"),
        (HEAD + "1,36,F\n2,7,M,Lyon\n", "p.csv", "wrong_number_of_fields"),
        (HEAD + HEAD + "2,7,M,Lyon\n", "p.csv", "header_again"),
        (HEAD + '1,36,F,"Pa"ris\n2,7,M,Lyon\n', "p.csv", "broken_quotes"),
        (HEAD + '1,36,F,"Paris" \n2,7,M,Lyon\n', "p.csv", "broken_quotes"),
        (HEAD + ",36,F,Paris\n2,7,M,Lyon\n", "p.csv", "no_id"),
        (HEAD + "i" * 513 + ",36,F,Paris\n2,7,M,Lyon\n", "p.csv", "id_too_long"),
        (HEAD + f"1,36,F,{'x' * 40_000}\n2,7,M,Lyon\n", "p.csv", "value_too_large"),
        (f"\n7\n{BOB}\n", "p.jsonl", "not_a_json_object"),
        (f"\n{ADA}]\n{BOB}\n", "p.jsonl", "not_a_json_object"),
        (f"\n{'{' * 9_999}\n{BOB}\n", "p.jsonl", "not_a_json_object"),
        (f'\n{ADA[:-1]},"age":1}}\n{BOB}', "p.jsonl", "key_named_twice"),
        (
            f"\n{ADA.replace('Paris', chr(92) + 'ud800')}\n{BOB}",
            "p.jsonl",
            "not_unicode",
        ),
        (f"\n{ADA.replace('1', 'true', 1)}\n{BOB}", "p.jsonl", "id_not_text"),
        (f"\n{ADA.replace('1', '[1]', 1)}\n{BOB}", "p.jsonl", "id_not_text"),
    ],
)
def test_a_row_that_is_none_is_told_and_the_next_is_read(check, content, name, fault):
    """The first row of a file is no more than the others; exit code 1."""
    report = check.report(content, name=name)

    told = [(each["reason"], each["first_line"]) for each in report["refused"]]
    assert (report["sent"], told, report["code"]) == (1, [(fault, 2)], 1)
    assert report["refused"][0]["fits"]


@pytest.mark.parametrize(
    ("content", "name", "cut"),
    [
        (FILE, "p.csv", False),
        (FILE.replace(b"\n", b"\r"), "p.csv", False),
        (FILE[:-2], "p.csv", True),
        (gzip.compress(FILE[:-2], mtime=0), "p.csv.gz", True),
        (f"[{ADA}]", "p.json", False),
    ],
)
def test_a_last_line_without_an_end_is_told(check, content, name, cut):
    """Cut inside its last field, a row looks whole; JSON would not."""
    assert check.report(content, name=name)["last_line_without_end"] is cut
    assert ("look whether the file was cut" in check(None, name=name).out) is cut


def test_objects_inside_a_row_are_nobodys_business(check):
    """What is not counted may name a key twice."""
    row = ADA[:-1] + ',"more":{"a":1,"a":2}}'

    assert check.report(row, name="p.jsonl")["sent"] == 1


@pytest.mark.parametrize(
    "rows",
    [
        '1,36,F,"Paris\n2,71,M,Lyon"\n3,4,F,Paris\n',
        '1,36,F,"Paris\n2,71,M,Lyon\n3,4,F,Paris\n',
        '1,36,"F,Paris\n2,71,"M,Lyon\n3,4,F,Paris\n',
        '1,36,F,"Par""is\n',
    ],
)
def test_a_quote_that_is_open_at_the_end_of_a_line_condemns_the_file(check, rows):
    """It would swallow rows, and what comes of it may look like a row."""
    told = check(HEAD + "0,1,F,Lyon\n" + rows + "9,9,F,Lyon\n")

    assert told.code == 2
    assert "has a quote in line 3 that is open at the end of the line" in told.err
    assert "--multiline" in told.err
    assert "Paris" not in told.err


def test_line_breaks_inside_fields_are_read_where_that_is_said(check):
    """And told; those that look like swallowed rows with their line."""
    text = 'id,note,age,sex,city\n1,"a\nb",36,F,Paris\n2,"c\n3,x,4,F",71,M,Lyon\n'

    report = check.report(text, "--multiline")
    told = check(text, "--multiline").out

    assert (report["sent"], report["rows_on_several_lines"]) == (2, 2)
    assert report["doubtful_rows"] == 1
    assert "warning: 1 row with delimiters beside a line break, first at line 5" in told


def test_a_broken_quote_over_lines_condemns_the_file_in_any_case(check):
    """Where it ends cannot be known."""
    told = check(HEAD + '1,36,F,"Paris\n2,71,M,"Lyon\n', "--multiline")

    assert told.code == 2
    assert "a field that begins in line 2 is not ended rightly by line 3" in told.err
