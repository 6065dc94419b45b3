"""The demo: the whole service on this machine, and a report that checks it."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import tempfile
import threading
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.markup import escape

from cli import terminal
from cli.command import SIGMA
from cli.demo import budget
from cli.demo.census.simulated_rows import SimulatedRows
from cli.demo.census.uci_adult import Population, adult
from cli.demo.outcome import report
from cli.demo.scenario import Scenario, service_settings
from cli.reading.type_conversion import TypeConversion
from config.declarations import datasets
from config.exit_codes import Exit
from embedded.deployment import Deployment, embedded
from embedded.local_gateway import LocalGateway
from embedded.worker_processes import WorkerProcesses, last_words
from sigmacount.accounting import FixedNoise
from sigmacount.release import Plan
from store.keys import Keys
from workers import clients

EMBEDDED = " and Redis, both embedded, for trying out only"
SEED = 20230101  # of rows and questions; noise has no seed


class DemoOptions(NamedTuple):
    """The rule that it is played by, and whether all of it runs on afterwards."""

    rule: str = FixedNoise.name
    keep: bool = False


def main(
    options: DemoOptions, kafka: str | None = None, redis: str | None = None
) -> int:
    """Play the demo; exit code 1 when one of its checks fails.

    Raises:
        KeyboardInterrupt: on SIGTERM too; whatever was started has ended.
    """
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    out = terminal.console()
    terminal.hush()
    if (kafka is None) != (redis is None):
        out.print("error: --kafka and --redis go together; nothing was started.")
        return 2
    if budget.pure(os.environ):
        out.print(
            f"error: the demo promises its {budget.BUDGET / 1e6:g} ε at δ ="
            f" {budget.DELTA:g}, under either rule, and SIGMA_PRIVACY_MEASURE asks for"
            " pure ε; nothing was started. Unset it, or try pure ε with `sigma up`.",
            soft_wrap=True,
        )
        return Exit.INVALID
    with tempfile.TemporaryDirectory(prefix="sigma-demo-") as folder:
        population = _population(out)
        try:
            with _servers(kafka, redis, Path(folder)) as servers:
                passed = _play(out, servers, population, options, Path(folder))
        except (TimeoutError, RuntimeError) as error:
            out.print(f"[red]error:[/] {escape(str(error))}")
            terminal.print_last_words(out, last_words(Path(folder) / "logs"))
            return 1
    return 0 if passed else 1


def _population(out: Console) -> Population:
    with out.status("  fetching UCI Adult (once; it is cached)"):
        population = adult()
    style = "" if population.real else "[bold red]"
    out.print(f"{style}{len(population.rows):,} rows: {population.note}")
    return population


def _servers(
    kafka: str | None, redis: str | None, folder: Path
) -> AbstractContextManager[Deployment]:
    if kafka is None or redis is None:
        return embedded("adult")
    return nullcontext(_elsewhere(kafka, redis, folder))


def _elsewhere(kafka: str, redis: str, folder: Path) -> Deployment:
    """Servers that run already; a name of its own keeps everything else untouched.

    Topics and keys stay there for inspection; the report names them.
    """
    name = f"adult-demo-{secrets.token_hex(3)}"
    text = (datasets.SHIPPED / "adult.toml").read_text(encoding="utf-8")
    declared = folder / f"{name}.toml"
    declared.write_text(text.replace('name = "adult"', f'name = "{name}"'))
    return Deployment(
        kafka, f"{name}.", str(declared), {"admin": redis}, embedded=False
    )


def _play(
    out: Console,
    servers: Deployment,
    population: Population,
    options: DemoOptions,
    folder: Path,
) -> bool:
    dataset = datasets.load(servers.dataset)
    typed = map(TypeConversion(dataset.schema, dataset.missing).row, population.rows)
    rows = SimulatedRows(dataset.schema, list(typed), SEED)
    servers.create_topics()
    gateway = LocalGateway.of(clients.without_dataset().gateway, folder)
    workers = WorkerProcesses(SIGMA, service_settings(options.rule), folder / "logs")
    out.print(
        f"servers: Kafka {servers.bootstrap}{EMBEDDED if servers.embedded else ''}"
    )
    try:
        _start(workers, servers, gateway)
        scenario = Scenario(servers, workers, rows, dataset.schema, out, SEED)
        head, totals = asyncio.run(scenario.play(gateway))
        plan = Plan.from_wire(dataset.schema, head.plan)
        passed = report.show(out, scenario.figures, head, plan, totals)
        _end(out, gateway, keep=options.keep)
    finally:
        workers.stop()
    if not servers.embedded:
        keys = Keys(dataset.schema.name).everything()
        left = f"topics {servers.prefix}* and keys {keys}"
        out.print(f"Left on your servers, for you to look at and remove: {left}")
    return passed


def _start(
    workers: WorkerProcesses, servers: Deployment, gateway: LocalGateway
) -> None:
    """All but the curators, which come when there are rows."""
    for role, number in (("counter", 2), ("responder", 2), ("reclusterer", 1)):
        workers.start(role, number, **servers.environment(role))
    own = servers.environment("gateway") | gateway.environment()
    workers.start("gateway", 1, **own)


def _end(out: Console, gateway: LocalGateway, *, keep: bool) -> None:
    """Where everything can be looked at; until Ctrl-C, if it is to stay."""
    if not keep:
        out.print(
            f"\nIts dashboard was at {gateway.url}; with --keep it stays until Ctrl-C."
        )
        return
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    out.print("\nEverything keeps running until Ctrl-C.")
    for line in gateway.how_to_sign_in():
        out.print(line, markup=False, soft_wrap=True)
    stop.wait()
    out.print("stopping; what is in flight is finished")
