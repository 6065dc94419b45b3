"""A folder as a wheel will be: files in their places, imports that say so, metadata."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wheels import layout
from wheels.imports import Unmappable, moved

SERVICE, CLIENT = "sigma-counting", "sigma-client"
CLIENTS = "wheels/client/pyproject.toml"
# What the client says of itself; all else it has in common with the service.
OWN = ("name", "description", "keywords")
EXTRAS = ("notebook",)  # of the client, the same as the service's
IMPORTED_AS = {
    "faust-streaming": "faust",
    "kafka-python": "kafka",
    "mode-streaming": "mode",
}


@contextmanager
def staged(distribution: str) -> Iterator[Path]:
    """A folder that setuptools alone can build into ``distribution``, until closed."""
    with TemporaryDirectory(prefix=f"{distribution}-") as name:
        folder = Path(name)
        ours = layout.client() if distribution == CLIENT else layout.service()
        for file in ours:
            _write(folder / layout.place(file), _content(file))
        if distribution == CLIENT:
            for marker in layout.markers():
                _write(folder / marker, b"")
        project = client() if distribution == CLIENT else service()
        readme = "wheels/client/README.md" if distribution == CLIENT else "README.md"
        _write(folder / "README.md", (layout.ROOT / readme).read_bytes())
        _write(folder / "LICENSE", (layout.ROOT / "LICENSE").read_bytes())
        _write(folder / "pyproject.toml", _pyproject(project).encode())
        yield folder


def service() -> dict[str, Any]:
    """The service's metadata: what pyproject.toml leaves to lists, read from them."""
    project = _common()
    client = f"{CLIENT}=={project['version']}"
    project["dependencies"] = sorted([client, *requirements("requirements.in")])
    project["optional-dependencies"] = extras()
    project["scripts"] = {
        name: f"{layout.HOME}.{target}" for name, target in project["scripts"].items()
    }
    return project


def client() -> dict[str, Any]:
    """The client's metadata: of one version with the service, and of its bounds."""
    common = {k: v for k, v in _common().items() if k not in {*OWN, "scripts"}}
    said = layout.declared(CLIENTS)["project"]
    own = {name: said[name] for name in OWN}
    imported = layout.foreign()
    wanted = [r for r in requirements("requirements.in") if module(r) in imported]
    extra = {name: extras()[name] for name in EXTRAS}
    return common | own | {"dependencies": wanted, "optional-dependencies": extra}


def extras() -> dict[str, list[str]]:
    """What each extra of the checkout requires."""
    listed = layout.declared()["tool"]["setuptools"]["dynamic"]["optional-dependencies"]
    return {
        extra: [line for file in files["file"] for line in requirements(file)]
        for extra, files in listed.items()
    }


def module(requirement: str) -> str:
    """The name under which a distribution is imported."""
    name = distribution(requirement)
    return IMPORTED_AS.get(name, name.replace("-", "_"))


def requirements(file: str) -> list[str]:
    """The lines of a list of requirements that name one."""
    lines = (layout.ROOT / file).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def distribution(requirement: str) -> str:
    """The name before an extra or a bound."""
    return re.split(r"[\[<>=!~; ]", requirement)[0]


def _common() -> dict[str, Any]:
    project: dict[str, Any] = dict(layout.declared()["project"])
    del project["dynamic"]
    return project | {"readme": "README.md"}


def _content(file: Path) -> bytes:
    source = (layout.ROOT / file).read_bytes()
    if file.suffix != ".py":
        return source
    try:
        return moved(source.decode(), layout.moving(), layout.HOME).encode()
    except Unmappable as error:
        error.add_note(f"in {file}")
        raise


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _pyproject(project: dict[str, Any]) -> str:
    """The pyproject.toml of a staged folder: setuptools takes all that is there."""
    system = layout.declared()["build-system"]["requires"]
    home = sorted({layout.HOME, *layout.KEPT})
    tables = {
        "build-system": {"requires": system, "build-backend": "setuptools.build_meta"},
        "project": project,
        "tool.setuptools": {"include-package-data": False},
        "tool.setuptools.packages.find": {"include": [f"{name}*" for name in home]},
        "tool.setuptools.package-data": {"*": ["**/*"]},
    }
    return "\n".join(_table(name, table) for name, table in tables.items())


def _table(name: str, table: dict[str, Any]) -> str:
    lines = (f"{json.dumps(key)} = {_value(value)}" for key, value in table.items())
    return "\n".join([f"[{name}]", *lines, ""])


def _value(value: object) -> str:
    """A TOML value; strings of JSON are strings of TOML."""
    match value:
        case dict():
            inner = (f"{json.dumps(k)} = {_value(v)}" for k, v in value.items())
            return f"{{ {', '.join(inner)} }}"
        case list():
            return f"[{_joined(value)}]"
    return json.dumps(value)


def _joined(values: Iterable[object]) -> str:
    return ", ".join(_value(value) for value in values)
