"""The model of rows under a limit: nobody changes more often, whatever comes how."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import Mismatch
from sigmacount.models import GONE, RowIdentity, moves
from sigmacount.models.rows import RowPartition

OURS = RowIdentity("topic", "cluster", 3, "schema")
ANEW = replace(OURS, topic_id="another")

Events = list[tuple[str, int]]
histories = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from([GONE, 1, 2, 3])), max_size=20
)
limits = st.integers(1, 7)


def limited(limit: int) -> RowPartition:
    """A partition that was claimed with a limit."""
    return RowPartition(OURS).claim(OURS, limit)


def place(partition: RowPartition, events: Events) -> RowPartition:
    """The partition after one batch by its owner, an offset a record."""
    ids, codes = [row for row, _ in events], [code for _, code in events]
    begin, settled = partition.next, partition.settled
    below = max(0, min(settled - begin, len(events)))
    end = begin + len(events)
    return partition.apply(partition.token, begin, end, ids, codes, below)


def lives(partition: RowPartition, events: Events) -> dict[str, list[int]]:
    """The cells of each row, one after the other, as a reader may see them."""
    seen: dict[str, list[int]] = {}
    for event in events:
        partition = place(partition, [event])
        seen.setdefault(event[0], [GONE]).append(partition.rows.get(event[0], GONE))
    return seen


def changed(cells: list[int]) -> int:
    """How often a row changed that was in these cells."""
    return sum(map(moves, cells, cells[1:]))


@pytest.mark.parametrize(
    ("before", "after", "many"),
    [(GONE, 1, 1), (1, GONE, 1), (1, 2, 2), (1, 1, 0), (GONE, GONE, 0)],
)
def test_a_move_is_as_many_changes_as_cells_it_touches(before, after, many):
    """To come, to go, to move, to stay."""
    assert moves(before, after) == many


@given(limit=limits, events=histories)
def test_no_row_changes_more_often_than_the_limit(limit, events):
    """In what a reader may see, record by record; and so in all that is released."""
    for cells in lives(limited(limit), events).values():
        assert changed(cells) <= limit


@given(limit=limits, events=histories)
def test_what_is_let_through_is_all_that_the_limit_allows(limit, events):
    """A record is refused only where the row would have changed too often by it."""
    partition = limited(limit)

    for row, code in events:
        many, cell = partition.changes.get(row, (0, GONE))
        refused = partition.excess([row], [code]) == [0]
        partition = place(partition, [(row, code)])

        assert refused is (many + moves(cell, code) > limit)
        assert partition.rows.get(row, GONE) == (cell if refused else code)


@given(limit=limits, events=histories, cuts=st.lists(st.integers(0, 20), max_size=4))
def test_batches_make_no_difference(limit, events, cuts):
    """The same records in other batches: same rows, same changes, same excess."""
    whole = place(limited(limit), events)

    parts, said = limited(limit), []
    for begin, end in zip(
        [0, *sorted(cuts)], [*sorted(cuts), len(events)], strict=True
    ):
        some = events[begin:end]
        at = parts.excess([row for row, _ in some], [code for _, code in some])
        said += [begin + i for i in at]
        parts = place(parts, some)

    assert (parts.rows, parts.changes) == (whole.rows, whole.changes)
    assert said == limited(limit).excess(*zip(*events, strict=True)) if events else True


@given(limit=limits, events=histories)
def test_the_same_records_again_change_nothing(limit, events):
    """A record that says where the row is costs nothing, however often it comes."""
    once = place(limited(limit), events)
    again = [(row, once.rows.get(row, GONE)) for row, _ in events]

    twice = place(once, again)

    assert (twice.rows, twice.changes) == (once.rows, once.changes)
    assert twice.excess([row for row, _ in again], [code for _, code in again]) == []


@pytest.mark.parametrize("limit", [2, 4, 6])
@given(events=histories)
def test_an_even_limit_lets_every_row_go(limit, events):
    """A row that is there came once and moved by twos: one change is left."""
    partition = place(limited(limit), events)

    for row in partition.rows:
        assert partition.excess([row], [GONE]) == []


@given(limit=limits, events=histories, keep=st.booleans())
def test_a_rebuild_from_the_topic_brings_back_what_there_was(limit, events, keep):
    """Whole or compacted: the last record of each row leads to the same."""
    before = place(limited(limit), events)
    topic = events if keep else list(dict(events).items())

    anew = before.rebuild(None, 0, OURS, len(topic))
    after = place(anew, topic)

    assert after.rows == before.rows
    assert after.changes == before.changes


@given(
    limit=limits,
    first=histories,
    topics=st.lists(histories, min_size=1, max_size=3),
    last=histories,
)
def test_no_row_changes_more_often_over_rebuilds(limit, first, topics, last):
    """What is seen before, between and after rebuilds of other topics is one life."""
    partition = limited(limit)
    seen = lives(partition, first)
    partition = place(partition, first)
    for topic in topics:
        partition = partition.rebuild(None, 0, ANEW, len(topic))
        partition = place(partition, topic)
        for row in "ab":
            seen.setdefault(row, [GONE]).append(partition.rows.get(row, GONE))
    for row, cells in lives(partition, last).items():
        seen.setdefault(row, [GONE]).extend(cells[1:])

    assert all(changed(cells) <= limit for cells in seen.values())


@given(limit=limits, events=histories, half=histories)
def test_a_rebuild_of_a_rebuild_that_nobody_saw_forgets_nothing(limit, events, half):
    """Until the topic is read to where it ended, what was shown is what counts."""
    before = place(limited(limit), events)
    topic = list(dict(events).items())

    begun = before.rebuild(None, 0, ANEW, len(half) + 1)
    again = place(begun, half).rebuild(None, 0, OURS, len(topic))

    assert place(again, topic).rows == before.rows


@given(limit=limits, events=histories, topic=histories, last=st.sampled_from([1, 2]))
def test_the_topics_last_word_is_where_the_row_is_or_may_not_go(
    limit, events, topic, last
):
    """At whatever position: so a recount needs no history, which topics forget."""
    partition = place(limited(limit), events).rebuild(None, 0, ANEW, len(topic))
    words: dict[str, int] = {}

    for row, code in [*topic, ("a", last), ("b", GONE), ("a", 3)]:
        partition, words[row] = place(partition, [(row, code)]), code

        for known in words.keys() | partition.changes.keys():
            many, cell = partition.changes.get(known, (0, GONE))
            word = words.get(known, GONE)
            there = word if many + moves(cell, word) <= limit else cell
            assert partition.rows.get(known, GONE) == there


def test_a_rebuild_tells_what_was_set_aside_before():
    """Of the same topic; another one's letters are not written yet."""
    before = place(limited(2), [("a", 1), ("a", 2)])

    assert before.rebuild(None, 0, OURS, 5).told == 2
    assert before.rebuild(None, 0, ANEW, 5).told == 0
    assert before.rebuild(None, 0, OURS, 5).rebuild(None, 0).told == 2


def test_without_a_look_at_the_topic_what_was_counted_settles():
    """Its owner rebuilds, and knows no end but its own."""
    before = place(limited(2), [("a", 1), ("a", 2)])

    assert before.rebuild(before.token, 0).settled == 2


@pytest.mark.parametrize("other", [{"partitions": 4}, {"fingerprint": "x"}])
def test_under_a_limit_ids_and_cells_keep_their_meaning(other):
    """Whose changes they were would be forgotten."""
    with pytest.raises(Mismatch):
        limited(2).rebuild(None, 0, replace(OURS, **other))

    assert RowPartition(OURS).rebuild(None, 0, replace(OURS, **other)).next == 0


@pytest.mark.parametrize(
    ("before", "after", "fits"),
    [(2, 2, True), (2, 3, True), (3, 2, False), (2, None, False), (None, 2, False)],
)
def test_a_limit_may_rise_and_nothing_else(before, after, fits):
    """Answers have promised it; and what nobody counted is not known."""
    partition = RowPartition(OURS).claim(OURS, before)

    if fits:
        assert partition.claim(OURS, after).limit == after
    else:
        with pytest.raises(Mismatch):
            partition.claim(OURS, after)
