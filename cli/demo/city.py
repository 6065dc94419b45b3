"""The city: everything on this machine, for a look (`demo`) or to stay (`up`)."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import threading
from contextlib import AbstractContextManager
from pathlib import Path

from rich.console import Console

from cli import show
from cli.demo import place as places
from cli.demo import report
from cli.demo.crew import Crew
from cli.demo.people import People
from cli.demo.place import Place
from cli.demo.population import Population, adult
from cli.demo.story import PRIVACY, Story
from cli.ingesting.cast import Cast
from config import datasets
from sigmacount.groups import Plan
from streams.admin import Admin
from streams.topics import Topics

CACHE = Path.home() / ".cache" / "sigma-counting"
SEED = 20230101  # of people and questions; noise has no seed
READY_SECONDS = 90.0
FULL = {"counter": 2, "curator": 1, "responder": 2, "reclusterer": 1}


def main(kafka: str | None = None, redis: str | None = None) -> int:
    """Play the demo; exit code 1 when one of its checks fails."""
    out = show.console()
    show.hush()
    if (kafka is None) != (redis is None):
        out.print("error: --kafka and --redis go together; nothing was started.")
        return 2
    with tempfile.TemporaryDirectory(prefix="sigma-demo-") as folder:
        population = _population(out)
        try:
            with _place(kafka, redis, Path(folder)) as place:
                passed = _play(out, place, population, Path(folder))
        except (TimeoutError, RuntimeError) as error:
            out.print(f"[red]error:[/] {error}")
            _last_words(out, Path(folder) / "logs")
            return 1
    return 0 if passed else 1


def _population(out: Console) -> Population:
    with out.status("  fetching UCI Adult (once; it is cached)"):
        population = adult(CACHE)
    style = "" if population.real else "[bold red]"
    out.print(f"{style}{len(population.rows):,} rows: {population.note}")
    return population


def _place(
    kafka: str | None, redis: str | None, folder: Path
) -> AbstractContextManager[Place]:
    if kafka is None or redis is None:
        return places.embedded("adult")
    return places.running(kafka, redis, folder)


def _play(out: Console, place: Place, population: Population, folder: Path) -> bool:
    dataset = datasets.load(place.dataset)
    cast = Cast(dataset.schema, dataset.missing)
    rows = [cast.row(row) for row in population.rows]
    people = People(dataset.schema, rows, SEED)
    _create_topics(place)
    crew = Crew(PRIVACY, folder / "logs")
    embedded = " and Redis, both embedded, for trying out only"
    out.print(f"servers: Kafka {place.bootstrap}{embedded if place.embedded else ''}")
    try:
        for role in ("counter", "responder"):
            crew.hire(role, 2, **place.environment(role))
        crew.hire("reclusterer", 1, **place.environment("reclusterer"))
        story = Story(place, crew, people, dataset.schema, out, SEED)
        head, totals = asyncio.run(story.play())
    finally:
        crew.stop()
    plan = Plan.from_wire(dataset.schema, head.plan)
    passed = report.tell(out, story.figures, head, plan, totals)
    if not place.embedded:
        left = f"topics {place.prefix}* and keys sigma:{dataset.schema.name}:*"
        out.print(f"Left on your servers, for you to look at and remove: {left}")
    return passed


def _create_topics(place: Place) -> None:
    topics = Topics.named(place.prefix, places.PARTITIONS)
    with Admin(place.bootstrap) as admin:
        admin.create(topics.all())


def _last_words(out: Console, logs: Path) -> None:
    """The end of every worker's log, since the folder ends with the demo."""
    for log in sorted(logs.glob("*.log")):
        out.print(f"[bold]{log.name}")
        out.print("".join(log.read_text().splitlines(keepends=True)[-8:]), markup=False)


def up(data: Path | None = None, dataset: str | None = None) -> int:
    """Everything on this machine until Ctrl-C."""
    out = show.console()
    show.hush()
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    with tempfile.TemporaryDirectory(prefix="sigma-up-") as folder:
        logs = (data or Path(folder)) / "logs"
        store = None if data is None else data / "store"
        with places.embedded(dataset or "adult", store) as place:
            _create_topics(place)
            crew = Crew({**PRIVACY, **_chosen()}, logs)
            try:
                _hire_all(crew, place)
                _how_to_use(out, place, logs)
                stop.wait()
            finally:
                out.print("stopping; what is in flight is finished")
                crew.stop()
    return 0


def _hire_all(crew: Crew, place: Place) -> None:
    for role, number in FULL.items():
        crew.hire(role, number, **place.environment(role))
    crew.wait_ready(READY_SECONDS)


def _chosen() -> dict[str, str]:
    """Settings of the caller's own win over those of the demo."""
    return {name: os.environ[name] for name in PRIVACY if name in os.environ}


def _how_to_use(out: Console, place: Place, logs: Path) -> None:
    """What to type next, in another terminal."""
    out.print(
        "everything is up, on loopback, for trying out; Ctrl-C stops it. The broker"
        " keeps rows in memory only, and the budget is the demo's unless"
        " SIGMA_PRIVACY_BUDGET says otherwise."
    )
    out.print("in another terminal:")
    for name, value in place.environment("admin").items():
        if name != "SIGMA_KAFKA_SESSION_TIMEOUT_MS":
            out.print(f"  export {name}='{value}'", markup=False)
    out.print("  sigma ingest FILE.csv    sigma ask 'age >= 60'    sigma doctor")
    out.print(f"logs: {logs}")
