"""The Java peers: jars of their own, fetched when first asked for, outside the tree.

Each lies in the cache under a name that changes with the pom and the program that it
was made from. The product needs no JVM.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from benchmarks.peers.environments import Unavailable, cache, run

JVM = Path(__file__).parent / "jvm"
FETCHING = 300.0  # seconds; both together are 150 MB
TOOLS = ("java", "javac", "mvn")
# Flink copies values of classes that modern JVMs keep closed.
OPENED = [
    f"--add-opens=java.base/java.{p}=ALL-UNNAMED" for p in ("util", "lang", "time")
]
QUIET = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
HEAP = "-Xmx3g"


def java(name: str, program: str) -> list[str]:
    """How to start the program of ``jvm``/``name`` with the jars of its pom.

    Raises:
        Unavailable: there is no Java or Maven, or the jars cannot be fetched.
    """
    for tool in TOOLS:
        if shutil.which(tool) is None:
            msg = f"it needs Java 17 and Maven, and there is no {tool}"
            raise Unavailable(msg)
    home = _home(name, program)
    if not home.is_dir():
        _make(home, name, program)
    path = os.pathsep.join((f"{home}/jars/*", f"{home}/classes"))
    return ["java", HEAP, QUIET, *OPENED, "-cp", path, program]


def _home(name: str, program: str) -> Path:
    made_from = [JVM / name / each for each in ("pom.xml", f"{program}.java")]
    seal = hashlib.sha256(b"".join(path.read_bytes() for path in made_from))
    return cache() / f"{name}-{seal.hexdigest()[:12]}"


def _make(home: Path, name: str, program: str) -> None:
    """Whole or not at all: it is made beside, then moved."""
    half = home.with_suffix(".half")
    shutil.rmtree(half, ignore_errors=True)
    copy = ["mvn", "-q", "-B", "-f", str(JVM / name / "pom.xml")]
    copy += ["dependency:copy-dependencies", "-DincludeScope=runtime"]
    run([*copy, f"-DoutputDirectory={half}/jars"], FETCHING)
    source, jars = JVM / name / f"{program}.java", f"{half}/jars/*"
    run(["javac", "-d", f"{half}/classes", "-cp", jars, str(source)], FETCHING)
    half.rename(home)
