"""The story of the demo: load, ask, recluster, churn, kill, and look back."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

from rich.console import Console
from rich.progress import track

from cli.demo.analysts import TEAMS, Team
from cli.demo.crew import Crew
from cli.demo.figures import PLANNED, Figures, Known
from cli.demo.people import Message, People
from cli.demo.place import PARTITIONS, Place
from sigmaclient import Session
from sigmaclient.answer import Answer
from sigmaclient.errors import NoAnswer
from sigmacount.parse import parse
from sigmacount.schema import Schema
from store.ledger import Totals
from store.released import Head
from streams import letters
from streams.producer import Publisher
from streams.topics import Topics
from workers import wiring

EPOCH_SECONDS = 4.0
INITIAL = 30_000  # rows there before the first epoch; the others arrive later
IN_FLIGHT = 40  # questions of one team that wait at the same time
PATIENCE = 60.0  # seconds for one answer: a killed responder's share waits longest
PACE = 250.0  # row events a second while people live their lives
BROKEN = 4  # events of every kind of nonsense
PRIVACY = {
    "SIGMA_PRIVACY_BUDGET": "8000000",
    "SIGMA_PRIVACY_PLAN_BUDGET": "1000000",
    "SIGMA_PRIVACY_FRESH": "10000",
    "SIGMA_PRIVACY_FRESH_BUDGET": "2000000",
    "SIGMA_PRIVACY_CLIENT_QUOTA": "900000",
    "SIGMA_PRIVACY_CHURN_PROBABILITY": "0.000000001",
    "SIGMA_CURATOR_EPOCH_SECONDS": str(EPOCH_SECONDS),
}


class Story:
    """One run, from the first row to the last figure."""

    def __init__(
        self,
        place: Place,
        crew: Crew,
        people: People,
        schema: Schema,
        out: Console,
        seed: int,
    ) -> None:
        self.figures = Figures()
        self._place, self._crew, self._people = place, crew, people
        self._schema, self._out = schema, out
        self._topics = Topics.named(place.prefix, PARTITIONS)
        self._teams = [Team(name, seed) for name in TEAMS]
        self._arrived = 0

    async def play(self) -> tuple[Head, Totals]:
        """Everything, in order; the last head and the ledger's totals."""
        overrides = {
            "general": {"dataset": self._place.dataset},
            "kafka": {
                "bootstrap": self._place.bootstrap,
                "prefix": self._place.prefix,
            },
            "redis": {"url": self._place.urls["admin"]},
        }
        settings = wiring.load_settings(**overrides)
        async with (
            wiring.open_stores(settings, "sigma-demo") as stores,
            Publisher(self._place.bootstrap, client_id="demo") as rows,
        ):
            self._stores, self._settings, self._rows = stores, settings, rows
            await self._load()
            self._crew.hire("curator", 2, **self._place.environment("curator"))
            await self._until("the first epoch", self._served)
            async with self._life():
                await self._ask("before any plan", 150)
                await self._recluster()
                await self._ask(PLANNED, 500)
                await self._kill()
                await self._ask(PLANNED, 600)
            await self._settle()
            await self._last_questions()
            return await self._look_back()

    async def _load(self) -> None:
        self._chapter(f"{INITIAL:,} people move in, as row events")
        began = time.perf_counter()
        arrivals = track(
            self._people.arrivals(0, INITIAL),
            "  rows",
            total=INITIAL,
            console=self._out,
        )
        await self._send(arrivals)
        self.figures.load_rate = INITIAL / (time.perf_counter() - began)
        self._arrived = INITIAL

    @contextlib.asynccontextmanager
    async def _life(self) -> AsyncIterator[None]:
        """Rows keep changing, well and badly, while the block runs."""
        stop = asyncio.Event()
        living = asyncio.create_task(self._live(stop))
        try:
            yield
        finally:
            stop.set()
            await living

    async def _live(self, stop: asyncio.Event) -> None:
        broken = list(self._people.broken(BROKEN))
        step = int(PACE / 10)
        while not stop.is_set():
            arrivals = self._people.arrivals(self._arrived, self._arrived + step // 2)
            self._arrived += step // 2
            await self._send([*arrivals, *self._people.churn(step)])
            for bad in broken[:2]:
                await self._send([bad.message])
                self.figures.expected[bad.reason] += 1
            del broken[:2]
            self._note_epoch(await self._stores.released.head())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), 0.1)

    async def _ask(self, phase: str, each: int) -> None:
        self._chapter(
            f"{each * len(self._teams):,} questions from three teams, {phase}"
        )
        routes = self.figures.routes.setdefault(phase, Counter())
        for answers in await asyncio.gather(
            *(self._team(team, each) for team in self._teams)
        ):
            for answer in answers:
                if answer is None:
                    self.figures.lost += 1
                else:
                    routes[answer.route or answer.error_code or answer.status] += 1
        told = ", ".join(f"{n:,} {route}" for route, n in routes.most_common())
        self._out.print(f"  so far: {told}")

    async def _team(self, team: Team, questions: int) -> list[Answer | None]:
        slots = asyncio.Semaphore(IN_FLIGHT)
        async with self._session(team.name) as session:

            async def one(where: str) -> Answer | None:
                async with slots:
                    try:
                        return await session.ask(where, timeout=PATIENCE)
                    except NoAnswer:
                        return None

            asked = [one(team.question()) for _ in range(questions)]
            return await asyncio.gather(*asked)

    async def _recluster(self) -> None:
        self._chapter("The reclusterer looks at the query log and proposes a plan")
        await self._stores.plans.request({"by": "demo", "at_ms": _now_ms()})
        await self._until("a plan in force", self._planned)
        decision = await self._stores.plans.decision() or {}
        for line in list(decision.get("why", []))[:4]:
            self._out.print(f"  {line}", markup=False)

    async def _kill(self) -> None:
        victims = ["counter-1", "responder-1"]
        self._chapter(f"SIGKILL for {' and '.join(victims)}, in the middle of it all")
        for name in victims:
            self._crew.kill(name)
            self.figures.restarts[name] = 0

    async def _settle(self) -> None:
        self._chapter("Rows stop changing; the counters catch up, a last epoch follows")
        await asyncio.to_thread(self._crew.wait_ready, 60.0)
        for member in self._crew.members:
            if member.name in self.figures.restarts:
                self.figures.restarts[member.name] = member.restarts
        await self._until("counters at the end of the topic", self._counted)
        settled = _now_ms()

        async def still() -> bool:
            head = await self._stores.released.head()
            self._note_epoch(head)
            late = _now_ms() - settled > 3_000 * EPOCH_SECONDS
            return late or (head is not None and head.as_of_ms > settled)

        await self._until("the last epoch", still)

    async def _last_questions(self) -> None:
        segments = {
            parse(self._schema, segment.plainly()): segment
            for team in self._teams
            for segment in team.saved
        }
        self._chapter(f"{len(segments)} questions once more, to set beside the truth")
        async with self._session("demo") as session:
            for query, segment in segments.items():
                where = segment.plainly()
                answer = await session.ask(where, timeout=PATIENCE)
                truth = self._people.count(query)
                self.figures.known.append(Known(where, query, answer, truth))

    async def _look_back(self) -> tuple[Head, Totals]:
        self.figures.rows = len(self._people)
        self.figures.chain = await self._stores.ledger.verify()
        command = [sys.executable, "-m", "cli.main", "verify"]
        environment = os.environ | self._place.environment("admin")
        verified = await asyncio.to_thread(
            subprocess.run, command, env=environment, capture_output=True, check=False
        )
        self.figures.verified = verified.returncode == 0
        found = await letters.read(self._place.bootstrap, self._topics.dead_letters)
        self.figures.found = Counter(letter.reason for letter in found)
        head, totals = (
            await self._stores.released.head(),
            await self._stores.ledger.totals(),
        )
        if head is None or totals is None:
            msg = "nothing was released"
            raise RuntimeError(msg)
        return head, totals

    async def _served(self) -> bool:
        return await self._stores.released.head() is not None

    async def _planned(self) -> bool:
        head = await self._stores.released.head()
        return bool(head and head.groups)

    async def _counted(self) -> bool:
        ends = await asyncio.to_thread(self._ends)
        at = await self._stores.truth.positions(sorted(ends))
        return at == [ends[p] for p in sorted(ends)]

    def _ends(self) -> dict[int, int]:
        with wiring.kafka_admin(self._settings.kafka) as admin:
            return admin.latest(self._topics.rows.name)

    async def _until(
        self, what: str, holds: Callable[[], Awaitable[bool]], seconds: float = 90.0
    ) -> None:
        until = time.monotonic() + seconds
        with self._out.status(f"  waiting for {what}"):
            while not await holds():
                if self._crew.failed or time.monotonic() > until:
                    why = self._crew.failed or f"{what} did not come"
                    msg = f"{why}; the workers' logs are in {self._crew.logs}"
                    raise TimeoutError(msg)
                await asyncio.sleep(0.25)

    async def _send(self, messages: Iterable[Message]) -> None:
        for key, value in messages:
            await self._rows.send_raw(self._topics.rows.name, key, value)
        await self._rows.flush()

    def _session(self, client: str) -> Session:
        return Session(self._place.bootstrap, client=client, prefix=self._place.prefix)

    def _note_epoch(self, head: Head | None) -> None:
        if head is not None and head.epoch not in self.figures.epochs:
            self.figures.epochs.append(head.epoch)

    def _chapter(self, words: str) -> None:
        self._out.print(f"[bold]▸[/] {words}")


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
