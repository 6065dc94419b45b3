"""Named faults of the core: each breaks what one claim of the paper says.

A claim is only tested if some fault against it turns its test red. ``mutate`` applies
each of these to a copy, and ``test_mutations`` holds that every one is seen.
"""

from typing import NamedTuple


class Mutation(NamedTuple):
    """One fault.

    Attributes:
        name: what goes wrong, in words.
        file: where, below ``sigmacount/``.
        old: text that stands there exactly once.
        new: what takes its place.
        test: the test file that must fail, below ``tests/``.
    """

    name: str
    file: str
    old: str
    new: str
    test: str


ALGORITHM_1 = "theorems/test_algorithm_1_benchmark.py"
ALGORITHM_2 = "theorems/test_algorithm_2_sigma_counting.py"
ALGORITHM_3 = "theorems/test_algorithm_3_grouped.py"
ALGORITHM_4 = "theorems/test_algorithm_4_online.py"
ALGORITHM_5 = "theorems/test_algorithm_5_evolving.py"
THEOREM_1 = "theorems/test_theorem_1_monotone.py"
THEOREM_2 = "theorems/test_theorem_2_sigma_counting.py"
THEOREM_3 = "theorems/test_theorem_3_grouped.py"
THEOREM_4 = "theorems/test_theorem_4_online.py"
THEOREM_5 = "theorems/test_theorem_5_evolving.py"
UTILITY = "core/test_cost.py"

