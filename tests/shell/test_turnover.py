"""Which arrays go when another epoch is served: none that somebody may be reading."""

from __future__ import annotations

from sigmacount.models import HistoryLimits
from store.keys import Keys
from store.releases.history import PastEpoch, turnover

KEYS = Keys("census")


def past(epoch: int) -> PastEpoch:
    """Of one group, whose numbers take up ten bytes."""
    return PastEpoch(epoch, 1, 1_000 * epoch, "a", ("g",), 10)


def lines(*epochs: int) -> str:
    """Names of their arrays, as a head has them."""
    return "".join(f"{name}\n" for n in epochs for name in past(n).names(KEYS))


def test_an_epoch_that_leaves_the_history_as_it_is_followed_stays_readable():
    """No room for it is left; who began to read it while it was served ends first."""
    limits = HistoryLimits(most_epochs=1, most_bytes=0)

    found = turnover(KEYS, {2: past(2)}, past(3), limits, lines(2), lines(1))

    assert found.forgotten == (2,)
    assert found.dropped == past(1).names(KEYS)


def test_what_the_history_keeps_is_kept_and_what_leaves_it_goes():
    """The newest that fit; never one that is older than one that goes."""
    limits = HistoryLimits(most_epochs=2, most_bytes=20)
    before = {n: past(n) for n in (1, 2, 3)}

    found = turnover(KEYS, before, past(4), limits, lines(3), lines(2))

    assert found.forgotten == (1,)
    assert found.dropped == past(1).names(KEYS)
