"""A joint plan as JSON, and back with suspicion: no set and no block is said twice."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from sigmacount.contrasts import ContrastMeasurement, Effort, Grid
from sigmacount.domain import Schema
from sigmacount.errors import InvalidPlan
from sigmacount.release.joint.plan import MOST_MEASUREMENTS, JointPlan, sets_within

UNASKED: Final = -1.0  # in the place of a weight: no question needs the set
FLOAT: Final = np.dtype("<f8")


def joint_to_wire(plan: JointPlan) -> dict[str, object]:
    """A JSON-able form; ``joint_from_wire`` reads it."""
    measured = ((each, each.to_wire()) for each in plan.measurements)
    steps = plan.grid.steps
    return {
        "id": plan.id,
        "grid": plan.grid.to_wire(),
        "tables": [list(table) for table in plan.tables],
        "measurements": [
            {name: part for name, part in form.items() if name != "grid"}
            | ({"step": steps.index(each.grid)} if each.grid != plan.grid else {})
            for each, form in measured
        ],
        "norm": _packed([plan.norm.get(s, UNASKED) for s in plan.sets]),
        "bits": plan.bits,
        "sd": plan.sd,
        "rows_max": plan.rows_max,
    }


def joint_from_wire(schema: Schema, form: Mapping[str, Any]) -> JointPlan:
    """The joint plan of ``joint_to_wire``.

    Raises:
        InvalidPlan: malformed, of another schema, larger than it may be, or its id is
            not its own; the message becomes a dead letter, the old plan stays.
    """
    try:
        plan = _read(schema, form)
        own = plan.id == form["id"]
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        own = False
    if not own:
        msg = "the joint plan on the wire is malformed, or its id is not its own"
        raise InvalidPlan(msg)
    return plan


def _read(schema: Schema, form: Mapping[str, Any]) -> JointPlan:
    """As ``joint_from_wire``; what is no such form fails in one way or another."""
    grid = Grid.from_wire(schema, form["grid"])
    tables = tuple(tuple(map(_whole, table)) for table in form["tables"])
    steps = grid.steps
    measured, effort = list(form["measurements"]), Effort()
    if len(measured) > MOST_MEASUREMENTS:
        raise ValueError
    sets = sets_within(grid, tables)
    weights = _unpacked(form["norm"], len(sets))
    return JointPlan(
        grid=grid,
        tables=tables,
        measurements=tuple(
            ContrastMeasurement.over(_step(steps, each), each, effort)
            for each in measured
        ),
        norm={s: w for s, w in zip(sets, weights, strict=True) if w != UNASKED},
        bits=_whole(form["bits"]),
        sd=float(form["sd"]),
        rows_max=_whole(form["rows_max"]),
    )


def _step(steps: Sequence[Grid], form: Mapping[str, Any]) -> Grid:
    """The grid that a measurement is over: the plan's, or one it was cut from."""
    if "step" not in form:
        return steps[-1]
    number = _whole(form["step"])
    return steps[:-1][number]


def _whole(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError
    return value


def _packed(numbers: Sequence[float]) -> str:
    return base64.b64encode(np.array(numbers, FLOAT).tobytes()).decode()


def _unpacked(text: str, count: int) -> list[float]:
    """So many numbers, exactly."""
    found = np.frombuffer(base64.b64decode(text, validate=True), FLOAT)
    if found.size != count:
        raise ValueError
    numbers: list[float] = found.tolist()
    return numbers
