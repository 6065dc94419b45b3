"""Joint plans of the benchmarks are as large as the figures say."""

import pytest

from benchmarks.joint_plans import large_plan

CELLS = 86_000


def test_the_large_plan_has_so_many_cells():
    """In tables of three attributes, over a grid of thirty."""
    joint = large_plan().joint

    assert joint.cells == pytest.approx(CELLS, rel=0.01)
    assert {len(table) for table in joint.tables} == {3}
    assert len(joint.grid.attributes) == 30
