"""trail_put.lua beside ``sigmacount.models.basis.SummaryModel``."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sigmacount.errors import Fenced
from sigmacount.models.basis import SummaryModel
from store.keys import Keys
from store.releases.trail_summaries import TrailSummaries

pytestmark = pytest.mark.redis

puts = st.tuples(st.integers(1, 3), st.sampled_from("ab"))


@given(history=st.lists(puts, min_size=3, max_size=8))
@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_the_script_agrees_with_the_pure_summary(redis, history):
    """Same summaries, same order: the same one is kept, the same curators refused."""
    shared, model = TrailSummaries(redis, Keys(f"t{uuid.uuid4().hex}")), SummaryModel()
    for token, word in history:
        try:
            model = model.put(token, word)
        except Fenced:
            with pytest.raises(Fenced):
                await shared.put(token, word.encode())
        else:
            await shared.put(token, word.encode())
        assert await shared.get() == (model.held and model.held.encode())
