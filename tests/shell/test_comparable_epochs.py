"""With which epochs of the history one that is served is compared."""

from __future__ import annotations

from typing import Any

import pytest

from sigmacount.errors import SinceInFuture, SinceTooEarly
from sigmacount.release import SinceWhen
from store.releases.history import History, PastEpoch
from store.releases.released import Head
from tests.core.joint_plans import SCHEMA
from tests.fixtures.in_memory import standing_in
from workers.answering.changes.past_epochs import PastEpochs

NOW: dict[str, Any] = {"rule": "continual", "era": 2, "horizon": 128, "ticks": {}}


class Kept:
    """A history of three epochs, of which the first may have been another's."""

    def __init__(self, **first: Any) -> None:
        about = {1: NOW | first, 2: NOW, 3: NOW}
        self._epochs = {
            n: PastEpoch(n, 1, 1_000 * n, "a", ("g",), 8, said)
            for n, said in about.items()
        }

    async def epochs(self) -> dict[int, PastEpoch]:
        """By number."""
        return self._epochs


def head(epoch: int) -> Head:
    """What a responder serves."""
    return Head(epoch, 1, 1_000 * epoch, ("g",), {}, NOW, None, "a")


@pytest.mark.parametrize("first", [{"era": 0}, {"horizon": 1_024}, {"rule": "renew"}])
async def test_noise_of_another_era_or_kind_has_nothing_in_common(first):
    """The oldest epoch that can be asked about is the one after."""
    past = PastEpochs(standing_in(Kept(**first)), SCHEMA)

    with pytest.raises(SinceTooEarly, match="kept is 2,"):
        await past.compared(head(3), SinceWhen("epoch", 1))


async def test_an_epoch_that_came_meanwhile_is_still_to_come():
    """A responder that serves the one before tells nothing of it."""
    past = PastEpochs(standing_in(Kept()), SCHEMA)

    with pytest.raises(SinceInFuture):
        await past.compared(head(2), SinceWhen("epoch", 3))
    assert (await past.compared(head(2), SinceWhen("epoch", 2))).changes is None


@pytest.mark.redis
async def test_numbers_that_are_kept_no_more_are_none(redis, keys):
    """Never zeros in their place."""
    gone = PastEpoch(1, 1, 1_000, "a", ("g", "h"), 8)
    await redis.set(gone.names(keys)[0], b"1a")

    assert await History(redis, keys).numbers(gone) is None
