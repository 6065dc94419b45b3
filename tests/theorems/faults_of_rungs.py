"""Faults that the test of blocks that are cut later must see."""

from tests.theorems.mutation import Mutation

NESTED = "theorems/test_nested_law.py"

FAULTS = (
    Mutation(
        "wrong law after a cut",
        "contrasts/rungs.py",
        "mass: NDArray[np.float64] = 1 / (self.shares * parts)[self.parents]",
        "mass = np.full(self.size, 1 / self.size) + 0 * parts[0]",
        NESTED,
    ),
    Mutation(
        "parts of all blocks have one norm",
        "contrasts/rungs.py",
        "own = (m // common) * (",
        "own = (",
        NESTED,
    ),
    Mutation(
        "nested contrasts are taken for uniform ones",
        "fitting/uniform.py",
        "[_turn(axis) for axis in axes]",
        "[np.eye(axis.size)[1:] for axis in axes]",
        NESTED,
    ),
    Mutation(
        "blocks are told apart by the parts of others",
        "release/joint/estimating.py",
        "np.add.at(np.moveaxis(found, axis, 0), blocks, np.moveaxis(table, axis, 0))",
        "np.moveaxis(found, axis, 0)[blocks] = np.moveaxis(table, axis, 0)",
        NESTED,
    ),
)
