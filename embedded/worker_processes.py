"""Worker processes: started, watched, killed and restarted.

A process that ends by itself is started again (an orchestrator does the same in
production); one that is stopped on purpose gets SIGTERM and time to finish.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from config.exit_codes import Exit
from embedded.ports import free_port

GRACE = 15.0  # seconds between SIGTERM and SIGKILL
PAUSE = 0.5  # seconds between looks at the processes
QUICK = 8.0  # a life shorter than this many seconds counts as a failed start
MOST_QUICK_DEATHS = 5  # in a row; then the watch gives up and says so
LAST_WORDS = 8  # lines of a log


@dataclass
class WorkerProcess:
    """One worker: its role, environment and current process.

    Attributes:
        command: how `sigma` is run; ``worker`` and the role are added.
    """

    command: Sequence[str]
    name: str
    role: str
    environment: dict[str, str]
    log: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    born: float = 0.0
    restarts: int = 0
    quick_deaths: int = 0

    def start(self) -> None:
        """Start the process; its output goes to its own log file."""
        environment = {
            **os.environ,
            **self.environment,
            "SIGMA_WEB_PORT": str(self.port),
        }
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [*self.command, "worker", self.role],
                env=environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.born = time.monotonic()

    def ready(self) -> bool:
        """True when the worker says on /ready that it does its job."""
        url = f"http://127.0.0.1:{self.port}/ready"
        try:
            with urllib.request.urlopen(url, timeout=1) as reply:
                return bool(reply.status == HTTPStatus.OK)
        except (urllib.error.URLError, OSError):
            return False


class WorkerProcesses:
    """All workers of one deployment on this machine, kept alive until stopped."""

    def __init__(
        self, command: Sequence[str], environment: dict[str, str], logs: Path
    ) -> None:
        self.members: list[WorkerProcess] = []
        self._command = command
        self.failed: str | None = None
        self.refused = False  # a worker said that a setting is wrong
        self._environment, self.logs = environment, logs
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._watch = threading.Thread(target=self._watching, daemon=True)
        logs.mkdir(parents=True, exist_ok=True)

    def start(self, role: str, number: int, **extra: str) -> None:
        """Start ``number`` workers of ``role`` with ``extra`` environment."""
        for _ in range(number):
            count = sum(member.role == role for member in self.members) + 1
            name = f"{role}-{count}"
            member = WorkerProcess(
                self._command,
                name,
                role,
                {**self._environment, **extra},
                self.logs / f"{name}.log",
            )
            member.start()
            with self._lock:
                self.members.append(member)
        if not self._watch.is_alive():
            self._watch.start()

    def kill(self, name: str) -> None:
        """SIGKILL one worker; the watch brings it back, as an orchestrator would."""
        member = next(member for member in self.members if member.name == name)
        if member.process is not None:
            member.process.kill()

    def wait_ready(
        self,
        seconds: float,
        role: str | None = None,
        *,
        stop: threading.Event | None = None,
        seen: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Return when every worker (of ``role``) says it is ready, or at ``stop``.

        ``seen`` is given the name of each as soon as it is ready.

        Raises:
            TimeoutError: one did not in time; the text names it and its log.
        """
        until = time.monotonic() + seconds
        waiting = [m for m in self.members if role in (None, m.role)]
        while waiting and not (stop and stop.is_set()):
            for member in [member for member in waiting if member.ready()]:
                waiting.remove(member)
                seen(member.name)
            if self.failed or (waiting and time.monotonic() > until):
                late = ", ".join(member.name for member in waiting)
                told = self.failed or f"not ready after {seconds:.0f} s: {late}"
                msg = f"{told}; see {self.logs}"
                raise TimeoutError(msg)
            time.sleep(0.1)

    def stop(self) -> None:
        """SIGTERM everybody, wait, then SIGKILL whoever is still there."""
        self._stopping.set()
        if self._watch.is_alive():
            self._watch.join()
        living = [m.process for m in self.members if m.process is not None]
        for process in living:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        until = time.monotonic() + GRACE
        for process in living:
            try:
                process.wait(max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _watching(self) -> None:
        while not self._stopping.wait(PAUSE):
            with self._lock:
                for member in self.members:
                    self._revive(member)

    def _revive(self, member: WorkerProcess) -> None:
        if member.process is None or member.process.poll() is None:
            return
        if member.process.returncode == Exit.INVALID:
            why = member.log.read_text(errors="replace").splitlines()[-1:]
            self.refused = True
            self.failed = f"{member.name} cannot start: {' '.join(why)}"
            member.process = None
            return
        quick = time.monotonic() - member.born < QUICK
        member.quick_deaths = member.quick_deaths + 1 if quick else 0
        if member.quick_deaths >= MOST_QUICK_DEATHS:
            self.failed = f"{member.name} keeps ending at once"
            member.process = None
            return
        member.restarts += 1
        member.start()


def last_words(logs: Path) -> Iterator[tuple[str, str]]:
    """Name and last lines of each worker's log in this folder."""
    for log in sorted(logs.glob("*.log")):
        lines = log.read_text(errors="replace").splitlines(keepends=True)
        yield log.name, "".join(lines[-LAST_WORDS:])
