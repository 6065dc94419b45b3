"""A release as rows: every noisy count with its levels, its error and its promise."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sigmaclient.words import promises
from sigmacount.domain import Schema
from sigmacount.language import describe
from sigmacount.release import Answerer, Answerers, Estimate, Plan, estimate
from sigmacount.sets import Algebra, Blocks, Query
from store.releases.released import Head
from views import formats

BATCH = 10_000  # rows at once: a few MiB
BESIDE: Mapping[str, type] = {
    "group": str,
    "condition": str,
    "count": int,
    "unbiased": int,
    "stderr": float,
    "low": int,
    "high": int,
    "confidence": float,
    "epoch": int,
    "as_of": str,
    "guarantee": str,
}

ColumnBatch = dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class ReleaseView:
    """All counts of one epoch, a row for each atom of each algebra.

    A row has the levels that its atom holds of each attribute (several of them with
    `` | `` between), or nothing where the algebra takes the attribute as a whole;
    ``condition`` says the same as a question. ``count`` is post-processed,
    ``unbiased`` is the sum with its noise, the one to add up; ``low`` to ``high``
    holds the true count of this row alone with ``confidence``.

    Of a joint plan the rows are the cells of its tables; where one needs contrasts that
    nobody measured, nothing is said of it.

    ``plan`` is as old as the head says (``workers.answering.ages``).

    Shapes: counts and noisy int64 (|Ω_k|,) by id of each of ``plan.published``.
    """

    schema: Schema
    plan: Plan
    head: Head
    counts: Mapping[str, NDArray[np.int64]]
    noisy: Mapping[str, NDArray[np.int64]]
    confidence: float

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.plan.atoms

    @property
    def attributes(self) -> tuple[str, ...]:
        """All that are declared, so that columns stay the same from plan to plan."""
        return self.schema.names

    @property
    def columns(self) -> dict[str, type]:
        """Name and type of every column: the attributes, then what is known of a row.

        Where an attribute bears the name of one of these, that has an underscore after.
        """
        named: dict[str, type] = dict.fromkeys(self.attributes, str)
        for name, kind in BESIDE.items():
            named[_free(name, self.attributes)] = kind
        return named

    def batches(self, rows: int = BATCH) -> Iterator[ColumnBatch]:
        """The rows, some at a time, column by column; None where there is no level."""
        answerer = Answerers().of(self.plan, self.noisy, self.counts)
        for source, algebra in self.plan.published.items():
            read, size = _Reader(self.schema, algebra), algebra.size
            for start in range(0, size, rows):
                atoms = np.arange(start, min(start + rows, size), dtype=np.intp)
                levels = dict.fromkeys(self.attributes, [None] * len(atoms))
                said = self._said(answerer, source, atoms)
                beside = self._beside(source, said) | {"condition": read.asked(atoms)}
                yield (
                    levels
                    | read.levels(atoms)
                    | {_free(n, self.attributes): beside[n] for n in BESIDE}
                )

    def _said(
        self, answerer: Answerer, source: str, atoms: NDArray[np.intp]
    ) -> Iterator[Estimate | None]:
        """What is said of each atom; None: its table needs what nobody measured."""
        algebra = self.plan.published[source]
        noise = {group.id: group.law for group in self.plan.groups}
        for atom in atoms:
            if self.plan.joint is None:
                counts, noisy = self.counts[source][atom], self.noisy[source][atom]
                at = int(counts), int(noisy), noise[source]
                yield estimate(*at, 1, self.confidence)
                continue
            cells = (np.arange(algebra.size) == atom).reshape(algebra.shape)
            form = algebra.attributes, algebra.blocks, cells
            found = answerer.answer(Query.build(self.schema, *form), self.confidence)
            yield None if found is None else found.estimate

    def _beside(self, source: str, said: Iterable[Estimate | None]) -> ColumnBatch:
        rows = list(said)
        joint = self.plan.joint
        paid = source if joint is None else joint.id
        promised = self.head.about.get("guarantees", {}).get(paid, {})
        fact = next((fact for name, fact in promises(promised)), "") if promised else ""
        same = {
            "group": source,
            "confidence": self.confidence,
            "epoch": self.head.epoch,
            "as_of": formats.moment(self.head.as_of_ms),
            "guarantee": fact,
        }
        made: ColumnBatch = {name: [value] * len(rows) for name, value in same.items()}
        return made | {
            "count": [row and row.count for row in rows],
            "unbiased": [row and row.noisy for row in rows],
            "stderr": [row and row.stderr for row in rows],
            "low": [row and row.interval[0] for row in rows],
            "high": [row and row.interval[1] for row in rows],
        }


def csv_heads(view: ReleaseView) -> str:
    """The first line of the file."""
    return _lines([list(view.columns)])


def csv_rows(batch: ColumnBatch) -> str:
    """Its lines; text that a spreadsheet would take for a formula is quoted."""
    return _lines(zip(*batch.values(), strict=True))


class _Reader:
    """Which levels an atom of one algebra holds, and what to ask for it."""

    def __init__(self, schema: Schema, algebra: Algebra) -> None:
        self._schema, self._algebra = schema, algebra
        pairs = list(zip(algebra.attributes, algebra.blocks, strict=True))
        self._labels = [self._named(i, blocks) for i, blocks in pairs]
        self._asked = [self._conditions(i, blocks) for i, blocks in pairs]

    def levels(self, atoms: NDArray[np.intp]) -> ColumnBatch:
        """By attribute; nothing where atoms are no product of levels."""
        if self._algebra.merged is not None:
            return {}
        names = [self._schema.names[i] for i in self._algebra.attributes]
        return dict(zip(names, self._looked_up(self._labels, atoms), strict=True))

    def asked(self, atoms: NDArray[np.intp]) -> list[str]:
        """A condition that means each atom."""
        if not self._algebra.attributes:
            return [""] * len(atoms)
        if self._algebra.merged is None:
            parts = self._looked_up(self._asked, atoms)
            return [" AND ".join(each) for each in zip(*parts, strict=True)]
        form, cells = self._algebra, self._algebra.merged.reshape(self._algebra.shape)
        return [
            describe(
                Query.build(self._schema, form.attributes, form.blocks, cells == atom)
            )
            for atom in atoms
        ]

    def _looked_up(
        self, texts: list[list[str]], atoms: NDArray[np.intp]
    ) -> list[list[str]]:
        slots = np.unravel_index(atoms, self._algebra.shape)
        return [[own[i] for i in slot] for own, slot in zip(texts, slots, strict=True)]

    def _named(self, attribute: int, blocks: Blocks) -> list[str]:
        levels = self._schema.attributes[attribute].levels
        return [
            " | ".join(levels[i] for i in np.flatnonzero(blocks == slot))
            for slot in range(int(blocks.max()) + 1)
        ]

    def _conditions(self, attribute: int, blocks: Blocks) -> list[str]:
        slots = np.arange(int(blocks.max()) + 1)
        return [
            describe(Query.build(self._schema, [attribute], [blocks], slots == slot))
            for slot in slots
        ]


def _free(name: str, taken: tuple[str, ...]) -> str:
    while name in taken:
        name += "_"
    return name


def _lines(rows: Any) -> str:  # noqa: ANN401  (whatever holds values)
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    write.writerows([formats.harmless(value) for value in row] for row in rows)
    return out.getvalue()
