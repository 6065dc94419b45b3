"""An algebra on the wire: the same one arrives, or none."""

import json

import numpy as np
import pytest
from hypothesis import given

from sigmacount.errors import InvalidPlan
from sigmacount.sets import Algebra
from tests.core.tiny import (
    CELLS,
    SCHEMA,
    algebras,
)

CUT = np.array([0, 1, 1])


@given(algebra=algebras)
def test_the_wire_keeps_an_algebra(algebra):
    """JSON there and back gives the same atoms."""
    form = json.loads(json.dumps(algebra.to_wire()))

    again = Algebra.from_wire(SCHEMA, form)

    assert again == algebra
    assert (again.atom_of(CELLS) == algebra.atom_of(CELLS)).all()


GOOD = {"attributes": ["a", "b"], "blocks": [[0, 1, 1], [0, 1]], "merged": None}


@pytest.mark.parametrize(
    "change",
    [
        {"attributes": ["a", "nobody"]},
        {"attributes": ["b", "a"]},
        {"attributes": ["d", "b"], "blocks": [[0, 1], [0, 1]]},
        {"attributes": ["b", "b"], "blocks": [[0, 1], [0, 1]]},
        {"attributes": 3},
        {"attributes": ["a"]},
        {"blocks": [[0, 1, 1], [0, 0]]},
        {"blocks": [[1, 0, 0], [0, 1]]},
        {"blocks": [[0, 1], [0, 1]]},
        {"blocks": [[[0, 1, 1]], [0, 1]]},
        {"blocks": [["x", 1, 1], [0, 1]]},
        {"blocks": [[0, 2**70, 1], [0, 1]]},
        {"blocks": [[0, -1, 1], [0, 1]]},
        {"merged": [0, 1]},
        {"merged": [0, 1, 2, 3]},
        {"merged": [1, 0, 0, 0]},
        {"merged": [[0, 0, 0, 1]]},
    ],
)
def test_a_malformed_algebra_is_refused(change):
    """What arrives is checked before it is believed."""
    with pytest.raises(InvalidPlan):
        Algebra.from_wire(SCHEMA, GOOD | change)


def test_a_form_without_blocks_is_refused():
    """A missing field is malformed too."""
    with pytest.raises(InvalidPlan):
        Algebra.from_wire(SCHEMA, {"attributes": []})
