"""Shelf: one epoch is served, whole, and it only moves forwards."""

from __future__ import annotations

import pytest

from sigmacount.errors import Fenced, Superseded
from sigmacount.models import HistoryLimits
from sigmacount.models.shelf import Shelf


def served(*epochs: int) -> Shelf:
    """A shelf after these epochs, each with one array named after it."""
    shelf = Shelf()
    for epoch in epochs:
        shelf = shelf.publish(1, epoch, frozenset({f"a{epoch}"}))
    return shelf


def test_the_epoch_before_stays_for_its_readers():
    """The one before that is dropped."""
    assert dict(served(1, 2, 5).arrays) == {2: {"a2"}, 5: {"a5"}}


@pytest.mark.parametrize("epoch", [3, 2])
def test_a_head_does_not_move_back(epoch):
    """Nor to itself: an epoch has one content."""
    with pytest.raises(Superseded) as refusal:
        served(3).publish(1, epoch, frozenset())

    assert f"epoch 3 is served, epoch {epoch} does not fit" in str(refusal.value)


def test_a_later_answer_to_the_same_query_takes_its_place():
    """It is the more exact one; the curator gives no other."""
    shelf = served(1).remember(1, 1, {"A": "4"}).remember(1, 1, {"A": "5", "B": "6"})

    assert dict(shelf.memos[1]) == {"A": "5", "B": "6"}


def test_answers_are_forgotten_two_epochs_later():
    """With the arrays they were made from."""
    shelf = served(1).remember(1, 1, {"A": "4"})

    shelf = shelf.publish(1, 2, frozenset())
    kept = dict(shelf.memos)
    shelf = shelf.publish(1, 3, frozenset())

    assert (kept, dict(shelf.memos)) == ({1: {"A": "4"}}, {})


def test_an_answer_of_another_epoch_is_refused():
    """Before the first epoch there is none to answer in."""
    with pytest.raises(Superseded) as refusal:
        Shelf().remember(1, 1, {"A": "4"})

    assert "no epoch is served" in str(refusal.value)


def test_a_new_epoch_thaws():
    """Frozen says why no epoch follows, so it ends when one does."""
    frozen = served(1).freeze(1, 1, "no budget left")

    assert frozen.frozen == "no budget left"
    assert frozen.publish(1, 2, frozenset()).frozen is None


@pytest.mark.parametrize(
    "act",
    [
        lambda shelf: shelf.publish(1, 9, frozenset()),
        lambda shelf: shelf.freeze(1, 2, None),
        lambda shelf: shelf.remember(1, 2, {}),
    ],
    ids=["publish", "freeze", "remember"],
)
def test_a_stale_curator_changes_nothing(act):
    """Whatever it tries."""
    shelf = served(1).publish(2, 2, frozenset())

    with pytest.raises(Fenced):
        act(shelf)


@pytest.mark.parametrize(
    ("epochs", "size", "kept"),
    [
        (0, 99, set()),
        (1, 99, {3, 4}),
        (2, 99, {2, 3, 4}),
        (9, 99, {1, 2, 3, 4}),
        (9, 0, {4}),  # that one is served, and there whatever the history may have
        (9, 10, {3, 4}),
        (9, 29, {3, 4}),
        (9, 30, {2, 3, 4}),
    ],
)
def test_the_newest_epochs_stay_until_there_are_too_many_or_they_are_too_large(
    epochs, size, kept
):
    """Epoch 1 would fit when epoch 2 does not, and still goes: none is left out."""
    sizes = {1: 1, 2: 20, 3: 10, 4: 1_000}

    assert HistoryLimits(epochs, size).kept(sizes) == kept


def test_the_numbers_of_an_epoch_stay_as_long_as_the_limits_say():
    """Other limits hold from the next epoch on, for what was kept before as well."""
    shelf, limits = Shelf(), HistoryLimits(2, 99)
    for epoch in (1, 2, 3, 5):
        shelf = shelf.publish(1, epoch, frozenset({f"a{epoch}"}), 10, limits)
    kept = {epoch: (each.names, each.size) for epoch, each in shelf.past.items()}

    shelf = shelf.publish(1, 6, frozenset(), 10, HistoryLimits(1, 99))

    assert kept == {epoch: ({f"a{epoch}"}, 10) for epoch in (2, 3, 5)}
    assert list(shelf.past) == [5, 6]
