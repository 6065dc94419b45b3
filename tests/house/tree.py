"""The checkout as the house tests see it: files, modules, imports."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "cli",
    "config",
    "dashboard",
    "embedded",
    "experiments",
    "sigmaclient",
    "sigmacount",
    "store",
    "streams",
    "views",
    "workers",
)


@cache
def files() -> tuple[Path, ...]:
    """Every file of the project: tracked, or new and not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found = (ROOT / name for name in listed.split("\0") if name)
    return tuple(sorted(path for path in found if path.is_file()))


def name(path: Path) -> str:
    """A path as people write it."""
    return path.relative_to(ROOT).as_posix()


def python() -> tuple[Path, ...]:
    """Every Python file of the project."""
    return tuple(path for path in files() if path.suffix == ".py")


def code() -> tuple[Path, ...]:
    """Every Python file of the packages, tests and examples left out."""
    return tuple(
        path for path in python() if path.relative_to(ROOT).parts[0] in PACKAGES
    )


def documents() -> tuple[Path, ...]:
    """Every page of prose."""
    return tuple(path for path in files() if path.suffix == ".md")


def text() -> tuple[Path, ...]:
    """Every file that people write: code, prose, settings; no lock, no picture."""
    kinds = {".py", ".pyi", ".md", ".lua", ".toml", ".yml", ".yaml", ".in", ""}
    return tuple(
        path for path in files() if path.suffix in kinds and path.name != "LICENSE"
    )


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a Python file."""
    return ast.parse(path.read_text(encoding="utf-8"), name(path))


def module(path: Path) -> str:
    """The dotted name under which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[str]:
    """The dotted name of every module a file imports, wherever in it.

    ``from a import b`` is both: ``a``, and ``a.b`` in case that is a module.
    """
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Every call of a method in a file, with the method's name."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr, node


def reads(path: Path) -> Iterator[tuple[str, str]]:
    """Every attribute that a file reads: of what, and its name.

    ``parts.settings.kafka.prefix`` is ``("kafka", "prefix")``, and so is
    ``self._kafka.prefix``: whatever the thing was reached through.
    """
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield last_name(node.value).lstrip("_"), node.attr


def last_name(node: ast.AST) -> str:
    """The last word of an expression such as ``metrics.EPOCH``; else nothing."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def nodes(path: Path) -> Iterator[ast.AST]:
    """Every node of a file's syntax tree."""
    return ast.walk(tree(path))
