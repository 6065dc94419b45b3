"""Rows are taken only from the partition that their key names."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from aiokafka.partitioner import murmur2 as of_aiokafka
from hypothesis import given
from hypothesis import strategies as st
from kafka.partitioner import murmur2 as of_kafka_python

from streams.formats.choice import Reading, row_format
from streams.formats.native import CHUNK
from streams.formats.partitioning import murmur2, named_partitions
from streams.wire.records import BadRecord
from tests.fixtures.row_events import SCHEMA, event

PARTITIONS = 7
# Of Kafka's own test of Utils.murmur2, as Java's signed integers.
OF_JAVA = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}


@dataclass(frozen=True)
class At:
    """A record of a partition."""

    key: bytes | None
    value: bytes | None
    partition: int


def at(partition, id_="u1", **changes):
    """An insert of ``id_``, found in ``partition``."""
    return At(*event(id_, id=id_, **changes), partition)


def home(id_):
    """The partition that kafka-python's own producer would choose."""
    return (of_kafka_python(id_.encode()) & 0x7FFFFFFF) % PARTITIONS


def found(*records, rule="murmur2"):
    """What the counter's format makes of them."""
    return row_format(SCHEMA, PARTITIONS, Reading(rule=rule)).decode(records)


def test_hashes_are_those_of_kafkas_own_test():
    """The figures of its Java source."""
    hashes = murmur2(list(OF_JAVA)).tolist()

    assert hashes == [signed % 2**32 for signed in OF_JAVA.values()]


@given(st.lists(st.binary(max_size=40) | st.binary(min_size=500, max_size=512)))
def test_hashes_are_those_of_both_client_libraries(keys):
    """Of every length, with zeros at the end, long beside short, or none at all."""
    hashes = murmur2(keys).tolist()

    assert hashes == [of_kafka_python(key) % 2**32 for key in keys]
    assert hashes == [of_aiokafka(key) % 2**32 for key in keys]


@given(st.lists(st.text(max_size=9)), st.integers(1, 50))
def test_partitions_are_those_of_the_default_partitioner(ids, partitions):
    """The bytes that count are those of the key on the wire."""
    wanted = [(of_kafka_python(i.encode()) & 0x7FFFFFFF) % partitions for i in ids]

    assert named_partitions(ids, partitions).tolist() == wanted


def test_more_ids_than_are_hashed_at_once_keep_their_order():
    """Chunks are an affair of the processor's cache."""
    ids = [f"p{n}" for n in range(2 * CHUNK + 1)]

    assert named_partitions(ids, PARTITIONS).tolist() == list(map(home, ids))


def test_rows_in_their_partition_are_taken():
    """Nothing else changes."""
    record = at(home("u1"))

    assert (found(record).ids, found(record).bad) == (["u1"], [])


@pytest.mark.parametrize("key", [b"u1", None], ids=["with a key", "without a key"])
@pytest.mark.parametrize("op", ["insert", "update", "delete"])
def test_a_row_in_another_partition_is_bad(op, key):
    """Without a key the id decides, else it could be counted in any partition."""
    record = at(home("u1") + 1, op=op)

    decoded = found(At(key, record.value, record.partition))

    assert decoded.ids == []
    assert decoded.codes.size == 0
    assert decoded.bad == [BadRecord(0, "wrong_partition")]


def test_a_tombstone_in_another_partition_is_bad():
    """It would delete nothing: the row is counted elsewhere."""
    assert found(At(b"u1", None, home("u1") + 1)).bad == [
        BadRecord(0, "wrong_partition")
    ]
    assert found(At(b"u1", None, home("u1"))).ids == ["u1"]


@given(st.lists(st.sampled_from(["u1", "u2", "u3", "bad"]), min_size=1))
def test_each_record_has_one_outcome_and_the_others_keep_theirs(names):
    """Records before and after a stranger or a broken one stay what they were."""
    here = home("u1")
    records = [
        At(b"bad", b"{", here) if name == "bad" else at(here, name) for name in names
    ]

    decoded = found(*records)

    ours = [name for name in names if name != "bad" and home(name) == here]
    assert decoded.ids == ours
    assert len(decoded.codes) == len(ours)
    reasons = {bad.index: bad.reason for bad in decoded.bad}
    assert list(reasons) == sorted(reasons)
    assert reasons == {
        i: "not_json" if name == "bad" else "wrong_partition"
        for i, name in enumerate(names)
        if name == "bad" or home(name) != here
    }


def test_any_rule_is_taken_where_the_operator_says_so():
    """Then producers are trusted to send one id to one partition."""
    assert found(at(home("u1") + 1), rule="any").ids == ["u1"]
