"""Optimal releases: what is drawn errs as stated, and rows miss when they should."""

from dataclasses import replace

import numpy as np
import pytest

from cli.demo.census import uci_adult
from cli.paper_tables.asked_rows import asked_rows
from experiments import paper
from experiments.measuring.asked_rows import AskedRows
from experiments.measuring.data import SEED, Bits
from experiments.measuring.layered_queries import LayeredQueries
from experiments.measuring.workloads import law_value, turbo
from experiments.optimal import (
    comparison,
    gathering,
    numbers,
    plans,
    ranges,
    reclustering,
    releases,
    reserve,
    rivals,
)
from experiments.optimal.comparison import ComparedPlan
from experiments.optimal.gathering import DrawingEffort
from experiments.optimal.noise_alone import noise_alone
from experiments.parts import optimal
from experiments.report.derived import about, at_most
from experiments.report.tables import Setting
from sigmacount.mechanisms import MICRO
from sigmacount.release import EpochArrays
from sigmacount.sets import WeightedQuery

COLUMNS = 5
PEOPLE = np.random.default_rng(1).random((3_000, COLUMNS)) < 0.3
BITS = Bits("simulated", PEOPLE)


@pytest.fixture(scope="module")
def asked():
    """Questions on five columns, all 3^5 of them likely."""
    log = AskedRows.of(BITS, LayeredQueries.drawn(COLUMNS, 2_000, SEED))
    return replace(log, name="demo", early=log.log[::2])


@pytest.fixture(scope="module")
def planned(asked):
    """The joint plan of the questions, with Gaussian noise."""
    return plans.planned(asked, plans.at_epsilon(1))


def test_truth_and_order_are_those_of_the_library(asked):
    """Every nested pair and no other, by masks as by ``issubset``."""
    codes = PEOPLE @ np.array(asked.schema.strides)
    pairs = set(zip(*(each.tolist() for each in asked.nested), strict=True))

    for k, one in enumerate(asked.queries):
        assert asked.true[k] == one.contains(codes).sum()
        for n, other in enumerate(asked.queries):
            assert ((k, n) in pairs) is (k != n and one.issubset(other))
    assert asked.broken(asked.true) == 0
    assert asked.broken(-asked.true) > 0


def test_order_of_questions_that_are_no_bits_is_found_too():
    """The demo's log: 238 different questions, and as many pairs as ever."""
    people = uci_adult.simulated(300, SEED)
    demo = asked_rows(uci_adult.Population(people, real=False, note=""))

    assert (len(demo.log), demo.rows) == (238, 300)
    assert demo.shares.sum() == pytest.approx(1)
    small, large = demo.nested
    assert len(small) == 1_073
    for k in range(0, len(small), 97):
        assert demo.queries[small[k]].issubset(demo.queries[large[k]])


@pytest.mark.statistical
def test_joint_releases_err_as_they_state(asked, planned):
    """Mean squared error within a quarter, order exact, tables in agreement.

    The noise of a release is shared: its error deviates by two fifths at most, the
    mean of 400 by 2 %, so a false alarm is beyond ten deviations. A σ that is 15 % off
    changes the error by a third, and is missed as rarely.
    """
    alone = noise_alone(planned.joint, asked, 400)
    seen = releases.released(planned.plan, asked, 12)

    assert alone.measured[0] == pytest.approx(alone.predicted, rel=0.25)
    assert alone.predicted == pytest.approx(seen.predicted)
    assert alone.coverage[0] == pytest.approx(0.95, abs=0.03)
    assert (seen.broken[:, 1], seen.disagreeing) == (pytest.approx(0), 0)
    assert seen.lowest >= 0
    assert seen.after[0] < 2 * seen.before[0]


@pytest.mark.parametrize(
    ("held", "missed"),
    [
        ([0.95, 0.93, 0.97], ""),
        ([0.91, 0.93, 0.92], ""),  # four standard errors, 0.006 each, are up to 0.943
        ([0.91, 0.91, 0.92], "intervals hold the truth too rarely"),
        ([0.98, 0.99, 0.98], "intervals are too wide"),
    ],
)
def test_coverage_is_judged_over_releases(asked, planned, held, missed):
    """By the mean of their shares and its standard error."""
    rng, questions = np.random.default_rng(1), len(asked.queries)
    seen = releases.released(planned.plan, asked, 2)
    near = seen.variance**0.5 * rng.choice([-1, 1], (50, questions))
    share = np.arange(questions) / questions
    inside = np.array([share < each for each in held])
    seen = replace(seen, unbiased=near, inside=inside)
    seen = replace(
        seen, asked=replace(asked, log=[WeightedQuery(q) for q in asked.queries])
    )

    row = comparison.of_plan(ComparedPlan("", "", planned, seen))

    assert row.missed == missed


