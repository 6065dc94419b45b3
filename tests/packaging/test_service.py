"""Both wheels, as an operator installs them."""

from __future__ import annotations

import re
import signal
import subprocess

import pytest

from tests.fixtures.notebooks import executed, shown
from tests.integration.test_example_notebook import NOTEBOOK
from tests.packaging.environments import PIP
from wheels import layout

pytestmark = pytest.mark.integration

ASK = """\
from sigmaclient import SyncSession
with SyncSession({bootstrap!r}, client="wheel", timeout=30) as session:
    print(session.ask("").status)
"""


def test_what_it_requires_is_all_that_it_needs(service):
    """No requirement is missing or of the wrong version, the client's included."""
    check = subprocess.run(
        [*PIP, "--python", service.python, "check"], capture_output=True, check=False
    )

    assert check.returncode == 0, check.stdout


def test_every_module_of_it_imports(service):
    """Under its name in a wheel, without the extra; nothing is the checkout's."""
    told = service.script(
        "import pkgutil, importlib, sys, sigmaclient, sigmacount, sigma_service\n"
        "for package in (sigmaclient, sigmacount, sigma_service):\n"
        "    prefix = package.__name__ + '.'\n"
        "    for found in pkgutil.walk_packages(package.__path__, prefix):\n"
        "        print(importlib.import_module(found.name).__file__)\n"
        f"assert not sys.modules.keys() & {set(layout.moving())}\n"
    )

    files = told.split()
    assert len(files) > 200
    assert all(file.startswith(str(service.folder)) for file in files)


def test_the_command_speaks(service):
    """Its help, its version, and a worker's help."""
    version = layout.declared()["project"]["version"]

    assert "worker" in service.sigma("--help")
    assert version in service.sigma("--version")
    assert "counter" in service.sigma("worker", "counter", "--help")


def test_the_doctor_finds_every_library_within_its_bounds(service):
    """It reads them from the installed metadata, the client of this version too."""
    assert "all within the bounds" in service.sigma("doctor", check=False)


def test_a_common_name_is_found_under_the_services(service):
    """``import streams`` would find nothing, or somebody else's."""
    told = service.script(
        "import sigma_service.streams as found; from importlib.util import find_spec\n"
        f"print(found.__name__, *filter(find_spec, {sorted(layout.moving())}))"
    )

    assert told == "sigma_service.streams\n"


@pytest.mark.parametrize("verb", ["demo", "up"])
def test_a_verb_that_needs_servers_says_how_to_get_them(service, verb):
    """The extra is named; nothing was started."""
    said = service.sigma(verb, check=False)

    assert "pip install 'sigma-counting[embedded]'" in said
    assert "nothing was started" in said
    assert "defect" not in said


@pytest.fixture(scope="module")
def bootstrap(embedded):
    """The broker of a service with 200 rows: servers, functions, six workers."""
    rows = "".join(f"{number},{number % 90},F,Lyon\n" for number in range(200))
    (embedded.work / "people.csv").write_text(f"id,age,sex,city\n{rows}")
    command = [embedded.folder / "bin" / "sigma", "up", "--data", "kept"]
    process = subprocess.Popen(
        [*command, "--dataset", "people"],
        cwd=embedded.work,
        env=embedded.variables(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        heard = ""
        while "logs: " not in heard:
            line = process.stdout.readline()
            assert line, heard
            heard += line
        loading = "source kept/env && sigma ingest people.csv"
        embedded.run("bash", "-c", loading)
        exported = (embedded.work / "kept" / "env").read_text()
        yield re.search(r"SIGMA_KAFKA_BOOTSTRAP=(\S+)", exported)[1]
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert process.returncode == 0


def test_a_service_from_wheels_answers_a_client_from_a_wheel(bootstrap, client):
    """A question from elsewhere."""
    answered = client.script(ASK.format(bootstrap=bootstrap))

    assert answered.split()[-1] == "ok"  # after what the embedded broker cannot do


def test_the_notebook_runs_from_top_to_bottom(bootstrap, tmp_path):
    """A histogram with its price and median, frames, bars, and an accuracy reached."""
    cells = executed(NOTEBOOK, tmp_path, SIGMA_KAFKA_BOOTSTRAP=bootstrap)

    kinds = shown(cells)
    assert kinds["image/png"]
    for words in ("of the whole budget", "all rows together, 95 %", "joint_low"):
        assert words in kinds["text/html"]
    assert "Quantile(q=0.5, bin=" in kinds["text/plain"]
    assert "certainly in it:" in kinds["stdout"]
    assert re.search(r"between \d+ \d+ for 0\.\d+ ε", kinds["stdout"])
    assert "'nothing'" in kinds["text/plain"]


def test_the_notebook_runs_where_it_ran_before(bootstrap, tmp_path):
    """What it asks for is known by then: free, and still shown with a price."""
    kinds = shown(executed(NOTEBOOK, tmp_path, SIGMA_KAFKA_BOOTSTRAP=bootstrap))

    assert re.search(r"between \d+ \d+ for nothing", kinds["stdout"])
