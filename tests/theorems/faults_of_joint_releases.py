"""Faults of joint releases: their price, their one noise, their fit, their order."""

from tests.theorems.mutation import Mutation

ORDER = "theorems/test_joint_order.py"
MEASUREMENT = "core/test_measurement.py"
STRATEGIES = "core/test_set_strategies.py"
VAULT = "core/test_vault.py"

FAULTS = (
    Mutation(
        "Δ² off by one: all contrasts alike",
        "contrasts/strategies/isotropic.py",
        "return math.prod(b * (b - 1) for b in self.shape if b > BINARY)",
        "return max(1, math.prod(b * (b - 1) for b in self.shape if b > BINARY) - 1)",
        MEASUREMENT,
    ),
    Mutation(
        "Δ² off by one: a matrix for each attribute",
        "contrasts/strategies/product.py",
        "(factor**2).sum(0).max()) for",
        "(factor**2).sum(0).max()) - 1 for",
        STRATEGIES,
    ),
    Mutation(
        "Δ² off by one: a weighted set",
        "contrasts/strategies/weighted.py",
        "int(norms.max())",
        "int(norms.max()) - 1",
        STRATEGIES,
    ),
    Mutation(
        "statistical instead of workload weights",
        "fitting/norm.py",
        "self.weights[entries] = weights.get(each, 0.0) * shape",
        "self.weights[entries] = (each in weights) * (\n"
        "                1 / np.diag(covariances[each].matrix())\n"
        "                if each in covariances else shape\n"
        "            )",
        "core/test_fit.py",
    ),
    Mutation(
        "phase 2 left out",
        "fitting/fit.py",
        "steps = self._lift(splitting, steps, watch)",
        "pass",
        "core/test_fit_limits.py",
    ),
    Mutation(
        "a second noise for one key",
        "models/vault.py",
        "kept = held.setdefault((unit, generation), offered)",
        "kept = offered",
        VAULT,
    ),
    Mutation(
        "a second σ for one key",
        "contrasts/measurement.py",
        "about = part.attributes, part.strategy.key, part.deviation.hex()",
        "about = part.attributes, part.strategy.key",
        MEASUREMENT,
    ),
    Mutation(
        "estimates are released as they are",
        "fitting/fit.py",
        "self._at.by_set(found).items()",
        "self._at.by_set(vector).items()",
        ORDER,
    ),
    Mutation(
        "tables are rounded apart",
        "fitting/whole.py",
        "exact = b * exact - exact.sum(axis, keepdims=True)",
        "exact = b * exact",
        ORDER,
    ),
)
