"""A file holds one noun, a function one thought: both stay short enough to be read."""

from __future__ import annotations

import ast

from tests.house import tree
from tests.house.each import each

FILE_LINES = 250
FUNCTION_LINES = 25


def lines_of_code(function: ast.FunctionDef | ast.AsyncFunctionDef, text: str) -> int:
    """Lines of the body; docstring, comments and blanks do not count."""
    first = function.body[ast.get_docstring(function) is not None :]
    if not first:
        return 0
    body = text.splitlines()[first[0].lineno - 1 : function.end_lineno]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in body)


@each(tree.python())
def test_a_file_stays_short(path):
    """A longer one holds two nouns."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= FILE_LINES


@each(tree.code())
def test_a_function_stays_short(path):
    """A longer one thinks two thoughts."""
    text = path.read_text(encoding="utf-8")

    sizes = {
        node.name: lines_of_code(node, text)
        for node in ast.walk(tree.tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }

    assert not {name: size for name, size in sizes.items() if size > FUNCTION_LINES}
