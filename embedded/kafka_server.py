"""A Kafka-compatible broker in memory, for trying out: no Docker, no JVM."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

from embedded.binaries import broker_binary
from embedded.ports import HOST, free_port

READY_SECONDS = 10.0
STOP_SECONDS = 3.0

# The broker gives a batch its offsets first and shows it a moment later. Between the
# two another of its threads may show the batch that comes after, and a reader that is
# given that one steps over the first for good: questions, answers or rows that no
# worker sees. One thread does both in one go.
ONE_THREAD = {"TOKIO_WORKER_THREADS": "1"}


class EmbeddedKafka:
    """The broker as a child process; all it holds is gone when it stops.

    It ignores retention and compaction, and its ListOffsets(LATEST) is wrong:
    "read to the end" must use the high-watermark of a fetch.

    Raises:
        RuntimeError: the broker ended, or did not listen in time; its own last
            words are in the text.
    """

    def __init__(self, port: int | None = None) -> None:
        self.port = free_port() if port is None else port
        self._process: subprocess.Popen[bytes] | None = None
        self._log = Path()

    @property
    def bootstrap(self) -> str:
        """``host:port``, as Kafka clients take it."""
        return f"{HOST}:{self.port}"

    @property
    def pid(self) -> int | None:
        """Process id while it runs, or None."""
        return None if self._process is None else self._process.pid

    def start(self) -> Self:
        """Spawn the broker and wait until it listens."""
        self._refuse_port_in_use()
        url = f"tcp://{self.bootstrap}"
        # fmt: off
        command = [
            str(broker_binary()), "broker",
            "--listener-url", url,
            "--advertised-listener-url", url,
            "--storage-engine", "memory://tansu/",
        ]
        # fmt: on
        handle, name = tempfile.mkstemp(prefix="sigma-kafka-", suffix=".log")
        self._log = Path(name)
        with os.fdopen(handle, "wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=os.environ | ONE_THREAD,
            )
        try:
            self._await_listening(self._process)
        except BaseException:
            self.stop()
            raise
        return self

    def _refuse_port_in_use(self) -> None:
        """Else we would take somebody else's answer for the broker's."""
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, self.port))
            except OSError as error:
                msg = f"the embedded broker cannot listen on {self.bootstrap}: {error}"
                raise RuntimeError(msg) from error

    def _await_listening(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while True:
            if process.poll() is not None:
                raise RuntimeError(self._last_words("ended at once"))
            with (
                contextlib.suppress(OSError),
                socket.create_connection((HOST, self.port), timeout=1),
            ):
                return
            if time.monotonic() > deadline:
                raise RuntimeError(self._last_words("did not listen in time"))
            time.sleep(0.02)

    def _last_words(self, what: str) -> str:
        tail = self._log.read_text(errors="replace")[-2_000:]
        return f"the embedded broker on {self.bootstrap} {what}: {tail}"

    def kill(self) -> None:
        """SIGKILL, as a crash would; everything it held is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """SIGTERM, then SIGKILL for one that lingers; twice is as good as once."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None
        self._log.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()
