"""Plan: what is measured with which noise, and what is published of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from sigmacount.continual import overlap
from sigmacount.contrasts import ContrastMeasurement
from sigmacount.domain import Schema
from sigmacount.errors import AlgebraTooLarge, InvalidPlan
from sigmacount.mechanisms import Amount, Measure, Mechanism, noise_costing
from sigmacount.release.ages import Ages, Aging
from sigmacount.release.group import Group, PlanUnit
from sigmacount.release.joint.plan import MOST_MEASUREMENTS, JointPlan
from sigmacount.release.joint.wire import joint_from_wire, joint_to_wire
from sigmacount.sets import Algebra

FARTHEST: Final = 2**63  # what readers of plans and answers can hold
LAPLACE: Final = "discrete-laplace"  # the mechanism of a plan that names none
GAUSSIAN: Final = "discrete-gaussian"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be released: groups, and the noise of a query that no group holds.

    Attributes:
        groups: algebras with noise of their own.
        fresh: the mechanism that answers such a query, with one draw.
        explanation: lines of plain text for people; they decide nothing.
        joint: the tables that are estimated together and published, from groups or
            from measurements; None: each group is published by itself.
        aging: what time did to the noise of its units; None: nothing. It is of an
            epoch and not of the plan: neither ids nor the wire know of it.

    Raises:
        InvalidPlan: a group is there twice, or the joint plan is not measured by its
            own contrasts, or by these groups as tables over its grid; the message
            becomes a dead letter.
    """

    version: int
    groups: tuple[Group, ...]
    fresh: Mechanism
    explanation: tuple[str, ...] = ()
    joint: JointPlan | None = None
    aging: Aging | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if len(set(self.groups)) < len(self.groups):
            msg = "a plan has a group twice: it would be paid twice for one noise"
            raise InvalidPlan(msg)
        algebras = [group.algebra for group in self.groups]
        if self.joint is not None and not self.joint.measured_with(algebras):
            msg = "a joint plan is measured by tables over its grid, or by contrasts"
            raise InvalidPlan(msg)

    @property
    def units(self) -> tuple[PlanUnit, ...]:
        """What is charged and drawn, each once for ever: groups or measurements."""
        return (*self.groups, *(self.joint.measurements if self.joint else ()))

    @property
    def made_of(self) -> tuple[str, ...]:
        """Ids of the joint plan, if it is one, and of all units: what epochs share."""
        joint = () if self.joint is None else (self.joint.id,)
        return (*joint, *(unit.id for unit in self.units))

    @property
    def published(self) -> Mapping[str, Algebra]:
        """The algebras whose counts an epoch shows, by the id of their arrays."""
        if self.joint is None:
            return {group.id: group.algebra for group in self.groups}
        return {algebra.id: algebra for algebra in self.joint.algebras.values()}

    @property
    def tallied(self) -> tuple[Algebra, ...]:
        """The algebras whose atoms have to be counted for an epoch."""
        if self.joint and self.joint.measurements:
            return tuple(self.joint.algebras.values())
        return tuple(dict.fromkeys(group.algebra for group in self.groups))

    @property
    def atoms(self) -> int:
        """Σ |Ω_k|: how many counts one epoch publishes."""
        return sum(algebra.size for algebra in self.published.values())

    @property
    def overlap(self) -> float:
        """κ of all units together, at most: a row is in one atom of each group.

        What several cost together is the sum of what each costs, so κ is a mean.
        """
        measured = self.joint.measurements if self.joint else ()
        return max(map(_overlap, measured), default=0.0)

    def beyond(self, other: Plan | None) -> tuple[PlanUnit, ...]:
        """The units that ``other`` does not have: noise to be paid and drawn."""
        kept = frozenset(other.units) if other else frozenset()
        return tuple(unit for unit in self.units if unit not in kept)

    def aged(self, ticks: Mapping[str, int], horizon: int) -> Plan:
        """The same plan, its noise as it is at these ticks of the units, by their ids.

        ``horizon`` is for how many epochs the counters are rated. Ids, prices and the
        wire are those of the plan; variances, errors and quantiles are of the ticks.

        Raises:
            InvalidPlan: the tick of a unit is missing, or none that a counter has, or
                noise of a unit is too wide to be counted; the message becomes a dead
                letter.
        """
        return self.under(Ages(horizon, ticks))

    def under(self, aging: Aging) -> Plan:
        """The same plan, as its noise is in time; InvalidPlan as ``aged``."""
        groups = tuple(
            replace(g, aged=aging.law(g.id, g.mechanism)) for g in self.groups
        )
        for each in self.joint.measurements if self.joint else ():
            for part in each.parts:
                aging.law(each.id, part.noise)
        return replace(self, groups=groups, aging=aging)

    def to_wire(self) -> dict[str, object]:
        """A JSON-able form; ``from_wire`` reads it."""
        groups = [
            {
                "id": group.id,
                **_noise(group.price),
                "algebra": group.algebra.to_wire(),
            }
            for group in self.groups
        ]
        form: dict[str, object] = {
            "version": self.version,
            **_fresh(self.fresh.price),
            "groups": groups,
            "explanation": list(self.explanation),
        }
        return form | ({"joint": joint_to_wire(self.joint)} if self.joint else {})

    @staticmethod
    def from_wire(schema: Schema, form: Mapping[str, object]) -> Plan:
        """The plan of ``to_wire``.

        Raises:
            InvalidPlan: malformed, of another schema, too large, or a group whose id
                is not its own; the message becomes a dead letter, the old plan stays.
        """
        try:
            rows: list[Mapping[str, object]] = list(form["groups"])  # type: ignore[call-overload]
            explanation: list[str] = list(form["explanation"])  # type: ignore[call-overload]
            groups = tuple(_group(schema, row) for row in rows)
            version = _whole(form["version"])
            fresh = noise_costing(_price(form, "fresh_micro_epsilon", "fresh"))
            said: Mapping[str, object] | None = form.get("joint")  # type: ignore[assignment]
        except (KeyError, TypeError, ValueError, AlgebraTooLarge):
            msg = "the plan on the wire is malformed"
            raise InvalidPlan(msg) from None
        joint = None if said is None else joint_from_wire(schema, said)
        return Plan(version, groups, fresh, tuple(map(str, explanation)), joint)


