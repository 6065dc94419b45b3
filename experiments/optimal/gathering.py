"""Gathering: plans made and releases drawn, each once for all tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from experiments.measuring import strategies as of_bits
from experiments.measuring.asked_rows import AskedRows
from experiments.measuring.data import SEED, Bits
from experiments.measuring.errors import predicted
from experiments.measuring.layered_queries import LayeredQueries
from experiments.measuring.workloads import sampled, turbo
from experiments.optimal.comparison import ComparedPlan, of_prediction
from experiments.optimal.noise_alone import NoiseAlone, noise_alone
from experiments.optimal.plans import (
    PURE,
    PlannedNoise,
    at_epsilon,
    isotropic,
    planned,
)
from experiments.optimal.ranges import ShapedNoise, all_measured
from experiments.optimal.reclustering import ToppedUp, topped_up
from experiments.optimal.releases import released
from experiments.optimal.reserve import ReservedPlan, reserved
from experiments.optimal.rivals import RivalErrors, rivals, without_drawing
from experiments.report.tables import Setting, TableRow

LAPLACE: Final = "ε = 1"
GAUSSIAN: Final = "(1, 10⁻⁹)"
LOG: Final = 100_000  # of the paper's questions
TERMS: Final = {"": at_epsilon(1), "pure": PURE}


@dataclass(frozen=True, slots=True)
class DrawingEffort:
    """How many releases are drawn of what.

    Attributes:
        noises: of the demo's measurement, without a fit.
        isotropic: of the demo's tables with contrasts that are measured all alike.
        rivals: of every other way to answer the demo's questions.
        published: of Algorithm 4's 165 tables, half a second each.
        pure: the most of any plan with Laplace noise.
        bits: of the paper's questions, by columns.
    """

    noises: int = 600
    demo: int = 200
    isotropic: int = 30
    rivals: int = 100
    published: int = 40
    pure: int = 100
    turbo: int = 60
    bits: Mapping[int, int] = field(default_factory=lambda: {10: 400, 21: 20})


@dataclass(frozen=True, slots=True)
class OptimalFindings:
    """All that was planned and drawn.

    Attributes:
        plans: by ``demo``, ``demo, pure``, ``10``, ``turbo, pure`` and so on.
        predictions: lines of strategies that are not measured here.
    """

    demo: AskedRows
    plans: dict[str, PlannedNoise]
    compared: list[ComparedPlan]
    rivals: list[RivalErrors]
    predictions: list[TableRow]
    noise: NoiseAlone
    ranges: list[ShapedNoise]
    reclustered: list[ToppedUp]
    reserves: list[ReservedPlan]


def gathered(
    setting: Setting, demo: AskedRows, effort: DrawingEffort
) -> OptimalFindings:
    """Everything, in an order that a progress bar can say."""

    def step(what: str) -> None:
        setting.step(f"optimal releases: {what}")

    step("ways to spend ε on the demo's questions")
    others = list(rivals(demo, effort.rivals, effort.published))
    plans: dict[str, PlannedNoise] = {}
    compared: list[ComparedPlan] = []
    for asked, drawn, releases in _workloads(setting, demo, effort):
        for family, terms in TERMS.items():
            name = f"{asked.name}, {family}" if family else asked.name
            step(name)
            plans[name] = planned(asked, terms)
            number = min(releases, effort.pure) if family else releases
            compared.append(_compared(name, plans[name], drawn, number))
    step("the demo's noise alone")
    even = plans["demo, isotropic"] = isotropic(demo, plans["demo"])
    compared.append(_compared("demo, isotropic", even, demo, effort.isotropic))
    noise = noise_alone(plans["demo"].joint, demo, effort.noises)
    step("ranges")
    shaped = list(all_measured())
    step("reclustering")
    later = topped_up(demo)
    step("the reserve")
    lines = [*_predictions(effort.bits), *_of_others(asked)]  # the last, Turbo's
    found = demo, plans, compared, others, lines, noise, shaped, later
    return OptimalFindings(*found, list(reserved(demo)))


def _workloads(
    setting: Setting, demo: AskedRows, effort: DrawingEffort
) -> Iterator[tuple[AskedRows, AskedRows, int]]:
    """What is planned for, what releases are asked, and how many; Turbo's at last."""
    yield demo, demo, effort.demo
    bits = setting.data.get("adult", setting.data["simulated"])
    for columns, releases in effort.bits.items():
        asked = _of_bits(bits, columns)
        yield asked, asked, releases
    covid = turbo()
    yield covid, sampled(covid), effort.turbo


def _of_bits(bits: Bits, columns: int) -> AskedRows:
    return AskedRows.of(bits, LayeredQueries.drawn(columns, LOG, SEED))


def _compared(
    name: str, plan: PlannedNoise, asked: AskedRows, releases: int
) -> ComparedPlan:
    privacy = GAUSSIAN if plan.joint.measurements else LAPLACE
    return ComparedPlan(name, privacy, plan, released(plan.plan, asked, releases))


def _of_others(asked: AskedRows) -> Iterator[TableRow]:
    """Other ways to answer Turbo's questions, of which one takes the same table."""
    for name, error in without_drawing(asked):
        yield of_prediction(f"{asked.name}: {name}", error / 2)


def _predictions(bits: Iterable[int]) -> Iterator[TableRow]:
    """Strategies whose errors "Beyond the paper" measures: here at ε = 1."""
    for columns in bits:
        asked = LayeredQueries.drawn(columns, LOG, SEED)
        made = (
            of_bits.published(asked),
            of_bits.laplace(asked),
            of_bits.product(asked),
            of_bits.planned(asked, asked),
        )
        for each in made:
            name = f"{columns} columns: {each.name}"
            yield of_prediction(name, predicted(asked, each))
