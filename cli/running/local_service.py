"""`sigma up`: everything on this machine, to stay until it is told to stop."""

from __future__ import annotations

import os
import shlex
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple, cast

from rich.console import Console
from rich.markup import escape

from cli import terminal
from cli.command import SIGMA
from config.declarations import datasets
from config.exit_codes import Exit
from config.gateway import GatewaySettings
from config.privacy import Privacy
from embedded.deployment import Deployment, embedded
from embedded.local_gateway import LocalGateway
from embedded.worker_processes import WorkerProcesses, last_words
from sigmacount.mechanisms import Measure
from views import formats
from workers import clients

READY_SECONDS = 90.0
FULL = {"counter": 2, "curator": 1, "responder": 2, "reclusterer": 1, "gateway": 1}
# What a plan or a fresh question may cost follows from the budget, in its own measure.
TO_TRY_OUT = {
    "SIGMA_PRIVACY_BUDGET": "8000000",
    "SIGMA_PRIVACY_PLAN_RATE": "1000000000000",  # its days are minutes
    "SIGMA_PRIVACY_CHURN_PROBABILITY": "0.000000001",
    "SIGMA_CURATOR_EPOCH_SECONDS": "4.0",
}
DECIDED = ("SIGMA_PRIVACY_", "SIGMA_CURATOR_", "SIGMA_RECLUSTER_")  # once, for all
NOT_FOR_OTHERS = "SIGMA_KAFKA_SESSION_TIMEOUT_MS"  # a verb joins no group


class TryOut(NamedTuple):
    """What is tried out: a declaration's name or path, what may be spent, and where."""

    dataset: str
    privacy: Privacy
    gateway: GatewaySettings
    folder: Path


def up(data: Path | None = None, dataset: str | None = None) -> int:
    """Everything until Ctrl-C or SIGTERM, which are heeded from the first moment.

    Raises:
        InvalidSchema: the declaration is wrong; nothing was started.
        InvalidSettings: the environment is; nothing was started.
    """
    out = terminal.console()
    terminal.hush()
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    declared = _absolute(dataset or "adult")
    schema = datasets.load_schema(declared)
    for setting, value in TO_TRY_OUT.items():
        os.environ.setdefault(setting, value)  # the caller's own win
    settings = clients.load_settings(general={"dataset": declared})
    privacy = cast("Privacy", settings.privacy)  # there is a budget
    out.print(f"dataset {schema.name}: {schema.cells:,} cells; starting the servers")
    kept = None if data is None else data.resolve()
    with tempfile.TemporaryDirectory(prefix="sigma-up-") as folder:
        try:
            trial = TryOut(declared, privacy, settings.gateway, kept or Path(folder))
            return _serve(out, trial, kept, stop)
        except RuntimeError as error:  # a server did not come up; it says why
            out.print(f"[red]error:[/] {escape(str(error))}", soft_wrap=True)
            return Exit.AWAY


def _absolute(dataset: str) -> str:
    """A shipped dataset by its name, a file by a path that is right everywhere."""
    return dataset if dataset in datasets.shipped() else str(Path(dataset).resolve())


def _serve(
    out: Console,
    trial: TryOut,
    data: Path | None,
    stop: threading.Event,
) -> int:
    store = None if data is None else data / "store"
    with embedded(trial.dataset, store) as servers:
        servers.create_topics()
        workers = WorkerProcesses(SIGMA, {}, trial.folder / "logs")
        gateway = LocalGateway.of(trial.gateway, trial.folder)
        try:
            _start_all(out, workers, servers, gateway, stop)
            if not stop.is_set():
                _how_to_use(out, servers, trial, gateway)
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
    out: Console,
    workers: WorkerProcesses,
    servers: Deployment,
    gateway: LocalGateway,
    stop: threading.Event,
) -> None:
    began = time.monotonic()
    out.print(f"servers: Kafka {servers.bootstrap} and Redis, both embedded")
    for role, number in FULL.items():
        own = gateway.environment() if role == "gateway" else {}
        workers.start(role, number, **servers.environment(role), **own)
    out.print(f"starting {sum(FULL.values())} workers; this takes about 20 s")

    def seen(name: str) -> None:
        out.print(f"  {name} is ready after {time.monotonic() - began:.0f} s")

    workers.wait_ready(READY_SECONDS, stop=stop, seen=seen)


def _how_to_use(
    out: Console, servers: Deployment, trial: TryOut, gateway: LocalGateway
) -> None:
    """What to type next, in another terminal."""
    out.print(
        "everything is up, on loopback, for trying out; Ctrl-C stops it. The broker"
        f" keeps rows in memory only, and the budget is {_budget(trial.privacy)} unless"
        " SIGMA_PRIVACY_BUDGET says otherwise."
    )
    folder = trial.folder.resolve()
    file = folder / "env"
    told = {name: each for name, each in os.environ.items() if name.startswith(DECIDED)}
    file.write_text(exports(servers.environment("admin") | told), encoding="utf-8")
    for line in gateway.how_to_sign_in():
        out.print(line, markup=False, soft_wrap=True)
    out.print("in another terminal:")
    for line in (
        f"  source {shlex.quote(str(file))}",
        "  sigma ingest FILE.csv    sigma ask 'age >= 60'    sigma doctor",
        f"logs: {folder / 'logs'}",
    ):
        out.print(line, markup=False, soft_wrap=True)


def _budget(privacy: Privacy) -> str:
    """What may be spent in all, and with which δ."""
    epsilon = formats.amount(Measure.EPSILON, privacy.budget)
    if privacy.delta is None:
        return epsilon
    total = privacy.total
    return (
        f"{epsilon} at δ = {privacy.delta:g}, which is"
        f" {formats.amount(total.measure, total.units)},"
    )


def exports(environment: dict[str, str]) -> str:
    """Lines for a shell to source; the password is why the file is for its owner."""
    lines = (
        f"export {name}={shlex.quote(value)}\n"
        for name, value in environment.items()
        if name != NOT_FOR_OTHERS
    )
    return "".join(lines)
