"""Every benchmark, or those named: `make bench`, `make bench ARGS=counter`.

Prints ``name value unit bar pass|short``, a figure a line; exit code 1 if one is short.
`make bench ARGS="continual --minutes 10"` keeps the clock of epochs for so long. The
figures of the last run are kept; `make bench-compare` prints them beside the
baseline of this kind of machine, `make bench-compare ARGS=--save` then makes them it.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Mapping

from benchmarks import baseline, compare
from benchmarks.figures import Figure, machine

NAMES = (
    "counter",
    "formats",
    "responder",
    "latency",
    "curator",
    "continual",
    "planner",
    "covid",
    "growth",
    "peers",
    "growth_of_rows",
)
PACED, MINUTES = "continual", 0.5  # kept by the clock, and for how long


def main(arguments: list[str]) -> int:
    """Measure, or judge what was measured last."""
    asked = _asked(arguments)
    if not asked.compare:
        return _measure(asked.names, {PACED: {"minutes": asked.minutes}})
    now = baseline.read(baseline.LATEST)
    if not now:
        print("Nothing was measured yet: make bench")
        return 1
    code = _compare(now)
    if asked.save:
        baseline.write(baseline.path(), now.values())
        print(f"# kept as the baseline {baseline.key()}")
    return code


def _asked(arguments: list[str]) -> argparse.Namespace:
    about, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser("python -m benchmarks", None, about, more.strip())
    known = f"benchmarks to run, of: {', '.join(NAMES)}; all when none is named"
    parser.add_argument("names", nargs="*", metavar="NAME", help=known)
    told = "measure nothing; print the last run beside the baseline of this machine"
    parser.add_argument("--compare", action="store_true", help=told)
    told = "with --compare: then make the last run the baseline of this kind of machine"
    parser.add_argument("--save", action="store_true", help=told)
    told = f"how long {PACED} keeps the clock of epochs (default {MINUTES:g})"
    parser.add_argument("--minutes", type=float, default=MINUTES, help=told)
    asked = parser.parse_args(arguments)
    if unknown := sorted(set(asked.names) - set(NAMES)):
        parser.error(f"no benchmark is called {', '.join(unknown)}; {known}")
    return asked


def _measure(names: list[str], options: Mapping[str, Mapping[str, float]]) -> int:
    """Run benchmarks; what they find replaces what earlier runs found of it."""
    print(machine(), flush=True)
    kept = baseline.read(baseline.LATEST) if names else {}
    short = 0
    for name in names or NAMES:
        measure = importlib.import_module(f"benchmarks.bench_{name}").measure
        for figure in measure(**options.get(name, {})):
            print(figure, flush=True)
            short += not figure.passed
            if isinstance(figure, Figure):
                kept[figure.name] = figure
            else:
                kept.pop(figure.name, None)
            baseline.write(baseline.LATEST, kept.values())
    return 1 if short else 0


def _compare(now: baseline.Figures) -> int:
    """Judge the last run by the baseline."""
    then = baseline.read(baseline.path())
    print(machine())
    print(f"# baseline {baseline.key() if then else 'of this kind of machine: none'}")
    failed = 0
    for line in compare.compared(now, then):
        print(line)
        failed += line.failed
    for name in compare.missing(now, then):
        print(f"{name} - - - - missing")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