def test_tables_that_disagree_are_seen(asked):
    """One row more in one table is enough."""
    few = [each for each in asked.log if len(each.query.active) < 3]
    made = plans.proposed(asked, plans.at_epsilon(1), few).plan
    joint = made.joint
    counts = {a.id: np.zeros(a.size, np.int64) for a in joint.algebras.values()}
    assert releases.disagreeing(made, EpochArrays({}, counts)) == 0

    counts[joint.algebra(joint.tables[0]).id][0] = joint.denominator(joint.tables[0])

    others = len(joint.tables) - 1
    assert releases.disagreeing(made, EpochArrays({}, counts)) == others > 1


@pytest.mark.statistical
def test_rivals_err_as_they_state(asked):
    """All but the dealt table, whose law is the mechanism's within half a per cent.

    Five standard errors and a tenth: a false alarm in 10⁵ runs or so. Noise that
    is twice as large, an error of four times, is missed as rarely.
    """
    found = list(rivals.rivals(asked, 60, 15))

    assert [each.name for each in found] == list(optimal.SHORT)[:4]
    assert {each.spent for each in found} == {MICRO}
    for each in found:
        mean, deviation = each.measured
        assert abs(mean - each.predicted) <= 5 * deviation + 0.1 * each.predicted
    assert found[-1].still_broken == 0


def test_fresh_questions_are_paid_beside_the_older_tables_or_within():
    """Within one ε there is less for the tables, which then err more."""
    people = uci_adult.simulated(300, SEED)
    demo = asked_rows(uci_adult.Population(people, real=False, note=""))

    beside, within = rivals.each_from_one(replace(demo, log=demo.early[:75]), 2)

    assert beside.spent > MICRO == within.spent
    assert beside.predicted < within.predicted


def test_the_papers_law_in_closed_form():
    """9.626 over 10 columns, 116.21 over 21."""
    assert law_value(10) == pytest.approx(9.626, rel=1e-3)
    assert law_value(21) == pytest.approx(116.21, rel=1e-3)


def test_every_cell_pays_alike(asked, planned):
    """Isotropic contrasts, and few scales cost next to nothing."""
    even = plans.isotropic(asked, planned)

    assert even.value / even.closed <= 1.01
    assert numbers.unequal_cells(even) == 0


@pytest.mark.parametrize(("kind", "shaped"), [("ranges", 3.18), ("prefixes", 3.12)])
def test_ranges_and_prefixes_of_16_blocks(kind, shaped):
    """As derived, and the row says so."""
    found = ranges.measured(kind, 16)

    assert found.shaped == pytest.approx(shaped, rel=0.02)
    assert not ranges.table([found]).missed
    assert ranges.table([replace(found, shaped=1.1 * found.shaped)]).missed


def test_a_top_up_holds_all_and_errs_less(asked):
    """The more is added, the less it errs; nothing is left out after + 1 %."""
    found = reclustering.topped_up(asked)

    assert found[1].value > found[2].value > found[3].value
    assert all(each.held == pytest.approx(1) for each in found[1:])
    assert all(0 < e.least * e.optimum <= e.value for e in found[1:])
    assert not reclustering.table(found).missed
    assert reclustering.table([replace(e, alike=1.1 * e.alike) for e in found]).missed


def test_the_reserve_answers_what_nobody_asked_for_little(asked):
    """All of it in Gaussian noise; a log that errs much more for it is missed."""
    found = list(reserve.reserved(asked))

    gaussian = [each for each in found if each.noise == reserve.GAUSSIAN]
    assert all(each.held == pytest.approx(1) for each in gaussian[1:])
    assert not reserve.table(found).missed
    dear = [replace(e, error=2 * e.error) if e.weight else e for e in found]
    assert reserve.table(dear).missed


def test_a_number_that_is_out_of_bounds_is_missed():
    """Above, below, and neither."""
    assert about("V", 10.0, 0.01, 10.09).row().missed == ""
    assert about("V", 10.0, 0.01, 10.2).row().missed == "out of bounds"
    assert about("V", 10.0, 0.01, 9.8).row().missed == "out of bounds"
    assert at_most("steps", 500, 501).row().missed == "out of bounds"


def test_the_section_has_all_tables_and_figures(asked, monkeypatch):
    """With little drawn; the steps are as many as the progress bar is told."""
    steps = []
    effort = DrawingEffort(
        noises=20, demo=3, rivals=3, published=3, isotropic=2, turbo=2, bits={}
    )
    monkeypatch.setattr(optimal, "EFFORT", effort)
    monkeypatch.setattr(gathering, "turbo", lambda: turbo(every=90))
    setting = Setting({"simulated": BITS}, steps.append, asked=asked)

    found = list(optimal.tables(setting))

    titles = [table.title for table in found]
    assert titles == [
        "Numbers that must come out",
        "One ε, spent in different ways",
        "Ranges over many blocks",
        "A new log on old noise",
        "Questions that nobody asked yet",
    ]
    assert len(found[1].rows) == 4 + 5 + 2
    assert set(setting.figures) == {
        "optimal-errors", "optimal-spending", "optimal-bound"
    }  # fmt: skip
    assert len(steps) + 2 * 2 == paper.PARTS["optimal"]


def test_without_the_demos_log_there_is_no_section():
    """Nothing is drawn, and nothing said."""
    assert list(optimal.tables(Setting({}))) == []
