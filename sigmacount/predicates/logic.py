"""Logic: conditions under SQL's three truth values, as values of their own.

A condition on one attribute knows which levels make it true and which make it
false; on the others (missing values) it is unknown. NOT swaps the two; AND and OR
follow Kleene. Sets of levels are Python integers: bit i stands for level i.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

CONSTANT = -1  # attribute of a condition that looks at no attribute


@dataclass(frozen=True, slots=True)
class Leaf:
    """A condition on one attribute.

    Attributes:
        true, false: levels that make it true or false, as bits; a level in
            neither leaves it unknown. A constant has the one level 0.
    """

    attribute: int
    true: int
    false: int


@dataclass(frozen=True, slots=True)
class Node:
    """AND of all parts (``every``) or OR of them; at least two parts."""

    every: bool
    parts: tuple[Logic, ...]


Logic = Leaf | Node
TRUE, FALSE, UNKNOWN = Leaf(CONSTANT, 1, 0), Leaf(CONSTANT, 0, 1), Leaf(CONSTANT, 0, 0)


def negated(logic: Logic) -> Logic:
    """NOT: true where the condition is false; unknown stays unknown."""
    if isinstance(logic, Leaf):
        return Leaf(logic.attribute, logic.false, logic.true)
    return Node(not logic.every, tuple(map(negated, logic.parts)))


def certain(logic: Logic, full: dict[int, int] | list[int]) -> Logic:
    """IS TRUE: what is not true is false, so nothing is unknown any more.

    ``full`` holds all levels of each attribute.
    """
    if isinstance(logic, Leaf):
        whole = 1 if logic.attribute == CONSTANT else full[logic.attribute]
        return Leaf(logic.attribute, logic.true, whole ^ logic.true)
    return Node(logic.every, tuple(certain(part, full) for part in logic.parts))


def joined(parts: Iterable[Logic], *, every: bool) -> Logic:
    """AND or OR of at least one part; conditions on one attribute become one."""
    leaves: dict[int, Leaf] = {}
    nodes: list[Logic] = []
    for part in _flat(parts, every=every):
        if isinstance(part, Node):
            nodes.append(part)
        elif (seen := leaves.get(part.attribute)) is None:
            leaves[part.attribute] = part
        else:
            leaves[part.attribute] = _merged(seen, part, every=every)
    whole = (*leaves.values(), *nodes)
    return whole[0] if len(whole) == 1 else Node(every, whole)


def _flat(parts: Iterable[Logic], *, every: bool) -> Iterable[Logic]:
    """The parts, those of the same operator opened."""
    for part in parts:
        if isinstance(part, Node) and part.every == every:
            yield from part.parts
        else:
            yield part


def _merged(one: Leaf, two: Leaf, *, every: bool) -> Leaf:
    """AND or OR of two conditions on the same attribute, level by level."""
    if every:
        return Leaf(one.attribute, one.true & two.true, one.false | two.false)
    return Leaf(one.attribute, one.true | two.true, one.false & two.false)