@lru_cache(maxsize=MOST_MEASUREMENTS)
def _overlap(unit: ContrastMeasurement) -> float:
    """It takes up to seconds, and is asked for in every epoch."""
    return overlap(unit)


def _group(schema: Schema, row: Mapping[str, object]) -> Group:
    """One group; ValueError when its id is not the one it was given."""
    algebra = Algebra.from_wire(schema, row["algebra"])  # type: ignore[arg-type]
    price = _price(row, "micro_epsilon", "price")
    if row.get("mechanism", LAPLACE) != _law(price):
        raise ValueError  # a newer version wrote it: its price is not ours to guess
    group = Group(algebra, noise_costing(price))
    if group.id != row["id"]:
        raise ValueError
    return group


def _law(price: Amount) -> str:
    return LAPLACE if price.measure is Measure.EPSILON else GAUSSIAN


def _noise(price: Amount) -> dict[str, object]:
    """The noise of a group: in µε, as it was always said, or its law and price."""
    if price.measure is Measure.EPSILON:
        return {"micro_epsilon": price.units}
    return {"mechanism": _law(price), "price": _priced(price)}


def _fresh(price: Amount) -> dict[str, object]:
    """The price of a fresh query, in µε or with its measure."""
    if price.measure is Measure.EPSILON:
        return {"fresh_micro_epsilon": price.units}
    return {"fresh": _priced(price)}


def _priced(price: Amount) -> dict[str, object]:
    return {"measure": price.measure.value, "units": price.units}


def _price(form: Mapping[str, object], in_micro: str, in_full: str) -> Amount:
    """What ``_noise`` or ``_fresh`` wrote; ValueError, KeyError for anything else."""
    if in_micro in form:
        return Amount.pure(_whole(form[in_micro]))
    price: Mapping[str, object] = form[in_full]  # type: ignore[assignment]
    return Amount(Measure(price["measure"]), _whole(price["units"]))  # type: ignore[arg-type]


def _whole(value: object) -> int:
    """The value, if it is a whole number from 0 to 2^63; ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError  # noqa: TRY004 - it is the wire that is wrong, not the call
    if not 0 <= value < FARTHEST:
        raise ValueError
    return value
