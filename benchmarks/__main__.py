"""Every benchmark, or those named: `make bench`, `make bench ARGS=counter`.

Prints ``name value unit bar pass|short``, a figure a line; exit code 1 if one is short.
"""

from __future__ import annotations

import importlib
import sys

from benchmarks.figures import machine

NAMES = ("counter", "responder", "curator", "planner")


def main(chosen: list[str]) -> int:
    """Run the benchmarks of these names, all when none is named."""
    print(machine(), flush=True)
    short = 0
    for name in chosen or NAMES:
        for figure in importlib.import_module(f"benchmarks.bench_{name}").measure():
            print(figure, flush=True)
            short += not figure.passed
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
