"""The model of rows: they are placed once, in one cell, by the newest owner only."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import Fenced, Mismatch, PositionMismatch
from sigmacount.models import STRANGE, RowIdentity
from sigmacount.models.rows import GONE, RowPartition

OURS = RowIdentity("topic", "cluster", 3, "schema")

batches = st.lists(
    st.dictionaries(st.sampled_from("abcd"), st.integers(GONE, 3)), max_size=6
)


def place(partition: RowPartition, batch: dict[str, int]) -> RowPartition:
    """The partition after one batch by its owner."""
    begin = partition.next
    ids, codes = list(batch), list(batch.values())
    return partition.apply(partition.token, begin, begin + len(ids), ids, codes)


def test_a_row_lies_in_the_cell_it_was_put_last():
    """An update moves it, a delete takes it out."""
    partition = RowPartition(OURS)

    for batch in [{"a": 1, "b": 1}, {"a": 2}, {"b": GONE}]:
        partition = place(partition, batch)

    assert dict(partition.rows) == {"a": 2}
    assert dict(partition.cells) == {2: 1}
    assert partition.next == 4


@given(batches=batches)
def test_counts_add_up_to_the_rows(batches):
    """No cell is empty, and every row lies in one."""
    partition = RowPartition(OURS)

    for batch in batches:
        partition = place(partition, batch)

    assert sum(partition.cells.values()) == len(partition.rows)
    assert 0 not in partition.cells.values()


@given(batches=batches)
def test_deltas_lead_from_one_state_to_the_next(batches):
    """Old counts plus deltas are the new counts, and no delta is zero."""
    before = partition = RowPartition(OURS)
    for batch in batches:
        before, partition = partition, place(partition, batch)

    deltas = before.deltas(partition)

    moved = {c: before.cells.get(c, 0) + by for c, by in deltas.items()}
    assert {**before.cells, **moved} == {**dict.fromkeys(moved, 0), **partition.cells}
    assert 0 not in deltas.values()


@given(batch=st.dictionaries(st.sampled_from("abcd"), st.integers(GONE, 3)))
def test_the_same_events_again_change_nothing(batch):
    """Placing is an upsert."""
    once = place(RowPartition(OURS), batch)

    twice = place(once, batch)

    assert twice.rows == once.rows


def test_a_claim_fences_the_owner_before():
    """The older token places nothing."""
    first = RowPartition(OURS).claim(OURS)
    second = first.claim(OURS)

    with pytest.raises(Fenced):
        second.apply(first.token, 0, 1, ["a"], [1])


@pytest.mark.parametrize("start", [4, 6])
def test_a_batch_begins_at_the_stored_position(start):
    """Repeated or skipped records are told where to seek."""
    partition = RowPartition(OURS, next=5)

    with pytest.raises(PositionMismatch) as mismatch:
        partition.apply(0, start, 9, ["a"], [1])

    assert mismatch.value.args == (5, start)


@pytest.mark.parametrize(
    "other",
    [
        RowIdentity("another", "cluster", 3, "schema"),
        RowIdentity("topic", "another", 3, "schema"),
        RowIdentity("topic", "cluster", 4, "schema"),
        RowIdentity("topic", "cluster", 3, "another"),
    ],
)
def test_a_stranger_cannot_claim(other):
    """Offsets and codes of another stream or schema mean something else."""
    with pytest.raises(Mismatch):
        RowPartition(OURS).claim(other)


@pytest.mark.parametrize("token", [0, None])
def test_a_rebuild_forgets_rows_and_fences_the_owner(token):
    """By the owner or over its head: empty, a new token, a new generation."""
    partition = place(RowPartition(OURS), {"a": 1})

    anew = partition.rebuild(token, 7)

    assert (dict(anew.rows), anew.next) == ({}, 7)
    assert (anew.token, anew.generation) == (1, 2)
    assert anew.identity == OURS


def test_a_rebuild_may_change_the_stream():
    """What was a stranger is then at home."""
    other = RowIdentity("another", "cluster", 3, "schema")

    anew = RowPartition(OURS).rebuild(None, 0, other)

    assert anew.claim(other).token == 2


def test_a_stale_owner_cannot_rebuild():
    """Its view of the partition is not the newest."""
    with pytest.raises(Fenced):
        RowPartition(OURS).claim(OURS).rebuild(0, 0)


def test_an_identity_has_its_fields_as_text():
    """As the store keeps them."""
    assert OURS.fields() == ("topic", "cluster", "3", "schema")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("topic_id", "x"),
        ("cluster_id", "x"),
        ("partitions", 4),
        ("fingerprint", "x"),
    ],
)
def test_what_differs_has_a_name_and_words(field, value):
    """So that every refusal says the same of it."""
    assert OURS.strange(replace(OURS, **{field: value})) == field
    assert STRANGE[field]
    assert OURS.strange(OURS) is None
