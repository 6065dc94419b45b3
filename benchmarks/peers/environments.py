"""An environment for each peer, made on demand from its lock, outside the tree.

Their pins clash with ours and with each other's, so each has its own.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
INSTALLING = 900.0  # seconds; some hundred megabytes the first time


class Unavailable(Exception):
    """A peer that cannot be installed or run here; the text is the reason."""


def python_of(name: str, locks: Path = HERE) -> Path:
    """The Python that has all of ``<name>.lock``; made anew when the lock changes.

    Raises:
        Unavailable: it cannot be installed; the caller skips the peer.
    """
    lock = locks / f"{name}.lock"
    seal = hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()
    home = cache() / name
    python, stamp = home / "bin" / "python", home / "seal"
    if stamp.is_file() and stamp.read_text(encoding="ascii") == seal:
        return python
    shutil.rmtree(home, ignore_errors=True)
    run([sys.executable, "-m", "venv", str(home)], INSTALLING)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    run([*pip, "install", "-q", "--require-hashes", "-r", str(lock)], INSTALLING)
    stamp.write_text(seal, encoding="ascii")
    return python


def told_by(name: str, script: str, arguments: Sequence[str], seconds: float) -> str:
    """What ``script`` of this folder prints, run in the environment of ``name``.

    Raises:
        Unavailable: it cannot be installed, fails, or takes longer than ``seconds``.
    """
    return run([str(python_of(name)), str(HERE / script), *arguments], seconds)


def cache() -> Path:
    """The directory that outlives a checkout and never enters git."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "sigma-counting" / "peers"


def run(command: Sequence[str], seconds: float) -> str:
    """What the command prints.

    Raises:
        Unavailable: it cannot be started, fails, or takes longer than ``seconds``.
    """
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(type(error).__name__) from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise Unavailable(lines[-1][:200])
    return done.stdout
