"""Families of noise: which errs less on a log, and on a declaration before any log."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sigmacount import Attribute, Schema
from sigmacount.planner import Family, FamilyErrors, compared_families, prior_log
from sigmacount.sets import Query, WeightedQuery, Workload
from tests.core.priced import options
from tests.core.tiny import SCHEMA, binary

BUDGET = 1_000_000
PURE = options(BUDGET, 20_000)


def products(sizes):
    """All products of subsets of the levels, alike: Turbo's workload."""
    schema = Schema(
        "products",
        tuple(
            Attribute.categorical(f"x{i}", [f"{i}-{level}" for level in range(size)])
            for i, size in enumerate(sizes)
        ),
    )
    chosen = [list(itertools.product((False, True), repeat=s))[1:] for s in sizes]
    log = []
    for cells in itertools.product(*chosen):
        active = [i for i, part in enumerate(cells) if not all(part)]
        table = np.ones((), np.bool_)
        for i in active:
            table = np.logical_and.outer(table, np.array(cells[i]))
        blocks = [np.arange(sizes[i]) for i in active]
        log.append(WeightedQuery(Query.build(schema, active, blocks, table)))
    return schema, log


@pytest.mark.parametrize(
    ("asked", "factor", "within"),
    [
        (lambda: products((2, 2, 4, 8)), 10.59, 0.01),
        (lambda: binary(10, 20_000), 1.16, 0.02),
    ],
    ids=["products", "ten columns"],
)
def test_small_domains_are_for_laplace_noise(asked, factor, within):
    """Turbo's Covid and the paper's ten columns, at ε = 1 and δ = 1e-9."""
    found = compared_families(Workload.of(*asked()), PURE, 1_000_000, 1e-9)

    assert found.better is Family.LAPLACE
    assert found.factor == pytest.approx(factor, rel=within)
    text = "\n".join(found.lines())
    assert "SIGMA_PRIVACY_MEASURE=epsilon and SIGMA_RECLUSTER_STRATEGY=opt" in text
    assert "promises ε = 10 with Laplace noise, and (3.37, 1e-09) with" in text
    assert "fixed when the dataset's ledger is opened" in text


def test_many_sets_are_for_gaussian_noise():
    """Fifteen columns: one table over all is too dear."""
    workload = Workload.of(*binary(15, 4_000))

    found = compared_families(workload, PURE, 1_000_000, 1e-9)

    assert found.better is Family.GAUSSIAN
    assert "SIGMA_PRIVACY_MEASURE=zcdp and SIGMA_PRIVACY_DELTA" in "\n".join(
        found.lines()
    )


def test_sums_that_no_ledger_holds_are_left_out():
    """Ten times as much is beyond what is read as (ε, δ)."""
    said = list(FamilyErrors(2_000_000_000, 1e-9, 1.0, 2.0).lines())

    assert "adds up" not in " ".join(said)


def test_families_of_nothing_are_not_compared():
    """Where nothing is asked, neither errs."""
    assert compared_families(Workload.of(SCHEMA, []), PURE, BUDGET, 1e-9) is None


def test_a_declaration_alone_tells_which_family_errs_less():
    """All tables over one and two attributes, and ranges of what is ordered."""
    ages = Attribute.binned("age", "integer", range(0, 100, 10), nullable=True)
    sexes = Attribute.categorical("sex", ["f", "m"])
    only = Attribute.categorical("only", ["one"])
    codes = Attribute.categorical("code", [str(code) for code in range(3_000)])
    schema = Schema("declared", (ages, sexes, only, codes))

    log = prior_log(schema)

    active = {tuple(entry.query.active) for entry in log}
    beside_a_range = (0, 3)  # as a table of its own it would have 33,000 rows
    assert active == {(0,), (1,), (3,), (0, 1), beside_a_range}
    ranges = [entry for entry in log if isinstance(entry, WeightedQuery)]
    assert len({entry.query.key for entry in ranges}) == 12
    assert sum(entry.weight for entry in ranges) == pytest.approx(1)
    assert [e.query.key for e in prior_log(schema)] == [e.query.key for e in log]
    small = Schema("small", (ages, sexes))
    found = compared_families(Workload.of(small, prior_log(small)), PURE, BUDGET, 1e-9)
    assert found.better is Family.LAPLACE
