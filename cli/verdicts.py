"""Verdicts of a recount, told without a single count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.progress import track

from cli import show
from cli.exits import Exit
from cli.recount import Verdict


def bar(partitions: Sequence[int]) -> Iterable[int]:
    """The partitions, with a progress bar where somebody looks."""
    errors = show.console(stderr=True)
    hidden = not errors.is_terminal
    return track(partitions, "recounting", console=errors, disable=hidden)


def told(found: Sequence[Verdict], *, as_json: bool) -> Exit:
    """Say whether all is equal; the code to exit with."""
    off = [verdict for verdict in found if not verdict.equal]
    idle = [verdict.partition for verdict in found if not verdict.counted]
    code = Exit.FAILED if off or len(idle) == len(found) else Exit.OK
    if as_json:
        faults = [
            {"partition": v.partition, "cells": v.cells, "row_map": v.rows} for v in off
        ]
        report = {"equal": code is Exit.OK, "partitions": len(found)}
        show.as_json(report | {"not_counted": idle, "differences": faults})
        return code
    out = show.console()
    if len(idle) == len(found):
        out.print(f"{show.MARKS['fail']}  no counter has counted a partition yet")
    elif off:
        rows = [(v.partition, v.cells, v.rows) for v in off]
        out.print(f"{show.MARKS['fail']}  counts and rows topic differ")
        out.print(show.table(("partition", "cells", "cells of the row map"), rows))
        out.print("`sigma rebuild` counts the topic anew from its beginning")
    else:
        told = f"counts, row map and rows topic agree in {len(found)} partitions"
        out.print(f"{show.MARKS['ok']}  equal: {told}")
        if idle:
            out.print(f"      {len(idle)} of them without rows and without a counter")
    return code
