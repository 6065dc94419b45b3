"""A named fault of the core."""

from typing import NamedTuple


class Mutation(NamedTuple):
    """One fault.

    Attributes:
        name: what goes wrong, in words.
        file: where, below ``sigmacount/``.
        old: text that stands there exactly once.
        new: what takes its place.
        test: the test file that must fail, below ``tests/``.
    """

    name: str
    file: str
    old: str
    new: str
    test: str
