"""The systemd unit and the blocks of settings beside it say what the code does."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from config.exit_codes import Exit
from config.settings import variables
from embedded.deployment import USERS
from tests.house import tree
from workers.roles.process import MAKERS

UNIT = (tree.ROOT / "config/systemd/sigma-worker@.service").read_text(encoding="utf-8")
PAGE = (tree.ROOT / "docs/operations.md").read_text(encoding="utf-8")
PART = re.search(r"^## Under systemd\n(.*?)^## ", PAGE, re.MULTILINE | re.DOTALL)[1]
GATEWAYS = (tree.ROOT / "config/systemd/gateway.conf").read_text(encoding="utf-8")
ROLES = tuple(MAKERS)


def block(role):
    """The variables of a role's own file."""
    text = re.search(rf"# {role}-1\.env\n((?:\w+=\S*\n)+)", PART)[1]
    return dict(line.split("=", 1) for line in text.splitlines())


def test_every_variable_of_a_block_is_a_setting():
    """A worker refuses a misspelt one."""
    named = set(re.findall(r"\bSIGMA_[A-Z_]+", PART + UNIT))

    assert named <= variables()


@pytest.mark.parametrize("role", ROLES)
def test_each_role_has_a_block_with_a_user_of_its_own(role):
    """The store lets no role do another's work."""
    settings = block(role)

    user = USERS.get(role, role)
    assert (settings["ROLE"], settings["SIGMA_REDIS_USER"]) == (role, user)
    assert not [name for name in settings if "PASSWORD" in name]


def test_workers_that_share_a_machine_have_ports_of_their_own():
    """The second would end at once."""
    blocks = [block(role) for role in ROLES]
    told = [b[name] for b in blocks for name in b if name.endswith("_PORT")]
    more = re.findall(r"\b(6\d{3}|8\d{3})\b", PART[PART.index("**Ports.**") :])

    assert len(told) == len(ROLES) + 1
    assert len({*told, *more}) == len(told) + len(more)


def test_who_plans_and_who_pays_are_told_the_same_promise():
    """And nobody else is told any."""
    told = {
        role: {
            name: value
            for name, value in block(role).items()
            if name.startswith(("SIGMA_PRIVACY_", "SIGMA_CURATOR_"))
        }
        for role in ROLES
    }

    assert told["curator"] == told["reclusterer"] != {}
    assert told["counter"] == told["responder"] == told["gateway"] == {}


def test_the_unit_runs_the_role_of_its_file():
    """Both files are read, and the command is the one that the service has."""
    assert "EnvironmentFile=/etc/sigma/common.env\n" in UNIT
    assert "EnvironmentFile=/etc/sigma/%i.env\n" in UNIT
    assert "LoadCredential=password:/etc/sigma/%i.password\n" in UNIT
    assert "Environment=SIGMA_REDIS_PASSWORD_FILE=%d/password\n" in UNIT
    assert re.search(r"^ExecStart=\S+/sigma worker \${ROLE}$", UNIT, re.MULTILINE)


def test_it_stays_down_only_where_a_person_is_needed():
    """A server that is away comes back; the others stay as they are."""
    listed = re.search(r"^RestartPreventExitStatus=(.*)$", UNIT, re.MULTILINE)[1]

    wanted = {Exit.INVALID, Exit.WENT_BACK, Exit.OLD_KEYS}
    assert {Exit(int(code)) for code in listed.split()} == wanted


def test_systemd_takes_the_unit(tmp_path):
    """No unknown line; with a program in the place of the service."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "sigma-worker@counter-1.service"
    unit.write_text(UNIT.replace("/opt/sigma/bin/sigma", sys.executable))
    more = tmp_path / f"{unit.name}.d"
    more.mkdir()
    (more / "gateway.conf").write_text(GATEWAYS)

    run = subprocess.run(
        [analyze, "verify", "--man=no", unit],
        capture_output=True,
        text=True,
        check=False,
    )

    names = (unit.name, "gateway.conf")
    said = [line for line in run.stderr.splitlines() if any(n in line for n in names)]
    assert not said
