"""Faults that the tests of Theorems 1 to 5 and of what they rest on must see."""

from tests.theorems.mutation import Mutation

THEOREM_1 = "theorems/test_theorem_1_monotone.py"
THEOREM_2 = "theorems/test_theorem_2_sigma_counting.py"
THEOREM_3 = "theorems/test_theorem_3_grouped.py"
THEOREM_4 = "theorems/test_theorem_4_online.py"
THEOREM_5 = "theorems/test_theorem_5_evolving.py"
COMPOSITION = "core/test_composition.py"
UTILITY = "core/test_theorems.py"
EVOLVING = "core/test_evolving.py"
PROMISE = "core/test_guarantee.py"
VAULT = "core/test_vault.py"
AMOUNT = "core/test_amount.py"

FAULTS = (
    Mutation(
        "an atom may be negative",
        "release/postprocess.py",
        "return np.maximum(values, 0)\n",
        "return values\n",
        THEOREM_1,
    ),
    Mutation(
        "the projection leaves the simplex",
        "release/postprocess.py",
        "rounded = np.maximum(values - (whole + 1), 0)",
        "rounded = values - (whole + 1)",
        THEOREM_1,
    ),
    Mutation(
        "post-processing is forgotten",
        "release/algorithms.py",
        "return postprocess(with_noise(truth, noise.draw(truth.size)))",
        "return with_noise(truth, noise.draw(truth.size))",
        THEOREM_1,
    ),
    Mutation(
        "the paper's charge forgets |Ω|",
        "accounting/composition.py",
        "return atoms if Composition(rule) is PAPER else 1",
        "return 1",
        THEOREM_2,
    ),
    Mutation(
        "the bound forgets that an answer sums atoms",
        "planner/theorems.py",
        "return paid * math.sqrt(max(atoms))",
        "return float(paid)",
        THEOREM_2,
    ),
    Mutation(
        "the smallest algebra sets the bound",
        "planner/theorems.py",
        "return paid * math.sqrt(max(atoms))",
        "return paid * math.sqrt(min(atoms))",
        THEOREM_3,
    ),
    Mutation(
        "several algebras cost their dearest",
        "accounting/composition.py",
        "return sum(costs, Amount(measure, 0))",
        "return max(costs, default=Amount(measure, 0))",
        COMPOSITION,
    ),
    Mutation(
        "the share of fresh queries is forgotten",
        "planner/theorems.py",
        "return theorem_3(rule, atoms) / (1 - left_over)",
        "return theorem_3(rule, atoms)",
        THEOREM_4,
    ),
    Mutation(
        "the share of fresh queries lowers the bound",
        "planner/theorems.py",
        "return theorem_3(rule, atoms) / (1 - left_over)",
        "return theorem_3(rule, atoms) * (1 - left_over)",
        THEOREM_4,
    ),
    Mutation(
        "the surcharge has no logarithm",
        "accounting/evolving/surcharge.py",
        "price = math.log1p(rho * math.expm1(shown))",
        "price = rho * math.expm1(shown)",
        THEOREM_5,
    ),
    Mutation(
        "the first epoch is surcharged too",
        "accounting/evolving/surcharge.py",
        "return price + surcharge((epochs - 1) * price, rho)",
        "return price + surcharge(epochs * price, rho)",
        THEOREM_5,
    ),
    Mutation(
        "the surcharge is rounded down",
        "accounting/evolving/surcharge.py",
        "return math.ceil(price * MICRO * UPWARD)",
        "return math.floor(price * MICRO)",
        THEOREM_5,
    ),
    Mutation(
        "an epoch is charged for itself alone",
        "accounting/evolving/rules.py",
        "due = surcharge(again, self.rho)",
        "due = exposure.surcharged + surcharge(repeats, self.rho)",
        THEOREM_5,
    ),
    Mutation(
        "utility is the inverse of the mean error",
        "planner/theorems.py",
        "return float(np.average(2 / np.asarray(variances, float), weights=weights))",
        "return float(2 / np.average(np.asarray(variances, float), weights=weights))",
        UTILITY,
    ),
    Mutation(
        "renewed noise is not renewed",
        "accounting/evolving/rules.py",
        "        return epoch\n",
        "        return 0\n",
        EVOLVING,
    ),
    Mutation(
        "exact changes are not admitted",
        "accounting/guarantees/in_epsilon.py",
        'promise["changes_are_exact"] = True',
        'promise["changes_are_exact"] = False',
        PROMISE,
    ),
    Mutation(
        "a later draw replaces the first",
        "models/vault.py",
        "kept = held.setdefault((unit, generation), offered)",
        "kept = held[unit, generation] = offered",
        VAULT,
    ),
    Mutation(
        "a pure charge is rounded down to whole pico-ρ",
        "mechanisms/amount.py",
        "return Amount.zcdp((self.units**2 + 1) // 2)",
        "return Amount.zcdp(self.units**2 // 2)",
        AMOUNT,
    ),
    Mutation(
        "a charge of ρ is taken for one of ε",
        "mechanisms/amount.py",
        "if held is Measure.EPSILON:",
        "if held is None:",
        AMOUNT,
    ),
    Mutation(
        "amounts of two measures mix",
        "mechanisms/amount.py",
        "if self.measure is not other.measure:",
        "if self.measure is other:",
        AMOUNT,
    ),
)
