"""The last answers to standing questions, as a gateway keeps them."""

from __future__ import annotations

import pytest

from dashboard.history import StandingPoints
from dashboard.history.points import MOST_CELLS, MOST_ENDED, MOST_POINTS
from streams.wire.messages.events import QueryAnswered, Trouble
from streams.wire.messages.standing import StandingQuestion
from streams.wire.messages.tables import CountTable, TableCell


def answer(epoch, name="watched", client="ada", **fields):
    """What one epoch says of a standing question."""
    said = {"status": "ok", "count": epoch, "interval": (epoch - 2, epoch + 2)}
    said |= {"stderr": 1.0, "confidence": 0.95, "epoch": epoch, "as_of_ms": epoch}
    return QueryAnswered(request_id=name, client=client, name=name, **said | fields)


def test_points_come_in_the_order_of_epochs():
    """One that is told again replaces its like; an older one is no news."""
    held = StandingPoints()
    for each in (answer(1), answer(3), answer(3, count=30), answer(2)):
        held.take(each)

    [watched] = held.of("ada")
    assert [(p.epoch, p.count) for p in watched.points] == [(1, 1), (3, 30)]
    assert not watched.changes


def test_a_question_asked_once_is_none_of_them():
    """Only answers under the name of a standing question are kept."""
    held = StandingPoints()

    assert held.take(QueryAnswered(request_id="r", client="ada", status="ok")) is None
    assert held.of("ada") == ()


def test_a_client_sees_its_own_alone():
    """The same name in another client's mouth is another question."""
    held = StandingPoints()
    held.take(answer(1))
    held.take(answer(1, client="ben"))

    assert [each.client for each in held.of("ben")] == ["ben"]
    assert held.one("eve", "watched") is None


def test_a_refusal_is_said_and_the_points_stay():
    """Until there is an answer again."""
    held = StandingPoints()
    held.take(answer(1))
    refused = {"status": "refused", "count": None}
    held.take(answer(2, **refused, error=Trouble(code="no_budget", message="wait")))

    [watched] = held.of("ada")
    assert watched.trouble is not None
    assert len(watched.points) == 1
    held.take(answer(3))
    assert watched.trouble is None


def test_net_changes_are_told_apart():
    """By the moment that they are counted from; they may be negative."""
    held = StandingPoints()
    held.take(answer(5, count=-3, interval=(-9, 3), since_ms=2, since_epoch=2))

    [watched] = held.of("ada")
    assert watched.changes
    assert watched.points[0].since_ms == 2


def test_memory_has_an_end():
    """Points, rows of a table, and questions, those of who has most first."""
    held = StandingPoints(most=3)
    cell = TableCell(levels=("F",), count=1, stderr=1.0, interval=(0, 2), joint=(0, 2))
    table = CountTable(by=("sex",), rows=(cell,) * 100, cells=100)
    for epoch in range(MOST_POINTS + 5):
        held.take(answer(epoch, table=table))
    [watched] = held.of("ada")
    assert len(watched.points) == MOST_POINTS
    assert (len(watched.cells), watched.of_cells) == (MOST_CELLS, 100)

    for name in ("one", "two", "three", "watched"):
        held.take(answer(10_000, name=name, client="ben"))

    assert held.one("ada", "watched") is watched
    assert [each.name for each in held.of("ben")] == ["three", "watched"]


@pytest.mark.parametrize("name", ["watched", "other"])
def test_what_was_ended_is_forgotten(name):
    """Another question under its name begins anew."""
    held = StandingPoints()
    held.take(answer(1))

    held.forget("ada", name)

    assert (held.one("ada", "watched") is None) == (name == "watched")


def test_an_answer_that_was_on_its_way_brings_nothing_back():
    """Until the question stands again; how many ended are remembered has an end."""
    held = StandingPoints()
    held.forget("ada", "watched")

    assert held.take(answer(1)) is None
    assert held.of("ada") == ()
    held.stands(StandingQuestion(client="ada", name="watched"))
    assert held.take(answer(2)) is not None
    held.forget("ada", "watched")
    for number in range(MOST_ENDED):
        held.forget("ben", f"n{number}")
    assert held.take(answer(3)) is not None
