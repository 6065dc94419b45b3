"""Group: one algebra, the noise of its atoms, and what that costs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from sigmacount.continual import Horizon, joint_ticks
from sigmacount.contrasts import ContrastMeasurement, JointGaussian
from sigmacount.mechanisms import Amount, DiscreteGaussian, Mechanism
from sigmacount.release.ages import NoiseLaw, TreeLaw, counted_for_ever
from sigmacount.sets import Algebra


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """One algebra (Ω_k, F_k) and the mechanism that perturbs each of its atoms.

    Units: ``variance`` in rows², of one atom.

    Attributes:
        aged: the law of an atom's noise where it has grown since it was drawn first;
            None: it is what the mechanism draws.
        id: 16 hex digits, equal exactly when schema, atoms and mechanism are equal:
            such a group keeps its noise from plan to plan and costs nothing again.

    Raises:
        ValueError: the mechanism is not for counts of disjoint atoms, of which a row
            changes one by one; the caller has a bug.
    """

    algebra: Algebra
    mechanism: Mechanism
    aged: NoiseLaw | None = None
    id: str = field(init=False)
    variance: float = field(init=False)

    def __post_init__(self) -> None:
        if self.mechanism.sensitivity != 1:
            msg = "a row is in one atom: a group needs noise of sensitivity 1"
            raise ValueError(msg)
        canonical = f"{self.algebra.id}:{self.mechanism.key}".encode()
        digest = hashlib.blake2b(canonical, digest_size=8).hexdigest()
        object.__setattr__(self, "id", digest)
        object.__setattr__(self, "variance", self.law.variance)

    @property
    def law(self) -> NoiseLaw:
        """Of the noise in one atom."""
        return self.mechanism if self.aged is None else self.aged

    @property
    def blocks(self) -> int:
        """How many draws are in the noise of one atom: as many as a tree has blocks."""
        return self.aged.blocks if isinstance(self.aged, TreeLaw) else 1

    @property
    def price(self) -> Amount:
        """What the noise of one atom costs."""
        return self.mechanism.price

    @property
    def draws(self) -> int:
        """How many numbers of noise it has: one an atom."""
        return self.algebra.size

    @property
    def total_variance(self) -> float:
        """Variance of the sum of all atoms (rows²)."""
        return self.algebra.size * self.variance

    @property
    def rank(self) -> tuple[float, str]:
        """Sorts groups: least noise in the sum of all atoms first, ties by id.

        The first one that holds a query answers it. Among product algebras that cut
        their common attributes alike, it is the one of the least variance: a query
        takes the same fraction of the atoms of each.
        """
        return self.total_variance, self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)


PlanUnit: TypeAlias = Group | ContrastMeasurement  # charged, drawn and kept as one


def ticks_of(unit: PlanUnit, horizon: Horizon) -> DiscreteGaussian | JointGaussian:
    """What one tick draws for the unit's numbers, on the lattice of the horizon.

    Looks at nothing and may be drawn ahead. All ticks together cost at most what the
    unit states, once.

    Raises:
        NoiseTooWide: a σ is above what the horizon holds; the plan is refused before
            anything is charged.
        InvalidPlan: the noise is not Gaussian; the same.
    """
    if isinstance(unit, Group):
        return counted_for_ever(unit.mechanism, horizon).ticks
    parts = (
        replace(part, deviation=counted_for_ever(part.noise, horizon).deviation)
        for part in unit.parts
    )
    return joint_ticks(unit.mechanism.key, horizon, parts)
