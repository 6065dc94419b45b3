"""The events that every counter in the benchmarks counts, and what must be left."""

from __future__ import annotations

import json
from types import SimpleNamespace

from benchmarks.rows import SCHEMA, events, fates
from streams.formats.native import RowCodec

SOME = 3_000


def test_the_same_seed_makes_the_same_events():
    """Figures of two runs are of the same work."""
    assert list(events(SOME)) == list(events(SOME))
    assert list(events(SOME)) != list(events(SOME, seed=1))


def test_ids_are_as_many_as_asked_for():
    """Two thirds of the events, or what the caller says."""
    usual, few = ({key for key, _ in events(SOME, ids=ids)} for ids in (None, 10))

    assert usual <= {f"r{n}".encode() for n in range(SOME * 2 // 3 + 1)}
    assert few == {f"r{n}".encode() for n in range(10)}


def test_our_codec_understands_every_event():
    """Peers and we count the same rows: none of them is a dead letter."""
    records = [SimpleNamespace(key=key, value=value) for key, value in events(SOME)]

    decoded = RowCodec(SCHEMA).decode(records)

    assert not decoded.bad
    assert [id_.encode() for id_ in decoded.ids] == [key for key, _ in events(SOME)]
    assert 0.05 < (decoded.codes < 0).mean() < 0.15, "one in ten is a delete"


def test_a_fate_is_told_by_the_last_event():
    """A row that was deleted and came back lives."""
    here, gone = b'{"op":"insert","id":"x"}', b'{"op":"delete","id":"x"}'

    fate = fates([(b"a", here), (b"a", gone), (b"b", gone), (b"b", here), (b"c", gone)])

    assert fate == {b"a": False, b"b": True, b"c": False}


def test_fates_are_those_of_a_table_of_rows():
    """The quick look at the bytes agrees with reading every event."""
    table: dict[str, dict] = {}
    for _, value in events(SOME):
        event = json.loads(value)
        if event["op"] == "delete":
            table.pop(event["id"], None)
        else:
            table[event["id"]] = event["row"]

    living = {key.decode() for key, lives in fates(events(SOME)).items() if lives}

    assert living == set(table)
