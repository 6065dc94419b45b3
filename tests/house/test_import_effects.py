"""Importing a module does nothing: no file, socket, process, thread or handler."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.house import tree

# Runs in a process of its own: imports every module and tells what each one did.
WATCH = """
import importlib, json, logging, sys, threading

EFFECTS = {
    "os.mkdir", "os.putenv", "os.remove", "os.rename", "os.system", "os.unsetenv",
    "os.fork", "os.exec", "os.posix_spawn", "socket.bind", "socket.connect",
    "socket.getaddrinfo", "subprocess.Popen", "shutil.rmtree",
}
modules, packages = sys.argv[1].split(","), set(sys.argv[2].split(","))
told = []
loading = None


def ours(frame):  # what a library does while it is imported is its own affair
    while frame is not None:
        room = frame.f_globals.get("__name__", "").split(".")[0]
        if room in packages or room == "importlib":
            return room in packages
        frame = frame.f_back
    return False


def hook(event, args):
    writes = event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")
    if loading and (event in EFFECTS or writes) and ours(sys._getframe(1)):
        told.append(f"{loading}: {event}")


sys.dont_write_bytecode = True
sys.addaudithook(hook)
for loading in modules:
    before = threading.active_count(), list(logging.getLogger().handlers)
    importlib.import_module(loading)
    if before != (threading.active_count(), list(logging.getLogger().handlers)):
        told.append(f"{loading}: a thread or a log handler")
loading = None
print(json.dumps(told))
"""


def loaded(modules, root):
    """What importing ``modules`` did to the world, one line each."""
    packages = {module.split(".")[0] for module in modules}
    run = subprocess.run(
        [sys.executable, "-c", WATCH, ",".join(modules), ",".join(packages)],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


def test_importing_does_nothing():
    """A test, a notebook or --help may import any module without a trace."""
    modules = [tree.module(p) for p in tree.code() if p.name != "__main__.py"]

    assert not loaded(modules, tree.ROOT)


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("open('left-behind', 'w')", "open"),
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen"),
        ("import logging; logging.basicConfig()", "a thread or a log handler"),
        ("import threading; threading.Timer(0.5, str).start()", "a thread or a log"),
    ],
    ids=["file", "process", "handler", "thread"],
)
def test_an_effect_would_be_seen(tmp_path, line, effect):
    """The watcher can say no."""
    (tmp_path / "guilty.py").write_text(line)

    assert any(effect in told for told in loaded(["guilty"], tmp_path))
