"""Faults that the tests of Algorithms 1 to 5 must see."""

from tests.theorems.mutation import Mutation

ALGORITHM_1 = "theorems/test_algorithm_1_benchmark.py"
ALGORITHM_2 = "theorems/test_algorithm_2_sigma_counting.py"
ALGORITHM_3 = "theorems/test_algorithm_3_grouped.py"
ALGORITHM_4 = "theorems/test_algorithm_4_online.py"
ALGORITHM_5 = "theorems/test_algorithm_5_evolving.py"

FAULTS = (
    Mutation(
        "all queries of the benchmark share one draw",
        "release/algorithms.py",
        "return with_noise(truth, noise.draw(len(queries)))",
        "return with_noise(truth, noise.draw(1))",
        ALGORITHM_1,
    ),
    Mutation(
        "the benchmark is clamped",
        "release/algorithms.py",
        "return with_noise(truth, noise.draw(len(queries)))",
        "return clamp(with_noise(truth, noise.draw(len(queries))))",
        ALGORITHM_1,
    ),
    Mutation(
        "the budget is checked before the price is added",
        "models/ledger.py",
        "if charge.asked > left:",
        "if left <= 0:",
        ALGORITHM_1,
    ),
    Mutation(
        "noise is redrawn for every query",
        "release/algorithms.py",
        "    return totals(algebra, released, queries)",
        "    truth = tally(algebra, codes, counts)\n"
        "    renewed = [perturb(truth, noise, postprocess) for _ in queries]\n"
        "    pairs = zip(renewed, queries)\n"
        "    return np.concatenate([totals(algebra, r, [q]) for r, q in pairs])",
        ALGORITHM_2,
    ),
    Mutation(
        "the algebra is not the smallest",
        "release/algorithms.py",
        "algebra = Algebra.induced_by(queries[0].schema, queries)",
        "schema = queries[0].schema\n"
        "    algebra = Algebra.full(schema, range(len(schema.sizes)))",
        ALGORITHM_2,
    ),
    Mutation(
        "the clamp of equation 5 is removed",
        "release/postprocess.py",
        "return np.maximum(values, 0)\n",
        "return values\n",
        ALGORITHM_2,
    ),
    Mutation(
        "all clusters share one algebra",
        "release/algorithms.py",
        "sigma_counting(cluster, codes, counts, noise, postprocess)",
        "sigma_counting([q for c in clusters for q in c], codes, counts, noise,"
        " postprocess)[: len(cluster)]",
        ALGORITHM_3,
    ),
    Mutation(
        "all clusters share one noise",
        "release/algorithms.py",
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
        "sets/algebras/workload.py",
        "sum(bit[i] for i in s.active) for s in shapes",
        "sum(bit[i] for i in s.active[:1]) for s in shapes",
        ALGORITHM_3,
    ),
    Mutation(
        "ties go by the order of the plan",
        "release/group.py",
        "return self.total_variance, self.id",
        'return self.total_variance, ""',
        ALGORITHM_4,
    ),
    Mutation(
        "the last group that holds a query answers it",
        "release/answers/router.py",
        "self._groups[(members & -members).bit_length() - 1]",
        "self._groups[members.bit_length() - 1]",
        ALGORITHM_4,
    ),
    Mutation(
        "merged groups are not asked",
        "release/answers/router.py",
        "[*self._by_product(query), *self._by_merging(query)]",
        "[*self._by_product(query)]",
        ALGORITHM_4,
    ),
    Mutation(
        "the group of another schema answers",
        "release/answers/router.py",
        "if query.schema.fingerprint != schema.fingerprint:",
        "if False:",
        ALGORITHM_4,
    ),
    Mutation(
        "deltas join the clamped count",
        "accounting/evolving/rules.py",
        "return truth + noise",
        "return np.maximum(truth + noise, 0)",
        ALGORITHM_5,
    ),
    Mutation(
        "fixed noise is redrawn at every epoch",
        "accounting/evolving/rules.py",
        "        return self.era\n",
        "        return epoch\n",
        ALGORITHM_5,
    ),
)
