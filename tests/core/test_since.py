"""Since: which epoch is meant, of those that are kept."""

import pytest

from sigmacount.errors import InvalidPredicate, SinceInFuture, SinceTooEarly
from sigmacount.release.changes import Moment, SinceWhen

NOON = 1_795_953_600_000  # 2026-11-29T12:00:00Z
# Epoch 6 was never shown: its number was used up.
KEPT = tuple(Moment(n, NOON + 10_000 * n) for n in (4, 5, 7, 8))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (7, SinceWhen("epoch", 7)),
        ("7", SinceWhen("epoch", 7)),
        (" 7 ", SinceWhen("epoch", 7)),
        ("90s", SinceWhen("ago", 90_000)),
        ("15m", SinceWhen("ago", 900_000)),
        ("1h", SinceWhen("ago", 3_600_000)),
        ("2 d", SinceWhen("ago", 172_800_000)),
        ("5 epochs", SinceWhen("epochs", 5)),
        ("1 epoch", SinceWhen("epochs", 1)),
        ("2026-11-29T12:00:00Z", SinceWhen("time", NOON)),
        ("2026-11-29T13:00:00+01:00", SinceWhen("time", NOON)),
        ("2026-11-29T12:00", SinceWhen("time", NOON)),
        ("2026-11-29", SinceWhen("time", NOON - 43_200_000)),
    ],
)
def test_since_is_an_epoch_a_time_or_how_long_ago(said, meant):
    """A time without a zone is UTC."""
    assert SinceWhen.of(said) == meant


@pytest.mark.parametrize(
    "said", ["", "yesterday", "-1", -1, "1.5h", "1y", "h", "29/11/2026", "9" * 99]
)
def test_what_is_none_of_these_is_refused_with_the_list_of_them(said):
    """And nothing of what was written is in the text."""
    with pytest.raises(InvalidPredicate) as refusal:
        SinceWhen.of(said)

    assert "'5 epochs'" in str(refusal.value)
    assert "yesterday" not in str(refusal.value)


@pytest.mark.parametrize(
    ("said", "epoch"),
    [
        (4, 4),
        (6, 5),
        (8, 8),
        ("2026-11-29T12:00:40Z", 4),
        ("2026-11-29T12:01:09Z", 5),
        ("2026-11-29T12:01:10Z", 7),
        ("2026-11-29T12:01:20Z", 8),
        ("0s", 8),
        ("1s", 7),
        ("10s", 7),
        ("11s", 5),
        ("40s", 4),
        ("0 epochs", 8),
        ("1 epoch", 7),
        ("3 epochs", 4),
    ],
)
def test_it_is_the_newest_epoch_that_is_not_after_what_is_meant(said, epoch):
    """What was served then; a number that was never shown is that of the one before."""
    assert SinceWhen.of(said).found(KEPT).epoch == epoch


@pytest.mark.parametrize("said", [3, "41s", "4 epochs", "2026-11-29T12:00:39Z", "1h"])
def test_before_the_oldest_that_is_kept_nothing_is_known(said):
    """The text says which that is, as it can be asked."""
    with pytest.raises(SinceTooEarly) as refusal:
        SinceWhen.of(said).found(KEPT)

    assert "epoch that is kept is 4, of 2026-11-29T12:00:40.000Z" in str(refusal.value)
    assert SinceWhen.of(refusal.value.time).found(KEPT).epoch == 4


@pytest.mark.parametrize("said", [9, "2026-11-29T12:01:21Z", "2031-01-01"])
def test_what_has_not_come_is_refused(said):
    """Not answered by 0, which would be believed."""
    with pytest.raises(SinceInFuture) as refusal:
        SinceWhen.of(said).found(KEPT)

    assert "epoch 8, of 2026-11-29T12:01:20.000Z, is served" in str(refusal.value)
    assert refusal.value.retriable
