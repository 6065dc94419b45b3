"""The deployment files speak of settings, roles and pages that exist."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from config.settings import declared
from tests.house import tree

COMPOSE = (tree.ROOT / "docker-compose.yml").read_text(encoding="utf-8")
EXAMPLE = (tree.ROOT / ".env.example").read_text(encoding="utf-8")
ROLES = ("counter", "curator", "responder", "reclusterer")
KNOWN = {setting.variable for setting in declared()}


@pytest.mark.parametrize("name", ["docker-compose.yml", ".env.example", "Dockerfile"])
def test_every_variable_is_a_setting(name):
    """A misspelt one is refused at start-up, which is late to find out."""
    text = (tree.ROOT / name).read_text(encoding="utf-8")

    assert set(re.findall(r"\bSIGMA_[A-Z_]+", text)) <= KNOWN


def test_the_example_names_what_compose_asks_for():
    """Copying it is enough to know what must be decided."""
    asked = set(re.findall(r"\$\{([A-Z_]+)", COMPOSE))
    offered = set(re.findall(r"^([A-Z_]+)=", EXAMPLE, re.MULTILINE))

    assert asked == offered


def test_the_example_decides_nothing_about_privacy():
    """Neither a budget nor a password is copied from us."""
    for name in (
        "BUDGET",
        "CHURN_PROBABILITY",
        *(f"{r.upper()}_PASSWORD" for r in ROLES),
    ):
        assert re.search(rf"{name}=$", EXAMPLE, re.MULTILINE)


@pytest.mark.parametrize("role", ROLES)
def test_every_role_runs_twice_and_is_scraped(role):
    """Two of each: one may die."""
    block = re.search(rf"^  {role}:\n((?:    .*\n|\n)+)", COMPOSE, re.MULTILINE)
    scraped = (tree.ROOT / "config/prometheus.yml").read_text(encoding="utf-8")

    assert block
    assert f"command: [worker, {role}]" in block[1]
    assert "replicas: 2" in block[1]
    assert re.search(rf"names: \[.*\b{role}\b", scraped)


def test_compose_accepts_the_file(tmp_path):
    """No warning, no unset variable, with nothing decided yet."""
    command = compose()

    run = subprocess.run(
        [*command, "--file", tree.ROOT / "docker-compose.yml", "config"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    assert not run.stderr


def compose() -> list[str]:
    """Docker's own, or the older one, or none on this machine."""
    if shutil.which("docker"):
        plugin = ["docker", "compose"]
        asked = subprocess.run([*plugin, "version"], capture_output=True, check=False)
        if asked.returncode == 0:
            return plugin
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    pytest.skip("docker compose is not installed")
