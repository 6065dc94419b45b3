"""The scenario of the demo: load, ask, recluster, churn, kill, and look back."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections import Counter
from collections.abc import Awaitable, Callable

from rich.console import Console

from cli.command import SIGMA
from cli.demo import budget
from cli.demo.census.row_traffic import RowTraffic
from cli.demo.census.simulated_rows import SimulatedRows
from cli.demo.outcome.error_comparison import compared
from cli.demo.outcome.figures import PLANNED, Figures
from cli.demo.outcome.poller import Games
from cli.demo.questions.over_http import asked_over_http
from cli.demo.questions.question_traffic import UNANSWERED, QuestionTraffic
from embedded.deployment import PARTITIONS, Deployment
from embedded.local_gateway import LocalGateway
from embedded.worker_processes import WorkerProcesses
from sigmacount.domain import Schema
from sigmacount.mechanisms import Amount, most_rho
from store.ledger.totals import Totals
from store.releases.released import Head
from store.server.clock import now_ms
from streams.clients.publisher import Publisher
from streams.dead_letters import reader
from streams.wire.topics import Topics
from workers import clients

EPOCH_SECONDS = 4.0
QUIET_EPOCHS = 10  # in which none came, so that nothing can have changed
INITIAL = 30_000  # rows there before the first epoch; the others arrive later
VICTIMS = ("counter-1", "responder-1")
MOMENT = 1.0  # seconds into the questions at which they are killed
PATIENCE = 90.0  # seconds for anything that is waited for


def service_settings(rule: str) -> dict[str, str]:
    """Of all workers: what may be spent, how plans are made, and how often."""
    return {
        "SIGMA_RECLUSTER_STRATEGY": "optimal",
        "SIGMA_CURATOR_EPOCH_SECONDS": str(EPOCH_SECONDS),
        **budget.spending(rule),
    }


class Scenario:
    """One run, from the first row to the last figure."""

    def __init__(
        self,
        servers: Deployment,
        workers: WorkerProcesses,
        rows: SimulatedRows,
        schema: Schema,
        out: Console,
        seed: int,
    ) -> None:
        self.figures = Figures()
        self._servers, self._workers, self._rows = servers, workers, rows
        self._schema, self._out = schema, out
        self._topics = Topics.named(servers.prefix, PARTITIONS)
        self._questions = QuestionTraffic(servers.bootstrap, servers.prefix, seed)
        self._settings = clients.load_settings(**servers.overrides())

    async def play(self, gateway: LocalGateway) -> tuple[Head, Totals]:
        """Everything, in order; the last head and the ledger's totals."""
        async with (
            clients.open_stores(self._settings, "sigma-demo") as stores,
            Publisher(self._servers.bootstrap, client_id="demo") as publisher,
        ):
            self._stores = stores
            traffic = RowTraffic(self._rows, publisher, self._topics.rows)
            await self._load(traffic)
            async with traffic.going_on():
                await self._ask("before any plan", 150)
                await self._recluster()
                await self._ask(PLANNED, 500)
                await asyncio.gather(self._ask(PLANNED, 900), self._kill())
            self.figures.expected, self.figures.changes = (
                traffic.expected,
                traffic.changes,
            )
            await self._settle()
            await self._last_questions(gateway)
            return await self._look_back()

    async def _load(self, traffic: RowTraffic) -> None:
        self._chapter(f"{INITIAL:,} people move in, as row events")
        self.figures.load_rate = await traffic.move_in(INITIAL, self._out)
        self._workers.start("curator", 2, **self._servers.environment("curator"))
        await self._until("the first epoch", self._served)

    async def _ask(self, phase: str, each: int) -> None:
        asked = each * len(self._questions.teams)
        self._chapter(f"{asked:,} questions from three teams, {phase}")
        routes = await self._questions.all_teams(each)
        self.figures.lost += routes[UNANSWERED]
        self.figures.routes.setdefault(phase, Counter()).update(routes)
        words = ", ".join(f"{n:,} {route}" for route, n in routes.most_common())
        self._out.print(f"  {words}")

    async def _recluster(self) -> None:
        self._chapter("The reclusterer looks at the query log and proposes a plan")
        await self._stores.plans.request({"by": "demo", "at_ms": now_ms()})
        await self._until("a plan in force", self._planned)
        decision = await self._stores.plans.decision() or {}
        for line in list(decision.get("why", []))[:4]:
            self._out.print(f"  {line}", markup=False)

    async def _kill(self) -> None:
        await asyncio.sleep(MOMENT)
        self._chapter(f"SIGKILL for {' and '.join(VICTIMS)}, in the middle of it all")
        for name in VICTIMS:
            self._workers.kill(name)

    async def _settle(self) -> None:
        self._chapter("Rows stop changing; the counters catch up, a last epoch follows")
        await asyncio.to_thread(self._workers.wait_ready, PATIENCE)
        self.figures.restarts = {
            member.name: member.restarts
            for member in self._workers.members
            if member.name in VICTIMS
        }
        await self._until("counters at the end of the topic", self._counted)
        settled = now_ms()
        await self._until("the last epoch", lambda: self._still(settled))

    async def _last_questions(self, gateway: LocalGateway) -> None:
        self._chapter("Every saved question once more, to set beside the truth")
        head = await self._stores.released.head()
        epoch = head.epoch if head else 0
        asked = self._questions.beside_the_truth(self._schema, self._rows, epoch)
        known = self.figures.known = await asked
        about = head.about if head else {}
        self.figures.errors = await asyncio.to_thread(
            compared, self._schema, known, about
        )
        self._chapter("A histogram, and the price of a question that no algebra holds")
        drawn = self._questions.histogram(self._schema, self._rows)
        self.figures.histogram = await drawn
        self._chapter(f"One of them over HTTP, at {gateway.url}")
        self.figures.over_http = await asyncio.to_thread(
            asked_over_http, gateway, known
        )
        self._chapter("Somebody polls around one event, under each rule of release")
        games = Games.of(Amount.zcdp(most_rho(budget.PLAN, budget.DELTA)))
        self.figures.polled = await asyncio.to_thread(games.played)

    async def _look_back(self) -> tuple[Head, Totals]:
        figures, stores = self.figures, self._stores
        figures.rows = len(self._rows)
        figures.chain = await stores.ledger.verify()
        figures.verified = await asyncio.to_thread(self._verified)
        found = await reader.read(self._servers.bootstrap, self._topics.dead_letters)
        figures.found = Counter(letter.reason for letter in found)
        head, totals = await stores.released.head(), await stores.ledger.totals()
        if head is None or totals is None:
            msg = "nothing was released"
            raise RuntimeError(msg)
        figures.epochs = head.epoch
        return head, totals

    def _verified(self) -> bool:
        """What `sigma verify` says, as an operator would ask it."""
        command = [*SIGMA, "verify"]
        environment = os.environ | self._servers.environment("admin")
        done = subprocess.run(
            command, env=environment, capture_output=True, check=False
        )
        return done.returncode == 0

    async def _served(self) -> bool:
        return await self._stores.released.head() is not None

    async def _planned(self) -> bool:
        head = await self._stores.released.head()
        return bool(head and head.groups)

    async def _still(self, settled: int) -> bool:
        """An epoch from after the last change, or none because nothing changed.

        None is believed late: a curator may have been taken over, on a busy machine.
        """
        head = await self._stores.released.head()
        if head is None:
            return False
        basis = await self._stores.bases.get(head.epoch)
        counted = await self._stores.truth.positions(range(PARTITIONS))
        whole = basis is not None and list(basis.positions) == counted
        late = now_ms() - settled > QUIET_EPOCHS * 1_000 * EPOCH_SECONDS
        return whole or late or head.as_of_ms > settled

    async def _counted(self) -> bool:
        ends = await asyncio.to_thread(self._ends)
        at = await self._stores.truth.positions(sorted(ends))
        return at == [ends[p] for p in sorted(ends)]

    def _ends(self) -> dict[int, int]:
        with clients.kafka_admin(self._settings.kafka) as admin:
            return admin.latest(self._topics.rows.name)

    async def _until(self, what: str, holds: Callable[[], Awaitable[bool]]) -> None:
        until = time.monotonic() + PATIENCE
        with self._out.status(f"  waiting for {what}"):
            while not await holds():
                if self._workers.failed or time.monotonic() > until:
                    why = self._workers.failed or f"{what} did not come"
                    msg = f"{why}; the workers' logs are in {self._workers.logs}"
                    raise TimeoutError(msg)
                await asyncio.sleep(0.25)

    def _chapter(self, words: str) -> None:
        self._out.print(f"[bold]▸[/] {words}")
