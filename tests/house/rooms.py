"""The structure of the checkout in figures: ``python -m tests.house.rooms [CHECKOUT]``.

For each package, and for its rooms: files, floors (a room stands above all that it
imports), arrows (imports between two rooms), and circles; imports inside functions
count. Another checkout can be named, to compare two states of the project.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.house import tree

Graph = dict[str, set[str]]


def modules(root: Path) -> dict[str, Path]:
    """Every module of the packages, by its dotted name."""
    found = {}
    for package in tree.PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules of ours that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in known or node.module in known:
                    yield inner if inner in known else node.module


def graph(known: dict[str, Path]) -> Graph:
    """Which module imports which."""
    return {name: set(imported(path, known)) - {name} for name, path in known.items()}


def of_rooms(files: Graph, depth: int) -> Graph:
    """The same with every module drawn as the room it is in: ``depth`` words deep."""
    rooms: Graph = defaultdict(set)
    for name, others in files.items():
        room = ".".join(name.split(".")[:depth])
        rooms[room] |= {".".join(o.split(".")[:depth]) for o in others} - {room}
    return {room: {o for o in others if o in rooms} for room, others in rooms.items()}


def circles(drawn: Graph) -> list[set[str]]:
    """Sets of two or more that reach each other."""
    reach = {name: _reached(drawn, name) for name in drawn}
    together = {
        frozenset(o for o in reach[name] if name in reach[o]) | {name} for name in drawn
    }
    return [set(each) for each in together if len(each) > 1]


def _reached(drawn: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    waiting = list(drawn[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += drawn[name]
    return seen


def floors(drawn: Graph) -> int:
    """The longest chain of imports; what lies in a circle counts once."""
    height: dict[str, int] = {}

    def climb(name: str, below: tuple[str, ...]) -> int:
        if name not in height:
            lower = [o for o in drawn[name] if o not in below and o != name]
            height[name] = 1 + max((climb(o, (*below, name)) for o in lower), default=0)
        return height[name]

    return max((climb(name, ()) for name in drawn), default=0)


def line(title: str, drawn: Graph) -> str:
    """One row of the table."""
    arrows = sum(len(others) for others in drawn.values())
    looped = sum(map(len, circles(drawn)))
    return f"{title:24}{len(drawn):6}{floors(drawn):8}{arrows:8}{looped:12}"


def main() -> None:
    """Print the table."""
    root = Path(sys.argv[1]) if sys.argv[1:] else tree.ROOT
    known = modules(root)
    files = graph(known)
    print(f"{'':24}{'nodes':>6}{'floors':>8}{'arrows':>8}{'in circles':>12}")
    print(line("packages", of_rooms(files, 1)))
    for package in tree.PACKAGES:
        inner = {n: o for n, o in files.items() if n.split(".")[0] == package}
        if inner:
            inner = {n: {o for o in s if o in inner} for n, s in inner.items()}
            print(line(f"{package}, files", inner))
            print(line(f"{package}, rooms", of_rooms(inner, 2)))


if __name__ == "__main__":
    main()
