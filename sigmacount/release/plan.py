"""Plan: the K algebras of a clustering, each with the mechanism of its noise."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sigmacount.domain import Schema
from sigmacount.errors import AlgebraTooLarge, InvalidPlan
from sigmacount.mechanisms import Amount, DiscreteLaplace, Mechanism
from sigmacount.sets import Algebra

FARTHEST: Final = 2**63  # what readers of plans and answers can hold
LAPLACE: Final = "discrete-laplace"  # the mechanism of a plan that names none


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """One algebra (Ω_k, F_k) and the mechanism that perturbs each of its atoms.

    Units: ``variance`` in rows², of one atom.

    Attributes:
        id: 16 hex digits, equal exactly when schema, atoms and mechanism are equal:
            such a group keeps its noise from plan to plan and costs nothing again.

    Raises:
        ValueError: the mechanism is not for counts of disjoint atoms, of which a row
            changes one by one; the caller has a bug.
    """

    algebra: Algebra
    mechanism: Mechanism
    id: str = field(init=False)
    variance: float = field(init=False)

    def __post_init__(self) -> None:
        if self.mechanism.sensitivity != 1:
            msg = "a row is in one atom: a group needs noise of sensitivity 1"
            raise ValueError(msg)
        canonical = f"{self.algebra.id}:{self.mechanism.key}".encode()
        digest = hashlib.blake2b(canonical, digest_size=8).hexdigest()
        object.__setattr__(self, "id", digest)
        object.__setattr__(self, "variance", self.mechanism.variance)

    @property
    def price(self) -> Amount:
        """What the noise of one atom costs."""
        return self.mechanism.price

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


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be released: groups, and the noise of a query that no group holds.

    Attributes:
        fresh: the mechanism that answers such a query, with one draw.
        explanation: lines of plain text for people; they decide nothing.
    """

    version: int
    groups: tuple[Group, ...]
    fresh: Mechanism
    explanation: tuple[str, ...] = ()

    @property
    def atoms(self) -> int:
        """Σ |Ω_k|: how many noisy counts one epoch publishes."""
        return sum(group.algebra.size for group in self.groups)

    def beyond(self, other: Plan | None) -> tuple[Group, ...]:
        """The groups that ``other`` does not have: noise to be paid and drawn."""
        kept = frozenset(other.groups) if other else frozenset()
        return tuple(group for group in self.groups if group not in kept)

    def to_wire(self) -> dict[str, object]:
        """A JSON-able form; ``from_wire`` reads it."""
        groups = [
            {
                "id": group.id,
                "micro_epsilon": group.price.micro_epsilon,
                "algebra": group.algebra.to_wire(),
            }
            for group in self.groups
        ]
        return {
            "version": self.version,
            "fresh_micro_epsilon": self.fresh.price.micro_epsilon,
            "groups": groups,
            "explanation": list(self.explanation),
        }

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
            fresh = DiscreteLaplace.costing(_whole(form["fresh_micro_epsilon"]))
        except (KeyError, TypeError, ValueError, AlgebraTooLarge):
            msg = "the plan on the wire is malformed"
            raise InvalidPlan(msg) from None
        return Plan(version, groups, fresh, tuple(map(str, explanation)))


def _group(schema: Schema, row: Mapping[str, object]) -> Group:
    """One group; ValueError when its id is not the one it was given."""
    algebra = Algebra.from_wire(schema, row["algebra"])  # type: ignore[arg-type]
    if row.get("mechanism", LAPLACE) != LAPLACE:
        raise ValueError  # a newer version wrote it: its µε are not ours to guess
    group = Group(algebra, DiscreteLaplace.costing(_whole(row["micro_epsilon"])))
    if group.id != row["id"]:
        raise ValueError
    return group


def _whole(value: object) -> int:
    """The value, if it is a whole number from 0 to 2^63; ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError  # noqa: TRY004 - it is the wire that is wrong, not the call
    if not 0 <= value < FARTHEST:
        raise ValueError
    return value