MUTATIONS = (
    Mutation(
        "all queries of the benchmark share one draw",
        "counting.py",
        "return noisy(truth, noise.draw(len(queries)))",
        "return noisy(truth, noise.draw(1))",
        ALGORITHM_1,
    ),
    Mutation(
        "the benchmark is clamped",
        "counting.py",
        "return noisy(truth, noise.draw(len(queries)))",
        "return clamp(noisy(truth, noise.draw(len(queries))))",
        ALGORITHM_1,
    ),
    Mutation(
        "the budget is checked before the price is added",
        "ledger.py",
        "if charge.asked > left:",
        "if left <= 0:",
        ALGORITHM_1,
    ),
    Mutation(
        "noise is redrawn for every query",
        "counting.py",
        "    return totals(algebra, released, queries)",
        "    truth = tally(algebra, codes, counts)\n"
        "    renewed = [perturb(truth, noise, postprocess) for _ in queries]\n"
        "    pairs = zip(renewed, queries)\n"
        "    return np.concatenate([totals(algebra, r, [q]) for r, q in pairs])",
        ALGORITHM_2,
    ),
    Mutation(
        "the algebra is not the smallest",
        "counting.py",
        "algebra = Algebra.induced_by(queries[0].schema, queries)",
        "schema = queries[0].schema\n"
        "    algebra = Algebra.full(schema, range(len(schema.sizes)))",
        ALGORITHM_2,
    ),
    Mutation(
        "the clamp of equation 5 is removed",
        "postprocess.py",
        "return np.maximum(values, 0)\n",
        "return values\n",
        ALGORITHM_2,
    ),
    Mutation(
        "all clusters share one algebra",
        "counting.py",
        "sigma_counting(cluster, codes, counts, noise, postprocess)",
        "sigma_counting([q for c in clusters for q in c], codes, counts, noise,"
        " postprocess)[: len(cluster)]",
        ALGORITHM_3,
    ),
    Mutation(
        "all clusters share one noise",
        "counting.py",
        "    return [\n        sigma_counting(cluster",
        "    class Same:\n"
        "        drawn = noise.draw(5)\n"
        "        def draw(self, size):\n"
        "            return self.drawn[:size]\n"
        "    noise = Same()\n"
        "    return [\n        sigma_counting(cluster",
        ALGORITHM_3,
    ),
    Mutation(
        "a query is clustered by its first attribute alone",
        "demand.py",
        "sum(bit[i] for i in s.active) for s in shapes",
        "sum(bit[i] for i in s.active[:1]) for s in shapes",
        ALGORITHM_3,
    ),
    Mutation(
        "ties go by the order of the plan",
        "groups.py",
        "return self.algebra.size * self.variance, self.id",
        'return self.algebra.size * self.variance, ""',
        ALGORITHM_4,
    ),
    Mutation(
        "the last group that holds a query answers it",
        "online.py",
        "self._groups[(members & -members).bit_length() - 1]",
        "self._groups[members.bit_length() - 1]",
        ALGORITHM_4,
    ),
    Mutation(
        "merged groups are not asked",
        "online.py",
        "[*self._by_product(query), *self._by_merging(query)]",
        "[*self._by_product(query)]",
        ALGORITHM_4,
    ),
    Mutation(
        "the group of another schema answers",
        "online.py",
        "if query.schema.fingerprint != schema.fingerprint:",
        "if False:",
        ALGORITHM_4,
    ),
    Mutation(
        "deltas join the clamped count",
        "evolving.py",
        "return truth + noise",
        "return np.maximum(truth + noise, 0)",
        ALGORITHM_5,
    ),
    Mutation(
        "fixed noise is redrawn at every epoch",
        "evolving.py",
        "        return 0\n",
        "        return epoch\n",
        ALGORITHM_5,
    ),
    Mutation(
        "an atom may be negative",
        "postprocess.py",
        "return np.maximum(values, 0)\n",
        "return values\n",
        THEOREM_1,
    ),
    Mutation(
        "the projection leaves the simplex",
        "postprocess.py",
        "rounded = np.maximum(values - (whole + 1), 0)",
        "rounded = values - (whole + 1)",
        THEOREM_1,
    ),
    Mutation(
        "post-processing is forgotten",
        "counting.py",
        "return postprocess(noisy(truth, noise.draw(truth.size)))",
        "return noisy(truth, noise.draw(truth.size))",
        THEOREM_1,
    ),
    Mutation(
        "the paper's charge forgets |Ω|",
        "composition.py",
        "return atoms * micro_epsilon",
        "return micro_epsilon",
        THEOREM_2,
    ),
    Mutation(
        "the bound forgets that an answer sums atoms",
        "cost.py",
        "return paid * math.sqrt(max(atoms))",
        "return float(paid)",
        THEOREM_2,
    ),
    Mutation(
        "the smallest algebra sets the bound",
        "cost.py",
        "return paid * math.sqrt(max(atoms))",
        "return paid * math.sqrt(min(atoms))",
        THEOREM_3,
    ),
    Mutation(
        "several algebras cost their dearest",
        "composition.py",
        "return sum(cost_of_algebra",
        "return max(cost_of_algebra",
        THEOREM_3,
    ),
    Mutation(
        "the share of fresh queries is forgotten",
        "cost.py",
        "return theorem_3(rule, atoms) / (1 - left_over)",
        "return theorem_3(rule, atoms)",
        THEOREM_4,
    ),
    Mutation(
        "the share of fresh queries lowers the bound",
        "cost.py",
        "return theorem_3(rule, atoms) / (1 - left_over)",
        "return theorem_3(rule, atoms) * (1 - left_over)",
        THEOREM_4,
    ),
    Mutation(
        "the surcharge has no logarithm",
        "evolving.py",
        "price = math.log1p(rho * math.expm1(shown))",
        "price = rho * math.expm1(shown)",
        THEOREM_5,
    ),
    Mutation(
        "the first epoch is surcharged too",
        "evolving.py",
        "return micro_epsilon + surcharge((epochs - 1) * micro_epsilon, rho)",
        "return micro_epsilon + surcharge(epochs * micro_epsilon, rho)",
        THEOREM_5,
    ),
    Mutation(
        "the surcharge is rounded down",
        "evolving.py",
        "return math.ceil(price * units.MICRO * UPWARD)",
        "return math.floor(price * units.MICRO)",
        THEOREM_5,
    ),
    Mutation(
        "an epoch is charged for itself alone",
        "evolving.py",
        "due = surcharge(repeated + released, self.rho) - surcharged",
        "due = surcharge(released, self.rho)",
        THEOREM_5,
    ),
    Mutation(
        "utility is the inverse of the mean error",
        "cost.py",
        "return float(np.average(2 / np.asarray(variances, float), weights=weights))",
        "return float(2 / np.average(np.asarray(variances, float), weights=weights))",
        UTILITY,
    ),
)
