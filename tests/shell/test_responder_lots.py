"""Lots: tables keep no count waiting, however many come at once."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fixtures.responder_steps import FEMALE, ResponderSteps, ask, grouped
from workers.answering.asking import lots
from workers.responder import Responder

pytestmark = pytest.mark.redis


@pytest.fixture
async def steps(redis, keys):
    """Sex by city is in one algebra."""
    return await ResponderSteps.of(redis, keys, ["sex", "city"])


async def test_a_flood_of_tables_is_refused_where_it_would_keep_others_waiting(
    steps, monkeypatch
):
    """Those of its first rows are answered; the others may be asked again."""
    monkeypatch.setattr(lots, "MOST_IN_A_BATCH", 9)

    answers = await steps.answer(
        *(grouped("", "city", confidence=c) for c in (0.5, 0.6, 0.7, 0.8)),
        ask(FEMALE, "count"),
    )

    assert Counter(each.error and each.error.code for each in answers) == {
        None: 4,
        "too_many_tables": 1,
    }
    assert all(each.spent is None for each in answers)


async def test_a_count_does_not_wait_for_tables_that_were_asked_before_it(
    steps, monkeypatch
):
    """It has its answer first; of many tables few are in memory at once."""
    monkeypatch.setattr(lots, "MOST_ROWS", 9)
    together, answer = [], Responder._answer  # noqa: SLF001 - what it is given

    async def noted(responder, asked):
        together.append([each.reply_to.request_id for each in asked])
        await answer(responder, asked)

    monkeypatch.setattr(Responder, "_answer", noted)

    answers = await steps.answer(
        *(grouped("", "city", confidence=c) for c in (0.5, 0.6, 0.7)),
        grouped("", "city", "sex", confidence=0.9),
        ask(FEMALE, "count"),
        grouped("", "city"),
    )

    batch = [each for each in together if each]
    assert batch == [["count"], ["r"] * 3, ["r"] * 2]
    assert answers[0].request_id == "count"
    assert [len(each.table.rows) for each in answers[1:]] == [3, 3, 3, 6, 3]
