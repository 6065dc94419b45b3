"""Vault: what was drawn first stays."""

from __future__ import annotations

import pytest

from sigmacount.errors import Fenced
from sigmacount.models import NoiseName
from sigmacount.models.vault import StoredNoise, Vault


def of(*noise: int, key: bytes | None = b"k") -> StoredNoise:
    """Noise with a key."""
    return StoredNoise(noise, key)


def test_the_first_draw_stays():
    """Whatever is offered later under the same name."""
    vault = Vault().put(1, 0, {"g": of(1, 2)})
    vault = vault.put(2, 0, {"g": of(3, 4, key=b"l"), "h": of(5)})

    assert dict(vault.held) == {("g", 0): of(1, 2), ("h", 0): of(5)}


def test_noise_without_a_key_takes_the_first_that_is_offered():
    """It is older than the keys."""
    vault = Vault().put(1, 0, {"g": of(1, key=None)}).put(1, 0, {"g": of(2)})

    assert dict(vault.held) == {("g", 0): of(1)}


def test_each_generation_has_its_own():
    """A rule that renews noise draws again in the next generation."""
    vault = Vault().put(1, 0, {"g": of(1)}).put(1, 1, {"g": of(2)})

    assert dict(vault.held) == {("g", 0): of(1), ("g", 1): of(2)}


def test_a_stale_curator_keeps_nothing():
    """Its noise might be released beside the newer curator's."""
    with pytest.raises(Fenced):
        Vault().put(2, 0, {}).put(1, 0, {"g": of(1)})


def test_what_is_dropped_is_gone_and_nothing_else():
    """Twice as well as once; by a stale curator not at all."""
    vault = Vault().put(2, 0, {"g": of(1), "h": of(2)}).put(2, 1, {"g": of(3)})

    after = vault.drop(2, [("g", 0)])

    assert dict(after.held) == {("h", 0): of(2), ("g", 1): of(3)}
    assert after.drop(3, [("g", 0), ("x", 7)]).held == after.held
    with pytest.raises(Fenced):
        vault.drop(1, [("g", 0)])


@pytest.mark.parametrize(
    ("name", "question"),
    [
        (NoiseName("q-ab+3", 0), NoiseName("q-ab", 0)),
        (NoiseName("t-ab", 7, 2), NoiseName("t-ab", 7)),
        (NoiseName("g", 7), None),
    ],
)
def test_all_noises_of_a_question_have_one_name_in_common(name, question):
    """However often it was forgotten or lost; a group is no question."""
    assert name.question == question


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (NoiseName("q-ab-20", 0), "q-ab-20:0"),
        (NoiseName("g", 7), "g:7"),
        (NoiseName("a:b", 7, 2), "a:b:7.2"),
    ],
)
def test_a_name_is_spelled_and_read(name, text):
    """As before where nothing was lost."""
    assert str(name) == text
    assert NoiseName.parse(text) == name


@pytest.mark.parametrize(
    ("charge_id", "name"),
    [
        ("group:g:0", NoiseName("g", 0)),
        ("fresh:q-ab-20:7.1", NoiseName("q-ab-20", 7, 1)),
        ("again:q-ab-20:7", None),
        ("epoch:3:10000", None),
        ("group:g", None),
        ("plan-1/group", None),
    ],
)
def test_a_charge_tells_which_noise_it_paid_for(charge_id, name):
    """Showing noise again draws none."""
    assert NoiseName.paid_by(charge_id) == name


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        (NoiseName("g:7.2", 1_024), NoiseName("g", 7, 2)),
        (NoiseName("g", 7, 2), NoiseName("g", 7, 2)),
        (NoiseName("q-ab-gaussian-0x1.8p+1/3", 0),) * 2,
    ],
)
def test_noise_of_many_draws_owns_each_of_them(name, owner):
    """The unit of such a draw is the whole name of what it is part of."""
    assert name.owner == owner
    assert owner.owner == owner


@pytest.mark.parametrize("text", ["", "g", "g:", "g:x", "g:1.x"])
def test_what_spells_no_name_is_refused(text):
    """It did not come from us."""
    with pytest.raises(ValueError, match="invalid literal"):
        NoiseName.parse(text)
