"""`sigma up`: everything on this machine, to stay until it is told to stop."""

from __future__ import annotations

import os
import shlex
import signal
import tempfile
import threading
import time
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from cli import terminal
from cli.command import SIGMA
from cli.demo.scenario import PRIVACY
from config.declarations import datasets
from config.exit_codes import Exit
from embedded.deployment import Deployment, embedded
from embedded.worker_processes import WorkerProcesses, last_words

READY_SECONDS = 90.0
FULL = {"counter": 2, "curator": 1, "responder": 2, "reclusterer": 1}
NOT_FOR_OTHERS = "SIGMA_KAFKA_SESSION_TIMEOUT_MS"  # a verb joins no group


def up(data: Path | None = None, dataset: str | None = None) -> int:
    """Everything until Ctrl-C or SIGTERM, which are heeded from the first moment.

    Raises:
        InvalidSchema: the declaration is wrong; nothing was started.
    """
    out = terminal.console()
    terminal.hush()
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    declared = _absolute(dataset or "adult")
    schema = datasets.load_schema(declared)
    out.print(f"dataset {schema.name}: {schema.cells:,} cells; starting the servers")
    kept = None if data is None else data.resolve()
    with tempfile.TemporaryDirectory(prefix="sigma-up-") as folder:
        try:
            return _serve(out, declared, kept, kept or Path(folder), stop)
        except RuntimeError as error:  # a server did not come up; it says why
            out.print(f"[red]error:[/] {escape(str(error))}", soft_wrap=True)
            return Exit.AWAY


def _absolute(dataset: str) -> str:
    """A shipped dataset by its name, a file by a path that is right everywhere."""
    return dataset if dataset in datasets.shipped() else str(Path(dataset).resolve())


def _serve(
    out: Console, dataset: str, data: Path | None, folder: Path, stop: threading.Event
) -> int:
    store = None if data is None else data / "store"
    with embedded(dataset, store) as servers:
        servers.create_topics()
        workers = WorkerProcesses(SIGMA, {**PRIVACY, **_chosen()}, folder / "logs")
        try:
            _start_all(out, workers, servers, stop)
            if not stop.is_set():
                _how_to_use(out, servers, folder)
            stop.wait()
        except TimeoutError as error:
            out.print(f"[red]error:[/] {escape(str(error))}", soft_wrap=True)
            terminal.print_last_words(out, last_words(workers.logs))
            return Exit.INVALID if workers.refused else Exit.FAILED
        finally:
            out.print("stopping; what is in flight is finished")
            workers.stop()
    return Exit.OK


def _start_all(
    out: Console, workers: WorkerProcesses, servers: Deployment, stop: threading.Event
) -> None:
    began = time.monotonic()
    out.print(f"servers: Kafka {servers.bootstrap} and Redis, both embedded")
    for role, number in FULL.items():
        workers.start(role, number, **servers.environment(role))
    out.print(f"starting {sum(FULL.values())} workers; this takes about 20 s")

    def seen(name: str) -> None:
        out.print(f"  {name} is ready after {time.monotonic() - began:.0f} s")

    workers.wait_ready(READY_SECONDS, stop=stop, seen=seen)


def _chosen() -> dict[str, str]:
    """Settings of the caller's own win over those of the demo."""
    return {name: os.environ[name] for name in PRIVACY if name in os.environ}


def _how_to_use(out: Console, servers: Deployment, folder: Path) -> None:
    """What to type next, in another terminal."""
    out.print(
        "everything is up, on loopback, for trying out; Ctrl-C stops it. The broker"
        " keeps rows in memory only, and the budget is the demo's unless"
        " SIGMA_PRIVACY_BUDGET says otherwise."
    )
    file = folder.resolve() / "env"
    file.write_text(exports(servers.environment("admin")), encoding="utf-8")
    out.print("in another terminal:")
    for line in (
        f"  source {shlex.quote(str(file))}",
        "  sigma ingest FILE.csv    sigma ask 'age >= 60'    sigma doctor",
        f"logs: {folder.resolve() / 'logs'}",
    ):
        out.print(line, markup=False, soft_wrap=True)


def exports(environment: dict[str, str]) -> str:
    """Lines for a shell to source; the password is why the file is for its owner."""
    lines = (
        f"export {name}={shlex.quote(value)}\n"
        for name, value in environment.items()
        if name != NOT_FOR_OTHERS
    )
    return "".join(lines)
