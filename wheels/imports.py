"""Import statements: which modules a source names, and the same source under a home."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

FROM = re.compile(rb"from[ \t]+")


class Unmappable(ValueError):
    """An import that would bind another name once its module lives elsewhere."""


def named(source: str) -> Iterator[str]:
    """Every module that ``source`` may import, wherever the statement stands.

    ``from a import b`` names ``a`` and ``a.b``: whether ``b`` is a module, or a name
    in one, cannot be seen from here.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module
                yield from (f"{module}.{alias.name}" for alias in node.names)


def moved(source: str, packages: Collection[str], home: str) -> str:
    """``source`` whose imports of ``packages`` name them under ``home``.

    Nothing else changes: no line moves, no string, no comment.

    Raises:
        Unmappable: ``import streams.x`` binds ``streams``, which would not be there;
            whoever wrote it says ``from streams import x``.
    """
    lines = source.encode().splitlines(keepends=True)
    places = sorted(_places(source, lines, packages), reverse=True)
    for line, column in places:
        text = lines[line]
        lines[line] = text[:column] + f"{home}.".encode() + text[column:]
    return b"".join(lines).decode()


def _places(
    source: str, lines: list[bytes], packages: Collection[str]
) -> Iterator[tuple[int, int]]:
    """Line and byte where the name of a package begins in an import statement."""

    def ours(module: str) -> bool:
        return module.partition(".")[0] in packages

    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module=str(module), level=0) if ours(module):
                word = FROM.match(lines[node.lineno - 1], node.col_offset)
                if word is None:
                    raise Unmappable(_said(node, module))
                yield node.lineno - 1, word.end()
            case ast.Import(names=names):
                for alias in names:
                    if not ours(alias.name):
                        continue
                    if alias.asname is None:
                        raise Unmappable(_said(node, alias.name))
                    yield alias.lineno - 1, alias.col_offset


def _said(node: ast.stmt, module: str) -> str:
    return f"line {node.lineno}: write `from … import …` to import {module}"
