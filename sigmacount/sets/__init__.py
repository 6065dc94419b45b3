"""Sets: queries as sets of cells, and the algebras of atoms that hold them.

A query has one canonical form, whoever wrote it; a workload is a weighted set of
queries; an algebra knows which queries are unions of its atoms and bounds the others.
"""

from sigmacount.sets.algebras.algebra import MOST_CELLS as MOST_PRODUCT_CELLS
from sigmacount.sets.algebras.algebra import Algebra
from sigmacount.sets.algebras.bounds import Surroundings
from sigmacount.sets.algebras.client_weights import capped_weights
from sigmacount.sets.algebras.sums import Sums
from sigmacount.sets.algebras.workload import (
    Logged,
    WeightedQuery,
    WeightedTable,
    Workload,
)
from sigmacount.sets.canonical import Blocks, TruthTable, bounded, coarsest, frozen
from sigmacount.sets.containment import Containment, Pinned
from sigmacount.sets.grouped import MOST_CELLS, GroupedCell, GroupedQuery
from sigmacount.sets.partitions import (
    blocks_from_wire,
    coarser_block_of,
    common,
    contracted,
)
from sigmacount.sets.query import Query

__all__ = [
    "MOST_CELLS",
    "MOST_PRODUCT_CELLS",
    "Algebra",
    "Blocks",
    "Containment",
    "GroupedCell",
    "GroupedQuery",
    "Logged",
    "Pinned",
    "Query",
    "Sums",
    "Surroundings",
    "TruthTable",
    "WeightedQuery",
    "WeightedTable",
    "Workload",
    "blocks_from_wire",
    "bounded",
    "capped_weights",
    "coarser_block_of",
    "coarsest",
    "common",
    "contracted",
    "frozen",
]
