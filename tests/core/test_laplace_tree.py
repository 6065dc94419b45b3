"""Continual counts of pure ε: which blocks make a count up, and what they cost."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from sigmacount.continual import Block, LaplaceTree
from sigmacount.errors import MeasureMismatch
from sigmacount.mechanisms import Amount

SMALL = pytest.mark.parametrize(
    "tree",
    [LaplaceTree(k) for k in [(), (2,), (5,), (3, 4), (4, 2, 3)]],
    ids=lambda tree: str(tree.radices),
)


def holds(tree, block, epoch):
    """Whether an epoch, the first is 0, lies in the block."""
    return epoch // tree.sizes[block.level] == block.place


@SMALL
def test_a_count_is_the_signed_sum_of_its_blocks(tree):
    """Whatever happened in an epoch counts once up to it, and not at all before.

    What blocks that are taken away hold of the future cancels.
    """
    for epoch in range(1, 40):
        blocks = tree.blocks(epoch)
        for happened in range(70):
            counted = sum(s for b, s in blocks.items() if holds(tree, b, happened))
            assert counted == (happened < epoch)


@SMALL
def test_a_change_lies_in_one_block_of_each_level(tree):
    """So all blocks together move by h in the L1 norm, and the noise is for that."""
    used = {block for epoch in range(1, 80) for block in tree.blocks(epoch)}

    for happened in range(80):
        levels = [b.level for b in used if holds(tree, b, happened)]
        assert len(set(levels)) == len(levels) <= tree.levels

    assert tree.noise(Amount.pure(500_000)).sensitivity == tree.levels
    assert tree.noise(Amount.pure(500_000)).price == Amount.pure(500_000)


def fewest(tree, last):
    """How many blocks lead from 0 to each epoch, by the shortest way there is."""
    end = 2 * last
    reached, waiting = {0: 0}, deque([0])
    while waiting:
        at = waiting.popleft()
        for size in tree.sizes:
            for to in (at + size, at - size):
                if at % size == 0 and 0 <= to <= end and to not in reached:
                    reached[to] = reached[at] + 1
                    waiting.append(to)
    return [reached[epoch] for epoch in range(1, last + 1)]


@SMALL
def test_no_count_could_do_with_fewer(tree):
    """Against a search of all ways."""
    found = [len(tree.blocks(epoch)) for epoch in range(1, 150)]

    assert found == fewest(tree, 149)


@SMALL
def test_a_block_is_not_needed_after_its_last_epoch(tree):
    """Its noise may be forgotten then; the top level's never."""
    for epoch in range(1, 200):
        for block in tree.blocks(epoch):
            last = tree.last_epoch(block)
            assert (last is None) == (block.level == tree.levels - 1)
            assert last is None or epoch <= last


@pytest.mark.parametrize(
    ("epochs", "mean", "most"),
    [
        (16, 17, 32),
        (64, 45, 80),
        (256, 90, 176),
        (1_024, 170, 324),
        (4_096, 270, 522),
    ],
)
def test_the_variance_over_a_horizon(epochs, mean, most):
    """2h² a block in units of 1/ε²: mean and worst."""
    tree = LaplaceTree.for_epochs(epochs)
    each = [2 * tree.levels**2 * len(tree.blocks(t)) for t in range(1, epochs + 1)]

    assert round(np.mean(each)) == mean
    assert max(each) == most


@pytest.mark.parametrize(
    ("epochs", "mean"), [(8_766, 350), (16_384, 427), (525_960, 998)]
)
def test_the_variance_over_many_epochs(epochs, mean):
    """By a sample of epochs: within 15 % of the best tree for just so many."""
    tree = LaplaceTree.for_epochs(epochs)
    epoch = np.linspace(1, epochs, 500).astype(int)

    found = np.mean([2 * tree.levels**2 * len(tree.blocks(int(t))) for t in epoch])

    assert 0.95 * mean <= found <= 1.15 * mean


def test_the_variance_is_that_of_the_discrete_law():
    """Blocks times the variance of one."""
    tree, price = LaplaceTree((12, 14)), Amount.pure(1_000_000)

    assert tree.variance(price, 3) == 3 * tree.noise(price).variance
    assert tree.variance(price, 3) == pytest.approx(3 * 18, rel=0.02)


