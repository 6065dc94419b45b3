"""The deployment files speak of settings, roles and pages that exist."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from config.gateway import GatewaySettings
from config.servers import Web
from config.settings import variables
from embedded.deployment import USERS
from store.server.acl import ROLES as STORE_USERS
from tests.house import tree
from workers.roles.process import MAKERS

COMPOSE = (tree.ROOT / "docker-compose.yml").read_text(encoding="utf-8")
EXAMPLE = (tree.ROOT / ".env.example").read_text(encoding="utf-8")
IMAGE = (tree.ROOT / "Dockerfile").read_text(encoding="utf-8")
ROLES = tuple(MAKERS)
LED = ("curator", "reclusterer")
WEB = Web.model_fields["port"].default


@pytest.mark.parametrize("name", ["docker-compose.yml", ".env.example", "Dockerfile"])
def test_every_variable_is_a_setting(name):
    """A misspelt one is refused at start-up, which is late to find out."""
    text = (tree.ROOT / name).read_text(encoding="utf-8")

    assert set(re.findall(r"\bSIGMA_[A-Z_]+", text)) <= variables()


def test_the_example_names_what_compose_asks_for():
    """Copying it is enough to know what must be decided."""
    asked = set(re.findall(r"\$\{([A-Z_]+)", COMPOSE))
    offered = set(re.findall(r"^([A-Z_]+)=", EXAMPLE, re.MULTILINE))

    assert asked == offered


def test_the_example_decides_nothing_about_privacy():
    """No budget is copied from us, and no password is in a variable at all."""
    for name in ("BUDGET", "CHURN_PROBABILITY"):
        assert re.search(rf"{name}=$", EXAMPLE, re.MULTILINE)
    assert not re.findall(r"^\w*PASSWORD\w*=", EXAMPLE, re.MULTILINE)
    assert not re.findall(r"PASSWORD(?!\w*_FILE: /run/secrets/)\w*:", COMPOSE)


def test_each_password_is_made_as_a_file_and_seen_where_it_is_needed():
    """By the name of its user: the example makes all, and compose knows all."""
    made = re.search(r"for user in (.*); do", EXAMPLE)[1].split()
    file = r"^    file: \$\{SECRETS:-\./secrets\}/(\w+)$"
    known = re.findall(file, COMPOSE, re.MULTILINE)

    assert sorted(made) == sorted(known) == sorted(STORE_USERS)
    for role in ROLES:
        user = USERS.get(role, role)
        assert f"SIGMA_REDIS_USER: {user}\n" in service(role)
        assert f"SIGMA_REDIS_PASSWORD_FILE: /run/secrets/{user}\n" in service(role)
        assert f"secrets: [{user}]\n" in service(role)


@pytest.mark.parametrize("role", ROLES)
def test_every_role_runs_and_is_scraped(role):
    """Two of each, for one may die, but of the one that has this machine's port."""
    scraped = (tree.ROOT / "config/prometheus.yml").read_text(encoding="utf-8")

    assert f"command: [worker, {role}]" in service(role)
    assert ("replicas: 2" in service(role)) is (role != "gateway")
    assert ("*promise" in service(role)) is (role in LED)
    assert re.search(rf"names: \[.*\b{role}\b", scraped)
    assert f"port: {WEB}\n" in scraped


def test_only_what_serves_people_has_a_port_of_the_machine_and_on_loopback():
    """Metrics are the operator's; tokens travel in the clear inside this machine."""
    opened = re.findall(r"^      - (\S+):(\d+):(\d+)$", COMPOSE, re.MULTILINE)
    gateway = GatewaySettings.model_fields["port"].default

    assert {host for host, _, _ in opened} == {"127.0.0.1"}
    assert str(gateway) in {outer for _, outer, _ in opened}
    assert str(WEB) not in {outer for _, outer, _ in opened}
    assert f"EXPOSE {WEB} {gateway}\n" in IMAGE


def test_the_image_is_nobody_special_and_says_what_it_is():
    """By number, which is all that Kubernetes can judge; with a health check."""
    assert re.search(r"^USER \d{5}:\d{5}$", IMAGE, re.MULTILINE)
    assert re.search(r'^ +CMD \["sigma", "probe"\]$', IMAGE, re.MULTILINE)
    for label in ("title", "description", "licenses", "version", "revision"):
        assert f"org.opencontainers.image.{label}=" in IMAGE
    for line in ("read_only: true", "cap_drop: [ALL]", "no-new-privileges:true"):
        assert line in COMPOSE.split("x-settings:")[0]


def service(name):
    """The lines of one service."""
    block = re.search(rf"^  {name}:\n((?:    .*\n|\n)+)", COMPOSE, re.MULTILINE)
    assert block, name
    return block[1]


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
