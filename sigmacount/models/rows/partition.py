"""Rows: one partition of their topic as counts, each row once however delivered.

The pure model of ``store/lua/claim.lua``, ``apply.lua`` and ``rebuild.lua``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from sigmacount.errors import Fenced, Mismatch, PositionMismatch
from sigmacount.models.rows.changes import GONE, Changed, moves
from sigmacount.models.rows.identity import RowIdentity


@dataclass(frozen=True, slots=True)
class RowPartition:
    """One partition of the rows topic: who is where, and up to which offset.

    The count of a cell is the number of rows in it, so counts cannot drift from
    rows; the store keeps both and must agree with this value.

    Under a limit a row has at most so many changes, in ``changes``, where rows that are
    gone stay. They outlive a rebuild, which forgets who is where: below ``settled`` the
    stream brings back what was shown before, and only where it comes to in the end is
    a change.

    Attributes:
        identity: stream and schema the offsets and codes belong to.
        next: offset of the first record not yet placed.
        rows: row id → cell code.
        token: the newest claim; older ones write nothing.
        generation: one more at each rebuild.
        limit: how often a row may change, or None: as often as it likes.
        begun: somebody claimed it, so its limit may rise and nothing else.
        changes: row id → how often it changed, and its cell after that.
        settled: offset from which on each record is a change of its own.
        told: offset from which on what is in excess was not set aside before.
    """

    identity: RowIdentity
    next: int = 0
    rows: Mapping[str, int] = field(default_factory=dict)
    token: int = 0
    generation: int = 1
    limit: int | None = None
    begun: bool = False
    changes: Mapping[str, Changed] = field(default_factory=dict)
    settled: int = 0
    told: int = 0

    @property
    def cells(self) -> Mapping[int, int]:
        """Cell code → number of rows, empty cells left out."""
        return Counter(self.rows.values())

    def claim(self, identity: RowIdentity, limit: int | None = None) -> RowPartition:
        """The partition under the fencing token of a new owner.

        Raises:
            Mismatch: another stream or schema; the operator rebuilds. Or the limit was
                lowered, left out, or comes after rows were counted; the operator puts
                it back, or takes another name for the dataset.
        """
        known, asked = self.limit, limit
        rises = known is not None and asked is not None and asked >= known
        if self.identity.strange(identity) or (
            self.begun and known != asked and not rises
        ):
            msg = "stream and store do not belong together; nothing was written"
            raise Mismatch(msg)
        return replace(self, token=self.token + 1, limit=limit, begun=True)

    def apply(
        self,
        token: int,
        start: int,
        end: int,
        ids: Sequence[str],
        codes: Sequence[int],
        settling: int = 0,
    ) -> RowPartition:
        """The rows ``ids`` now lie in ``codes`` (GONE: nowhere); next is ``end``.

        Under a limit, less what is in ``excess``.

        Raises:
            Fenced: ``token`` is not the newest; the caller stops writing.
            PositionMismatch: ``start`` is not next; the caller seeks to it.
        """
        self._admit(token)
        if start != self.next:
            raise PositionMismatch(self.next, start)
        rows, changes, _ = self._placed(ids, codes, settling)
        kept = {row: code for row, code in rows.items() if code != GONE}
        return replace(
            self,
            next=end,
            rows=MappingProxyType(kept),
            changes=MappingProxyType(changes),
        )

    def excess(
        self, ids: Sequence[str], codes: Sequence[int], settling: int = 0
    ) -> list[int]:
        """Which of these records, from 0, the limit does not let through."""
        return self._placed(ids, codes, settling)[2]

    def _placed(
        self, ids: Sequence[str], codes: Sequence[int], settling: int
    ) -> tuple[dict[str, int], dict[str, Changed], list[int]]:
        """Rows and changes after these records, and which of them are in excess."""
        rows, changes = dict(self.rows), dict(self.changes)
        excess = []
        for at, (row, code) in enumerate(zip(ids, codes, strict=True)):
            if self.limit is None:
                rows[row] = code
                continue
            many, base = changes.get(row, (0, GONE))
            now = base if at < settling else rows.get(row, GONE)
            many += moves(base, now)
            admitted = many + moves(now, code) <= self.limit
            rows[row] = code if admitted else now
            excess += [] if admitted else [at]
            if at >= settling and many + moves(now, rows[row]):
                changes[row] = many + moves(now, rows[row]), rows[row]
        return rows, changes, excess

    def rebuild(
        self,
        token: int | None,
        start: int,
        identity: RowIdentity | None = None,
        end: int | None = None,
    ) -> RowPartition:
        """Empty, one generation on, under a new token, beginning at ``start``.

        The stream reaches up to ``end`` now; None: nobody looked. Under a limit a row
        that may not change any more stays where it is.

        Raises:
            Fenced: ``token`` is given and not the newest.
            Mismatch: there is a limit, and ids or cells would mean something else; the
                operator takes another name for the dataset.
        """
        if token is not None:
            self._admit(token)
        other = identity or self.identity
        anew = replace(
            self,
            identity=other,
            next=start,
            rows=MappingProxyType({}),
            token=self.token + 1,
            generation=self.generation + 1,
        )
        return anew if self.limit is None else self._remembering(anew, self.limit, end)

    def _remembering(
        self, anew: RowPartition, limit: int, end: int | None
    ) -> RowPartition:
        """``anew`` with what there was to remember of changes."""
        if self.identity.rows != anew.identity.rows:
            msg = "under a limit of changes ids and cells mean what they meant"
            raise Mismatch(msg)
        changes = self._shown() if self.next >= self.settled else self.changes
        stuck = {
            row: cell
            for row, (many, cell) in changes.items()
            if cell != GONE and many >= limit
        }
        same = self.identity == anew.identity
        return replace(
            anew,
            rows=MappingProxyType(stuck),
            changes=changes,
            settled=max(self.next, self.settled) if end is None else end,
            told=max(self.next, self.told) if same else anew.next,
        )

    def _shown(self) -> Mapping[str, Changed]:
        """Changes as readers may have seen them: each row where it is now."""
        known = dict.fromkeys(self.rows, (0, GONE)) | dict(self.changes)
        return {
            row: (many + moves(cell, now), now)
            for row, (many, cell) in known.items()
            for now in [self.rows.get(row, GONE)]
        }

    def deltas(self, later: RowPartition) -> Mapping[int, int]:
        """Cell code → change of its count from here to ``later``, zeros left out."""
        change = Counter(later.cells)
        change.subtract(self.cells)
        return {code: by for code, by in change.items() if by}

    def _admit(self, token: int) -> None:
        if token != self.token:
            raise Fenced(token)
