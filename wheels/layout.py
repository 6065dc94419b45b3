"""Which files belong to which distribution, and where a wheel holds them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

from wheels.imports import named

ROOT = Path(__file__).resolve().parents[1]
HOME = "sigma_service"  # where the packages with common names are in a wheel
KEPT = ("sigmaclient", "sigmacount")  # packages whose names are their own
CLIENT = "sigmaclient"
# With both wheels installed it is the service's; with the client alone, `sigmacount`
# is a namespace that holds the errors and nothing that computes.
FACE = Path("sigmacount/__init__.py")
MARKER = "py.typed"


@cache
def declared(file: str = "pyproject.toml") -> dict[str, Any]:
    """A pyproject of the checkout."""
    return tomllib.loads((ROOT / file).read_text(encoding="utf-8"))


@cache
def packages() -> tuple[str, ...]:
    """Every top-level package of the product, as pyproject.toml includes them."""
    patterns = declared()["tool"]["setuptools"]["packages"]["find"]["include"]
    return tuple(
        sorted(
            folder.parent.name
            for folder in ROOT.glob("*/__init__.py")
            if any(fnmatch(folder.parent.name, pattern) for pattern in patterns)
        )
    )


@cache
def moving() -> frozenset[str]:
    """The packages that a wheel holds under ``HOME``."""
    return frozenset(packages()) - set(KEPT)


def place(file: Path) -> Path:
    """Where a wheel holds a file; both paths are relative to their tops."""
    return HOME / file if file.parts[0] in moving() else file


def product() -> set[Path]:
    """Every file that one of the two wheels holds: modules, and data they read."""
    data = declared()["tool"]["setuptools"]["package-data"]
    patterns = {
        name: [*data.get(name, []), "**/*.py", "**/*.pyi"] for name in packages()
    }
    return {
        file.relative_to(ROOT)
        for name, globs in patterns.items()
        for glob in globs
        for file in (ROOT / name).glob(glob)
        if file.is_file() and "__pycache__" not in file.parts
    }


def client() -> set[Path]:
    """The client's files: `sigmaclient`, and every module that it may import."""
    own = {file for file in product() if file.parts[0] == CLIENT}
    return own | {file_of(module) for module in closure()} - {FACE}


def service() -> set[Path]:
    """The service's files: all but the client's."""
    return product() - client()


def markers() -> set[Path]:
    """Where the client's wheel says, by `py.typed`, that its sources are types."""
    tops = {place(file).parts for file in client()}
    rooms = {Path(*parts[:2]) for parts in tops if parts[0] == FACE.parts[0]}
    return {Path(HOME, MARKER)} | {room / MARKER for room in rooms}


@cache
def closure() -> frozenset[str]:
    """Every module of the product that an import of ``sigmaclient`` may load."""
    todo, seen = [CLIENT], set[str]()
    todo += [_module(file) for file in product() if file.match(f"{CLIENT}/**/*.py")]
    while todo:
        module = todo.pop()
        if module in seen or not exists(module):
            continue
        seen.add(module)
        todo += parents(module)
        if file_of(module) != FACE:  # what it hands out, it loads on demand
            todo += named((ROOT / file_of(module)).read_text(encoding="utf-8"))
    return frozenset(seen)


def foreign() -> set[str]:
    """Top-level names that the client imports and the product does not hold."""
    found = set[str]()
    for module in closure():
        if file_of(module) != FACE:
            source = (ROOT / file_of(module)).read_text(encoding="utf-8")
            found |= {name.partition(".")[0] for name in named(source)}
    return found - set(packages())


def exists(module: str) -> bool:
    """Whether the product has a module of this name."""
    return module.partition(".")[0] in packages() and (ROOT / file_of(module)).is_file()


def file_of(module: str) -> Path:
    """The file of a module or package, relative to the checkout."""
    path = Path(*module.split("."))
    return path / "__init__.py" if (ROOT / path).is_dir() else path.with_suffix(".py")


def parents(module: str) -> Iterator[str]:
    """The packages that are imported before ``module`` is."""
    while module := module.rpartition(".")[0]:
        yield module


def _module(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
