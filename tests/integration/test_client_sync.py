"""SyncSession against a real broker: a session for code without an event loop."""

import threading

import pytest

from sigmaclient import PartialTable, SyncSession
from sigmacount.errors import StreamUnavailable
from tests.fixtures.until import CEILING

pytestmark = [pytest.mark.kafka, pytest.mark.integration]


def test_the_sync_twin_answers(kafka, echo, prefix):
    """The same session without an event loop."""
    with SyncSession(kafka.bootstrap, client="a", prefix=prefix) as session:
        answer = session.ask("age >= 60", timeout=CEILING)
        many = session.ask_all(["", "x", "xy"], timeout=CEILING)

    assert answer.require() == len("age >= 60")
    assert [a.count for a in many] == [0, 1, 2]


def test_the_sync_twin_is_shared_by_threads(kafka, echo, prefix):
    """Many threads ask through one connection, each gets its own answer."""
    counts: dict[int, int] = {}

    def ask(length: int) -> None:
        counts[length] = session.ask("x" * length, timeout=CEILING).require()

    with SyncSession(kafka.bootstrap, client="a", prefix=prefix) as session:
        threads = [threading.Thread(target=ask, args=(n,)) for n in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert counts == {n: n for n in range(20)}


def test_the_sync_twin_leaves_no_thread_behind():
    """A failed opening stops the thread it started."""
    before = threading.active_count()

    with pytest.raises(StreamUnavailable), SyncSession("127.0.0.1:1", client="a"):
        pass

    assert threading.active_count() == before


def test_a_sync_question_in_flight_does_not_block_the_next(kafka, echo, prefix):
    """``submit`` returns at once; a silent question holds nobody up."""
    with SyncSession(kafka.bootstrap, client="a", prefix=prefix) as session:
        silent = session.submit("silence", timeout=2 * CEILING)
        assert session.ask("x", timeout=CEILING).ok
        assert not silent.done()
        assert silent.cancel()


def test_the_sync_twin_is_opened_and_closed_without_a_block(kafka, echo, prefix):
    """As a notebook does, whose cells may run twice; its order of rows is known."""
    session = SyncSession(kafka.bootstrap, client="a", prefix=prefix).open()
    answer = session.ask(by="age", order_by="-count", timeout=CEILING)
    plain = session.ask(by="age", timeout=CEILING)
    session.close()
    session.close()

    assert plain.table.median().bin == "20-39"
    with pytest.raises(PartialTable):
        answer.table.median()
    with pytest.raises(RuntimeError, match="not open"):
        session.ask()
