"""Latency is counted from when a question was due, and ranked plainly."""

from __future__ import annotations

import asyncio
import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import bench_latency
from benchmarks.asking import Turn, due, percentile
from benchmarks.bench_latency import ASKED, KNOWN, NEW, SECONDS, SHAPES, turns
from benchmarks.peers.environments import Unavailable
from streams.wire.codec import decode
from streams.wire.messages.events import QueryAnswered, QueryAsked


@given(st.integers(0, 100_000), st.sampled_from([7, 200, 1_000, 3_000]))
def test_question_i_is_due_at_i_over_rate(number, rate):
    """Not before and not after, whatever rounding does to the division."""
    assert due(number / rate, rate) == number + 1
    assert due((number + 0.9) / rate, rate) == number + 1


@given(st.lists(st.integers(0, 1_000), min_size=1), st.integers(1, 100))
def test_a_percentile_is_the_least_value_that_suffices(values, percent):
    """So many percent are no greater; fewer are below it."""
    found = percentile(values, percent)

    assert found in values
    assert sum(v <= found for v in values) >= len(values) * percent / 100
    assert sum(v < found for v in values) < len(values) * percent / 100


class Stalled:
    """A producer that stops for a while at its first record."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.sent = seconds, []

    async def send(self, _topic, value, _key):
        """Keep the question; the first one blocks everybody."""
        if not self.sent:
            time.sleep(self.seconds)  # noqa: ASYNC251 - a stall of the whole process
        self.sent.append(decode(QueryAsked, value))


def answer(name, **about):
    """The answer to one question."""
    told = {"status": "ok", "route": "algebra", "count": 7} | about
    return QueryAnswered(request_id=name, client="c", **told)


def asked(stall):
    """A turn of twenty questions, 5 ms apart, each answered as soon as it is sent."""
    turn, producer = Turn("t", 200, ["age >= 40"] * 20), Stalled(stall)
    asyncio.run(turn.ask(producer, "queries"))
    for question in producer.sent:
        turn.hear(answer(question.request_id))
    return turn


def test_a_stall_is_charged_to_all_who_would_have_asked():
    """No coordinated omission: those due meanwhile waited, too."""
    seconds = json.loads(asked(0.2).report())["seconds"]

    assert len(seconds) == 20
    assert min(seconds) > 0.1  # the last was due at 95 ms, and the stall took 200


def test_questions_leave_at_their_rate():
    """Twenty at 200 a second take 95 ms."""
    began = time.perf_counter()

    asked(0)

    assert time.perf_counter() - began >= 0.095


def test_a_turn_hears_its_own_answers_only():
    """Late answers to an earlier turn are not its business."""
    turn = Turn("t", 200, ["age >= 40"])

    turn.hear(answer("before/0"))
    assert not turn.done.is_set()
    turn.hear(answer("t/0"))
    assert turn.done.is_set()
    assert json.loads(turn.report())["count"] == 7


@pytest.mark.parametrize(
    "told", [{"status": "expired"}, {"route": "fresh"}, {"route": "memo"}]
)
def test_an_answer_of_another_kind_is_no_figure(told):
    """What was refused, or cost budget, was not measured."""
    turn = Turn("t", 200, ["age >= 40"])
    turn.hear(answer("t/0", **told))

    with pytest.raises(AssertionError):
        turn.report()


def test_new_shapes_are_new_and_known_ones_known():
    """And the question of the others is among those that warm up, as the last."""
    (name, _, known), *rest = turns(random.Random(1))
    later = [text for name, _, texts in rest if "new" in name for text in texts]

    assert (name, len(known), known[-1]) == ("warm", SHAPES, ASKED)
    assert len(set(later)) == len(later) == sum(NEW) * SECONDS
    assert not set(later) & set(known)
    assert all(set(texts) <= set(known) for name, _, texts in rest if "known" in name)
    assert [rate for _, rate, _ in rest] == [*KNOWN, *NEW]


WHO = (("29", "Female"), ("30", "Female"), ("39", "Female"), ("35", "Male"))
ROWS = [{"age": age, "sex": sex, "income": ">50K"} for age, sex in WHO]


def test_a_peer_is_told_beside_ours_or_skipped(monkeypatch):
    """Who cannot run here is a line with the reason, and the others still run."""

    def told_by(name, _script, arguments, _seconds):
        if name == "opendp":
            why = "no\n network"
            raise Unavailable(why)
        assert Path(arguments[0]).read_text(encoding="utf-8").count("\n") == 5
        return json.dumps({"seconds": [0.04, 0.02, 0.03], "count": 2})

    monkeypatch.setattr(bench_latency, "told_by", told_by)

    lines = list(map(str, bench_latency.others(ROWS, 0.01)))

    assert lines[0] == "latency.opendp_over_ours - - - skipped: no network"
    assert "latency.smartnoise_p50 30 ms - pass" in lines
    assert "latency.smartnoise_over_ours 3 ratio 1 pass" in lines
    assert "latency.diffprivlib_p99 40 ms - pass" in lines


@pytest.mark.parametrize(("off", "refused"), [(-1, False), (0, True)])
def test_a_peer_that_counts_something_else_is_no_figure(monkeypatch, off, refused):
    """A fast wrong answer is not a result; two of the rows are asked for."""
    told = json.dumps({"seconds": [0.04], "count": 2 + bench_latency.FAR + off})
    monkeypatch.setattr(bench_latency, "told_by", lambda *_: told)
    lines = bench_latency.others(ROWS, 0.01)

    if not refused:
        assert len(list(lines)) == 3 * len(bench_latency.PEERS)
        return
    with pytest.raises(AssertionError, match="far from the truth"):
        list(lines)