def test_blocks_are_numbered_apart():
    """No two keep their noise in one place."""
    tree = LaplaceTree((3, 4))
    blocks = {block for epoch in range(1, 300) for block in tree.blocks(epoch)}

    assert len({block.number for block in blocks}) == len(blocks)
    assert Block(2, 5).number == 2 * 2**40 + 5


def test_only_pure_epsilon_is_spent_on_it():
    """The pointwise argument is Laplace's alone."""
    with pytest.raises(MeasureMismatch):
        LaplaceTree((5,)).noise(Amount.zcdp(10))


def test_what_is_no_tree_or_no_epoch_is_refused():
    """The caller mends it."""
    with pytest.raises(ValueError, match="at least two blocks"):
        LaplaceTree((5, 1))
    with pytest.raises(ValueError, match="first epoch is 1"):
        LaplaceTree((5,)).blocks(0)
    with pytest.raises(ValueError, match="at least one epoch"):
        LaplaceTree.for_epochs(0)


def outcomes(tree, price, came):
    """Mass of every outcome of four epochs, all noise from −8 to 8 enumerated.

    ``came`` says by the first outcome when a row comes, or that none does.
    """
    blocks = [tree.blocks(epoch) for epoch in range(1, 5)]
    used = sorted({block for each in blocks for block in each})
    values = np.arange(-8, 9)
    drawn = np.meshgrid(*[values] * len(used), indexing="ij")
    noise = dict(zip(used, (each.ravel() for each in drawn), strict=True))
    rate = tree.noise(price).rate
    mass = np.exp(-rate * sum(np.abs(w) for w in noise.values()))
    carried = [sum(s * noise[b] for b, s in each.items()) for each in blocks]
    when = came(carried[0])
    code = sum((z + (when <= t)) * 1_000**t for t, z in enumerate(carried, 1))
    inside = np.max(np.abs(list(noise.values())), 0) <= 6  # so is its neighbour
    return mass, code, inside


@pytest.mark.parametrize(
    "came",
    [
        lambda first: np.full(first.shape, 2),
        lambda first: np.where(first > 0, 2, 4),
        lambda first: np.where(first % 2 == 0, 3, 2),
    ],
    ids=["at the second", "by sign", "by parity"],
)
def test_no_outcome_says_more_than_epsilon(came):
    """Theorem T3 by enumeration: a block is taken away, the row comes adaptively.

    The third count is all four epochs less the fourth: noise of the future is in it.
    """
    tree, price = LaplaceTree((4,)), Amount.pure(1_000_000)
    assert tree.blocks(3) == {Block(1, 0): 1, Block(0, 3): -1}
    mass, code, inside = outcomes(tree, price, lambda first: np.full(first.shape, 9))
    chance = dict(zip(code.tolist(), mass.tolist(), strict=True))
    assert len(chance) == code.size  # an outcome comes of one noise

    other, changed, _ = outcomes(tree, price, came)

    lost = [
        abs(np.log(m / chance[c]))
        for m, c in zip(other[inside], changed[inside].tolist(), strict=True)
    ]
    assert max(lost) == pytest.approx(1)  # all of ε, never more


@pytest.mark.parametrize("radices", [(), (12,), (12, 14), (3, 2, 4)])
@pytest.mark.parametrize("epochs", [1, 11, 12, 13, 500])
def test_all_epochs_need_as_many_blocks_as_each(radices, epochs):
    """All at once, however many; there is none of no epoch."""
    tree = LaplaceTree(radices)
    each = [len(tree.blocks(epoch)) for epoch in range(1, epochs + 1)]

    assert tree.block_counts(epochs).tolist() == [0, *each]
    with pytest.raises(ValueError, match="at least one epoch, not 0"):
        tree.block_counts(0)


def test_a_rated_number_of_epochs_is_rated_for_itself():
    """So that it can be written down in the place of what was asked for."""
    for epochs in (1, 40, 1_000, 8_766, 2**26):
        rated = LaplaceTree.rated(epochs)
        assert LaplaceTree.rated(rated) == rated
        assert LaplaceTree.for_epochs(rated) == LaplaceTree.for_epochs(epochs)
