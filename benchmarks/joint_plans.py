"""Joint plans of both families, and the epochs that they are released in.

Rows are made up, each attribute by itself and uneven, as many as UCI Adult has.
"""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cli.demo.questions.analysts import TEAMS, Team
from config.declarations.datasets import load_schema
from sigmacount.contrasts import (
    Grid,
    IsotropicStrategy,
    WeightedTables,
    allocated,
    isotropic_energy,
    least_variance,
    maximal,
)
from sigmacount.domain import Attribute, Schema
from sigmacount.fitting import bits_of
from sigmacount.language import parse
from sigmacount.mechanisms import (
    MICRO,
    PICO,
    Amount,
    DiscreteLaplace,
    most_rho,
    noise_costing,
)
from sigmacount.planner import Optimal, PlanOptions, Proposal, propose
from sigmacount.release import EpochMaker, JointPlan, Plan, simplex
from sigmacount.sets import WeightedQuery

SEED: Final = 20230101
ROWS: Final = 32_561
LOGGED: Final = 1_550  # questions of each of the demo's teams
MOVED: Final = 33  # rows between two epochs, one in a thousand
WARM: Final = 3  # epochs, of which the middle one is told
DELTA: Final = 1e-9  # of Gaussian noise; both families promise ε = 1
PURE: Final = Amount.pure(MICRO)
FAMILIES: Final[Mapping[str, PlanOptions]] = {
    "laplace": PlanOptions(PURE, DiscreteLaplace.costing(10_000), rows_max=10**6),
    "gaussian": PlanOptions(
        Amount.zcdp(most_rho(MICRO, DELTA)),
        noise_costing(Amount.zcdp(PICO // 10_000)),
        mechanism=noise_costing,
        rows_max=10**6,
    ),
}
# Attributes of the large plan, by blocks, and its tables of three: 86,000 cells.
BLOCKS: Final = (64, 34, 26, 24, *(3,) * 26)
TRIPLES: Final = 286
WANTED: Final = 0.3  # of the cells of a table, in its question


def demo_log() -> tuple[Schema, list[WeightedQuery]]:
    """What the demo's three teams ask, each text once."""
    schema, asked = load_schema("adult"), Counter[str]()
    for name in TEAMS:
        team = Team(name, SEED)
        asked.update(team.question() for _ in range(LOGGED))
    return schema, [WeightedQuery(parse(schema, text), n) for text, n in asked.items()]


def planned(
    schema: Schema,
    log: Iterable[WeightedQuery],
    family: str,
    current: Proposal | None = None,
) -> tuple[float, Proposal]:
    """Processor seconds from the log to the joint plan, and the plan."""
    began = time.process_time()
    plan = None if current is None else current.plan
    proposal = propose(schema, log, FAMILIES[family], plan, Optimal())
    return time.process_time() - began, proposal


def large_plan() -> Plan:
    """Contrasts of thirty attributes, asked for three at a time, of 86,000 cells."""
    grid, terms = _grid_of_thirty(), FAMILIES["gaussian"]
    rng = np.random.default_rng(SEED)
    triples = list(itertools.combinations(grid.attributes, 3))
    chosen = [triples[at] for at in rng.permutation(len(triples))[:TRIPLES]]
    tables = maximal([*chosen, *((i,) for i in grid.attributes)])
    share = np.array([1 / len(tables)])
    drawn = (rng.random((1, *grid.shape(table))) < WANTED for table in tables)
    pairs = zip(tables, drawn, strict=True)
    energy = isotropic_energy(WeightedTables(at, share, each) for at, each in pairs)
    strategies = {s: IsotropicStrategy(grid.shape(s)) for s in energy}
    measured = allocated(grid, strategies, energy, terms.budget)
    sd = (least_variance(energy) * PICO / (2 * terms.budget.units)) ** 0.5
    norm = {s: energy[s] / grid.contrasts(s) ** 2 for s in measured.sets}
    bits = bits_of(grid, tables, sd, terms.rows_max)
    joint = JointPlan(grid, tables, (measured,), norm, bits, sd, terms.rows_max)
    return Plan(1, (), terms.fresh, joint=joint)


def _grid_of_thirty() -> Grid:
    attributes = (
        Attribute.categorical(f"a{i}", [f"v{level}" for level in range(blocks)])
        for i, blocks in enumerate(BLOCKS)
    )
    schema = Schema("thirty", tuple(attributes))
    return Grid.of(schema, {i: np.arange(b) for i, b in enumerate(BLOCKS)})


def rows_of(schema: Schema, rng: np.random.Generator) -> NDArray[np.int64]:
    """Levels of each row, the first ones the most: int64 (rows, attributes)."""
    columns = []
    for size in schema.sizes:
        shares = 1 / np.arange(1, size + 1)
        columns.append(rng.choice(size, ROWS, p=shares / shares.sum()))
    return np.stack(columns, axis=1)


def epochs(plan: Plan, schema: Schema) -> tuple[float, float]:
    """Processor seconds from noisy counts to whole tables: cold, and warm."""
    rng, maker = np.random.default_rng(SEED), EpochMaker(simplex)
    rows, others = rows_of(schema, rng), rows_of(schema, rng)
    noises = {unit.id: unit.mechanism.draw(unit.draws) for unit in plan.units}
    spent = []
    for turn in range(1 + WARM):
        rows[turn * MOVED : (turn + 1) * MOVED] = others[:MOVED]
        tallies = _tallies(plan, rows)
        began = time.process_time()
        maker.arrays(plan, tallies, noises)
        spent.append(time.process_time() - began)
    return spent[0], sorted(spent[1:])[WARM // 2]


def _tallies(plan: Plan, rows: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    """True counts of all that a plan counts, by the blocks of its attributes."""
    found = {}
    for algebra in plan.tallied:
        pairs = zip(algebra.attributes, algebra.blocks, strict=True)
        codes = [block[rows[:, i]] for i, block in pairs]
        cells = np.ravel_multi_index(codes, algebra.shape) if codes else rows[:, 0] * 0
        found[algebra.id] = np.bincount(cells, minlength=algebra.size)
    return found
