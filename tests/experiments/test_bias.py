"""Bias: the clamp lifts sums as much as its closed form says; simplex does not."""

import numpy as np
import pytest

from experiments.measuring.data import Bits
from experiments.measuring.layered_queries import LayeredQueries
from experiments.parts import bias
from experiments.parts.bias import Bias, Part
from experiments.report.tables import Setting
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Group
from sigmacount.sets import Algebra

ASKED = LayeredQueries.drawn(5, 2_000, 20230101)
RARE = Bits("rare", np.random.default_rng(1).random((400, 5)) < 0.1)


@pytest.mark.parametrize("micro", [100_000, 1_000_000])
def test_the_closed_form_is_the_expectation(micro):
    """Σ over z of ((N + z)⁺ − N) P(z), added up term by term."""
    rows = np.array([0, 1, 7])
    group = Group(Algebra.full(ASKED.schema, [0]), DiscreteLaplace.costing(micro))
    q = np.exp(-micro / 1e6)
    z = np.arange(-2_000, 2_001)
    chance = (1 - q) / (1 + q) * q ** abs(z)

    lifted = Part(group, rows, []).lifted()

    added = [(np.maximum(n + z, 0) - n) @ chance for n in rows]
    assert lifted == pytest.approx(added)


@pytest.fixture(scope="module")
def found():
    """Every rule on rare bits, with a product and with clusters of three."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bias, "DRAWS", 40)
        plans = bias.plans(ASKED)
        return {name: bias.measure(RARE, ASKED, plan) for name, plan in plans.items()}


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["u=3", "product", "the planner's own"])
def test_every_rule_keeps_its_bound(found, name, monkeypatch):
    """Five standard errors beside 3 %: about one false alarm in 10^5 runs."""
    monkeypatch.setattr(bias, "DRAWS", 40)

    reasons = [bias.missed(each, found[name]) for each in found[name]]

    assert reasons == [""] * 4


def test_the_clamp_drifts_upwards(found):
    """By tens of rows where atoms are small and many."""
    _, clamp, simplex, _ = found["u=3"]

    lift = (clamp.bias - simplex.bias).mean()
    assert lift > 0.5 * clamp.expected > 10


def test_one_total_for_all_errs_less(found):
    """Ten clusters know the total ten times as well as one."""
    _, _, simplex, common = found["u=3"]

    assert common.rmse < 0.8 * simplex.rmse


def test_a_rule_says_which_bound_it_misses():
    """A clamp beside its closed form, a simplex that drifts, a total that hurts."""
    zero = np.tile([-1.0, 1.0], bias.DRAWS // 2)
    none = Bias("none", zero, zero**2, 0.0)
    clamp = Bias("clamp", zero + 50, zero**2, 100.0)
    simplex = Bias("simplex", zero + 30, zero**2)
    common = Bias("simplex, common total", zero, zero**2 + 1)
    found = [none, clamp, simplex, common]

    assert [bias.missed(each, found) for each in found] == [
        "",
        "bias 50.0, 100.0 is the closed form",
        "bias 30.0, a tenth of the clamp's is allowed",
        "errs 1.4, with own totals 1.0",
    ]


def test_without_the_data_there_is_no_table():
    """The figures are of UCI Adult, and of nothing in its place."""
    assert list(bias.tables(Setting({}))) == []
