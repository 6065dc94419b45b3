"""What the two wheels hold."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.house import tree
from tests.packaging.environments import PIP
from wheels import layout

pytestmark = pytest.mark.integration


def held(wheel):
    """The files of a wheel, its metadata left out."""
    names = map(Path, zipfile.ZipFile(wheel).namelist())
    return {name for name in names if not name.parts[0].endswith(".dist-info")}


def test_each_holds_its_files_and_no_others(wheels):
    """Modules and data, where `wheels.layout` puts them; together all there is."""
    client, service = held(wheels["sigma_client"]), held(wheels["sigma_counting"])

    assert client == {*map(layout.place, layout.client())} | layout.markers()
    assert service == {*map(layout.place, layout.service())}
    assert not client & service


def test_their_top_level_names_are_their_own(wheels):
    """No other project's `config` or `store` is replaced."""
    tops = {file.parts[0] for wheel in wheels.values() for file in held(wheel)}

    assert tops == {"sigma_service", "sigmaclient", "sigmacount"}


@pytest.mark.parametrize(
    "data",
    [
        "sigma_service/store/lua/charge.lua",
        "sigma_service/config/datasets/people.toml",
        "sigma_service/config/datasets.schema.json",
        "sigma_service/config/prometheus.yml",
        "sigma_service/config/alerts.yml",
        "sigmacount/py.typed",
    ],
)
def test_data_that_modules_read_is_there(wheels, data):
    """A sample by name, in case the list of data should shrink."""
    assert Path(data) in held(wheels["sigma_counting"])


def test_a_source_archive_builds_the_same_wheel(wheels, tmp_path):
    """It holds all that the build reads; made from a checkout that never built."""
    checkout = tmp_path / "checkout"
    for file in tree.files():
        copy = checkout / tree.name(file)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    script = f"from wheels import backend; backend.build_sdist({str(tmp_path)!r})"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([sys.executable, "-c", script], cwd=checkout, check=True, **quiet)
    [archive] = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    source = tmp_path / archive.name.removesuffix(".tar.gz")

    build = ["wheel", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    for project in (source, source / "wheels" / "client"):
        subprocess.run([*PIP, *build, "-w", tmp_path, project], check=True)

    for wheel in wheels.values():
        assert held(tmp_path / wheel.name) == held(wheel)
