"""Faults of continual counting: rounding, feedback, price, end, blocks, storage."""

from tests.theorems.mutation import Mutation

HORIZONS = "core/test_horizons.py"
COUNTERS = "core/test_counters.py"
WEIGHTS = "core/test_noise_weights.py"
NOISE = "core/test_continual_noise.py"
OVERLAPS = "core/test_overlaps.py"
CHANGES = "core/test_changes.py"
TREE = "core/test_laplace_tree.py"
KEPT = "core/test_kept_counters.py"
TICKS = "core/test_ticks_model.py"
AGES = "core/test_ages.py"

FAULTS = (
    Mutation(
        "a buffer that rounds toward zero",
        "continual/counters.py",
        "held - (held >> k)",
        "held - np.sign(held) * (abs(held) >> k)",
        COUNTERS,
    ),
    Mutation(
        "feedback that comes a tick late",
        "continual/counters.py",
        "buffers[i] = _added(held - (held >> k), _times(gain, moved))",
        "buffers[i] = _added(held - (held >> k), _times(gain, self.noise))",
        COUNTERS,
    ),
    Mutation(
        "a counter without an end",
        "continual/counters.py",
        "if self.tick >= LAST_TICK:",
        "if self.tick > LAST_TICK:",
        COUNTERS,
    ),
    Mutation(
        "a sum that wraps around",
        "continual/counters.py",
        "(other ^ total) < 0).any()",
        "(other ^ total) < 0).all() and total.size > 1",
        COUNTERS,
    ),
    Mutation(
        "a weight that nobody recomputed",
        "continual/horizons.py",
        "1323447",
        "1323448",
        HORIZONS,
    ),
    Mutation(
        "a vector charged without its squares",
        "continual/noise.py",
        "return DiscreteGaussian(scale, norm * self.squared_sensitivity)",
        "return DiscreteGaussian(scale, norm)",
        NOISE,
    ),
    Mutation(
        "a price of the first tick alone",
        "continual/horizons.py",
        "return self.squared_norm << (2 * self.lattice_bits - NORM_BITS)",
        "return 1 << (2 * self.lattice_bits)",
        NOISE,
    ),
    Mutation(
        "a variance that forgets what lasts for ever",
        "continual/noise_weights.py",
        "forever, ticks, -np",
        "forever, 0, -np",
        WEIGHTS,
    ),
    Mutation(
        "κ without what disagrees",
        "continual/overlaps.py",
        "without + apart * holding)",
        "without)",
        OVERLAPS,
    ),
    Mutation(
        "many changes at the price of one",
        "accounting/guarantees/changes.py",
        "times = (1 + Fraction(overlap)) * changes",
        "times = (1 + Fraction(overlap))",
        CHANGES,
    ),
    Mutation(
        "a block taken away as if it were added",
        "continual/tree.py",
        "-1 for i in range(end, edge + radix)",
        "1 for i in range(end, edge + radix)",
        TREE,
    ),
    Mutation(
        "blocks priced as one level",
        "continual/tree.py",
        "DiscreteLaplace(price, sensitivity=self.levels)",
        "DiscreteLaplace(price)",
        TREE,
    ),
    Mutation(
        "a tick drawn twice for one epoch",
        "models/ticks.py",
        "if served == epoch:",
        "if served > epoch:",
        TICKS,
    ),
    Mutation(
        "one tick for two epochs",
        "continual/kept.py",
        "if tick == self.now.tick and epoch == self.epoch:",
        "if tick == self.now.tick:",
        KEPT,
    ),
    Mutation(
        "a state that is a tick too old",
        "continual/kept.py",
        "now.tick % FOLD_EVERY else now",
        "now.tick % FOLD_EVERY else self.now",
        KEPT,
    ),
    Mutation(
        "a store that is taken as it is",
        "continual/kept.py",
        "place < 0 or self.epochs[place] != epoch",
        "place < -FOLD_EVERY",
        KEPT,
    ),
    Mutation(
        "one age for all units",
        "release/ages.py",
        "tick = self.ticks[unit]",
        "tick = max(self.ticks.values())",
        AGES,
    ),
    Mutation(
        "an error that forgets what all ticks cost",
        "release/ages.py",
        "return CounterLaw(counted_for_ever(mechanism, horizon).deviation, squares)",
        "return CounterLaw(mechanism.scale, squares)",
        AGES,
    ),
    Mutation(
        "a squared norm that is rounded down",
        "continual/horizons.py",
        "3436888337",
        "3436888336",
        HORIZONS,
    ),
    Mutation(
        "contrasts priced as if a row moved one of them",
        "continual/noise.py",
        "ContinualNoise(horizon, p.deviation, p.strategy.squared_sensitivity)",
        "ContinualNoise(horizon, p.deviation, 1)",
        NOISE,
    ),
    Mutation(
        "the variance of the tick before",
        "continual/noise_weights.py",
        "NoiseWeights.of(horizon).squares(tick)\n\n\ndef mean",
        "NoiseWeights.of(horizon).squares(tick - 1)\n\n\ndef mean",
        WEIGHTS,
    ),
    Mutation(
        "two blocks of one number",
        "continual/tree.py",
        "return (self.level << LEVEL_BITS) + self.place",
        "return self.level + self.place",
        TREE,
    ),
    Mutation(
        "a block forgotten while it is needed",
        "continual/tree.py",
        "return (block.place // radix + 1) * radix",
        "return (block.place // radix) * radix",
        TREE,
    ),
    Mutation(
        "a stored tick beyond the last",
        "models/ticks.py",
        "if offer.tick > LAST_TICK:",
        "if offer.tick > 2 * LAST_TICK:",
        TICKS,
    ),
    Mutation(
        "a tick put away that may have to be shown again",
        "continual/kept.py",
        "self.folded < self.aside.tick < shown:",
        "self.folded < self.aside.tick <= shown:",
        KEPT,
    ),
)
