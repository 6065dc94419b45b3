"""The figures of the last run, and those of one kind of machine to compare with.

The last run lies in ``.cache/``, which is not committed; a baseline lies in
``benchmarks/baselines/`` under a name made of the processor, the number of its cores
and the version of Python: what decides speed, and nothing that names one machine.
"""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.figures import Figure

HERE = Path(__file__).parent
BASELINES = HERE / "baselines"
LATEST = HERE.parent / ".cache" / "bench" / "latest.json"

Figures = dict[str, Figure]


def key() -> str:
    """The kind of this machine, as a file name."""
    return named(_processor(), os.cpu_count() or 1, sys.version_info[:2])


def named(processor: str, cores: int, python: tuple[int, ...]) -> str:
    """A kind of machine, as a file name."""
    words = re.sub(r"\((?:r|tm|c)\)|\bcpu\b", " ", processor.lower())
    slug = re.sub(r"[^a-z0-9]+", "-", words).strip("-")
    return f"{slug}-{cores}-cores-python-{'.'.join(map(str, python))}"


def path() -> Path:
    """Where the baseline of this kind of machine lies, if there is one."""
    return BASELINES / f"{key()}.json"


def read(file: Path) -> Figures:
    """The figures of a file by name; none when there is no file."""
    if not file.is_file():
        return {}
    kept = json.loads(file.read_text(encoding="utf-8"))
    return {name: Figure(name, **figure) for name, figure in kept.items()}


def write(file: Path, figures: Iterable[Figure]) -> None:
    """Keep figures, sorted by name so that a change is a short difference."""
    kept = {figure.name: dataclasses.asdict(figure) for figure in figures}
    for figure in kept.values():
        del figure["name"]
        figure["value"] = float(f"{figure['value']:.6g}")
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(kept, indent=2, sort_keys=True, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def _processor() -> str:
    """Its model, as the kernel tells it."""
    try:
        told = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        told = ""
    model = re.search(r"^model name\s*:\s*(.+)$", told, re.MULTILINE)
    return model[1] if model else platform.processor() or platform.machine()
