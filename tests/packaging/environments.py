"""Fresh environments: one wheel or two, and nothing but what these require.

Third-party packages are those of the environment that runs the tests, linked one by
one as the wheels' metadata asks for them: no network, and what is not declared is not
there. The checkout is on no path.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")


@dataclass(frozen=True)
class Environment:
    """A virtual environment, and a folder to run things in."""

    folder: Path
    work: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def packages(self) -> Path:
        """Where its packages are."""
        return next(self.folder.glob("lib/python*/site-packages"))

    def variables(self) -> dict[str, str]:
        """What its processes see: no setting of ours, no path to the checkout."""
        hidden = ("SIGMA_", "PYTHON", "COV_", "VIRTUAL_ENV")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return kept | {"PATH": path, "PYTHONNOUSERSITE": "1"}

    def run(self, *command: str | Path, check: bool = True) -> str:
        """What a command says; an error shows all of it."""
        done = subprocess.run(
            command,
            cwd=self.work,
            env=self.variables(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0 or not check, done.stdout
        return done.stdout

    def sigma(self, *arguments: str, check: bool = True) -> str:
        """What the installed command says."""
        return self.run(self.folder / "bin" / "sigma", *arguments, check=check)

    def script(self, text: str) -> str:
        """What a program prints; every warning but of deprecation is an error."""
        return self.run(self.python, "-c", text)


def made(folder: Path, wheels: Iterable[Path], *extras: str) -> Environment:
    """A fresh environment with these wheels, what they require, and these extras."""
    work = folder / "work"
    work.mkdir(parents=True)
    environment = Environment(folder / "env", work)
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", environment.folder], check=True
    )
    install = ["install", "-q", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run(
        [*PIP, "--python", environment.python, *install, *wheels], check=True
    )
    for distribution in required(environment.packages, frozenset(extras)):
        link(distribution, environment.packages)
    return environment


def required(packages: Path, extras: frozenset[str]) -> Iterator[metadata.Distribution]:
    """Whatever the distributions in a folder need that is not there."""
    here = list(metadata.distributions(path=[str(packages)]))
    seen = {(canonicalize_name(each.name), extra) for each in here for extra in extras}
    seen |= {(canonicalize_name(each.name), "") for each in here}
    todo = [(each, extra) for each in here for extra in ("", *extras)]
    linked = {name for name, _ in seen}
    while todo:
        distribution, extra = todo.pop()
        for line in distribution.requires or ():
            needed = Requirement(line)
            if needed.marker and not needed.marker.evaluate({"extra": extra}):
                continue
            name = canonicalize_name(needed.name)
            for wanted in {"", *needed.extras} - {e for n, e in seen if n == name}:
                seen.add((name, wanted))
                todo.append((metadata.distribution(name), wanted))
            if name not in linked:
                linked.add(name)
                yield metadata.distribution(name)


def link(distribution: metadata.Distribution, packages: Path) -> None:
    """Make what a distribution installed here importable there too."""
    for top in {file.parts[0] for file in distribution.files or ()}:
        source = Path(str(distribution.locate_file(top)))
        if top not in {"..", "__pycache__"} and not (packages / top).exists():
            (packages / top).symlink_to(source)
