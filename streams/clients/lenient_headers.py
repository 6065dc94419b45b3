r"""Records whose headers' names may be any bytes, as Kafka itself allows.

The client's own reading ends at a name that is no UTF-8, so one such record would make
its whole batch unreadable. Here such bytes are written out: ``\xff``.
"""

from __future__ import annotations

from typing import Any, Final

from aiokafka.record.default_records import _DefaultRecordBatchPy
from aiokafka.record.memory_records import _MemoryRecordsPy

AT_MAGIC: Final = 16  # where a batch says its format
CODED: Final = 2  # the format that has headers; since Kafka 0.11

_Batches: Any = _MemoryRecordsPy  # aiokafka declares both final
_Records: Any = _DefaultRecordBatchPy


class LenientRecords(_Batches):  # type: ignore[misc]
    """The batches of a partition, read in Python alone and so more slowly."""

    def next_batch(self) -> Any:  # noqa: ANN401  (aiokafka's protocol)
        """The next batch, or None."""
        batch = self._next_slice
        if batch is None or len(batch) <= AT_MAGIC or batch[AT_MAGIC] != CODED:
            return super().next_batch()
        self._cache_next()
        return _LenientBatch(batch)


class _LenientBatch(_Records):  # type: ignore[misc]
    """One batch, whose records are cut out of bytes that decode whatever they are."""

    _buffer: bytearray

    def _maybe_uncompress(self) -> None:
        super()._maybe_uncompress()
        self._buffer = _Forgiving(self._buffer)


class _Forgiving(bytearray):
    """Bytes whose slices decode: what is no UTF-8 is written out."""

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  (an index or a slice)
        found = super().__getitem__(at)
        return _Forgiving(found) if isinstance(at, slice) else found

    def decode(self, encoding: str = "utf-8", _: str = "strict") -> str:
        return super().decode(encoding, "backslashreplace")
