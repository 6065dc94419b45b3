"""basis_put.lua beside ``sigmacount.models.basis.BasesModel``."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sigmacount.errors import Fenced
from sigmacount.models import EpochBasis
from sigmacount.models.basis import BasesModel
from store.keys import Keys
from store.sensitive import Bases

pytestmark = pytest.mark.redis

epochs = st.integers(0, 4)
puts = st.tuples(st.integers(1, 3), epochs, epochs, st.sampled_from("ab"))


@given(history=st.lists(puts, min_size=3, max_size=12))
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_the_script_agrees_with_the_pure_bases(redis, history):
    """Same notes, same order: the same two are held, the same curators refused."""
    shared, model = Bases(redis, Keys(f"t{uuid.uuid4().hex}")), BasesModel()
    for token, served, epoch, word in history:
        basis = EpochBasis(token, word, (1, 2), (3, 4))
        try:
            model = model.put(token, served, epoch, word)
        except Fenced:
            with pytest.raises(Fenced):
                await shared.put(token, served, epoch, basis)
        else:
            await shared.put(token, served, epoch, basis)
        found = {e: await shared.get(e) for e in range(5)}
        assert {e: b.digest for e, b in found.items() if b} == dict(model.held)


async def test_what_is_read_back_is_what_was_put(redis, keys):
    """Every field; and nothing where nothing is known."""
    shared, basis = Bases(redis, keys), EpochBasis(7, "d", (0, 2), (5, 6))

    await shared.put(7, 0, 1, basis)

    assert (await shared.get(1), await shared.get(2)) == (basis, None)
