"""Which fields of a message could be of any size: a walk over its type."""

from __future__ import annotations

from typing import Any

from msgspec import inspect

SIZED = (inspect.StrType, inspect.BytesType)


def unbounded(about: Any) -> list[str]:
    """Names of the fields that nothing bounds but the message's own size.

    Objects (``where``, ``query``, ``plan``) are left out: what reads them has bounds
    of its own, and the message has one.
    """
    return [field.name for field in about.fields if not _bounded(field.type)]


def _bounded(kind: Any) -> bool:
    if isinstance(kind, SIZED):
        return kind.max_length is not None
    if isinstance(kind, inspect.IntType):
        return kind.ge is not None and kind.le is not None
    if isinstance(kind, inspect.VarTupleType | inspect.ListType):
        return kind.max_length is not None and _bounded(kind.item_type)
    if isinstance(kind, inspect.TupleType | inspect.UnionType):
        return all(map(_bounded, _parts(kind)))
    if isinstance(kind, inspect.StructType):
        return not unbounded(kind)
    fixed = (
        *(inspect.NoneType, inspect.BoolType, inspect.FloatType),
        *(inspect.LiteralType, inspect.DictType),
    )
    return isinstance(kind, fixed)


def _parts(kind: Any) -> tuple[Any, ...]:
    held: tuple[Any, ...] = getattr(kind, "types", None) or kind.item_types
    return held
