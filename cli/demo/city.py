"""The city: everything on this machine, for a look at it (`sigma demo`)."""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import AbstractContextManager
from pathlib import Path

from rich.console import Console

from cli.demo import report
from cli.demo.people import People
from cli.demo.population import Population, adult
from cli.demo.story import PRIVACY, Story
from cli.ingesting.cast import Cast
from config import datasets
from embedded import place as places
from embedded.crew import Crew
from embedded.place import Place
from sigmacount.release import Plan
from store.keys import Keys
from views import show

SEED = 20230101  # of people and questions; noise has no seed


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
            last_words(out, Path(folder) / "logs")
            return 1
    return 0 if passed else 1


def _population(out: Console) -> Population:
    with out.status("  fetching UCI Adult (once; it is cached)"):
        population = adult(cache())
    style = "" if population.real else "[bold red]"
    out.print(f"{style}{len(population.rows):,} rows: {population.note}")
    return population


def cache() -> Path:
    """Where the census is kept; a process in a container may have no home."""
    try:
        return Path.home() / ".cache" / "sigma-counting"
    except RuntimeError:
        return Path(tempfile.gettempdir()) / "sigma-counting"


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
    place.create_topics()
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
        keys = Keys(dataset.schema.name).everything()
        left = f"topics {place.prefix}* and keys {keys}"
        out.print(f"Left on your servers, for you to look at and remove: {left}")
    return passed


def last_words(out: Console, logs: Path) -> None:
    """The end of every worker's log, since the folder ends with the demo."""
    for log in sorted(logs.glob("*.log")):
        out.print(f"[bold]{log.name}")
        out.print("".join(log.read_text().splitlines(keepends=True)[-8:]), markup=False)
