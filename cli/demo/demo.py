"""The demo: the whole service on this machine, and a report that checks it."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from cli import terminal
from cli.command import SIGMA
from cli.demo.census.simulated_rows import SimulatedRows
from cli.demo.census.uci_adult import Population, adult
from cli.demo.outcome import report
from cli.demo.scenario import Scenario, service_settings
from cli.reading.type_conversion import TypeConversion
from config.declarations import datasets
from embedded.deployment import Deployment, embedded
from embedded.worker_processes import WorkerProcesses, last_words
from sigmacount.accounting import FixedNoise
from sigmacount.release import Plan
from store.keys import Keys

EMBEDDED = " and Redis, both embedded, for trying out only"
SEED = 20230101  # of rows and questions; noise has no seed


def main(
    kafka: str | None = None, redis: str | None = None, rule: str = FixedNoise.name
) -> int:
    """Play the demo by this rule; exit code 1 when one of its checks fails."""
    out = terminal.console()
    terminal.hush()
    if (kafka is None) != (redis is None):
        out.print("error: --kafka and --redis go together; nothing was started.")
        return 2
    with tempfile.TemporaryDirectory(prefix="sigma-demo-") as folder:
        population = _population(out)
        try:
            with _servers(kafka, redis, Path(folder)) as servers:
                settings = service_settings(rule)
                passed = _play(out, servers, population, settings, Path(folder))
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
    settings: dict[str, str],
    folder: Path,
) -> bool:
    dataset = datasets.load(servers.dataset)
    typed = map(TypeConversion(dataset.schema, dataset.missing).row, population.rows)
    rows = SimulatedRows(dataset.schema, list(typed), SEED)
    servers.create_topics()
    workers = WorkerProcesses(SIGMA, settings, folder / "logs")
    out.print(
        f"servers: Kafka {servers.bootstrap}{EMBEDDED if servers.embedded else ''}"
    )
    try:
        for role in ("counter", "responder"):
            workers.start(role, 2, **servers.environment(role))
        workers.start("reclusterer", 1, **servers.environment("reclusterer"))
        scenario = Scenario(servers, workers, rows, dataset.schema, out, SEED)
        head, totals = asyncio.run(scenario.play())
    finally:
        workers.stop()
    plan = Plan.from_wire(dataset.schema, head.plan)
    passed = report.show(out, scenario.figures, head, plan, totals)
    if not servers.embedded:
        keys = Keys(dataset.schema.name).everything()
        left = f"topics {servers.prefix}* and keys {keys}"
        out.print(f"Left on your servers, for you to look at and remove: {left}")
    return passed
