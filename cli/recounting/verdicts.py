"""Report of a recount, without a single count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.progress import track

from cli import terminal
from cli.recounting import duplicate_ids
from cli.recounting.duplicate_ids import Duplicates
from cli.recounting.recount import Comparison
from config.exit_codes import Exit
from views import formats

UNCOUNTED = (
    "start a counter; or, if the topic was given more partitions, send every row anew"
    " to a topic made with the number that is meant, then `sigma rebuild`"
)


def bar(partitions: Sequence[int]) -> Iterable[int]:
    """The partitions, with a progress bar where somebody looks."""
    errors = terminal.console(stderr=True)
    hidden = not errors.is_terminal
    return track(partitions, "recounting", console=errors, disable=hidden)


def report(
    found: Sequence[Comparison], topic: Duplicates, store: Duplicates, *, as_json: bool
) -> Exit:
    """Say whether all is equal, and each id counted once; the code to exit with."""
    off = [verdict for verdict in found if not verdict.equal]
    idle = [verdict.partition for verdict in found if not verdict.counted]
    wrong = bool(off or idle or topic.ids or store.ids)
    code = Exit.FAILED if wrong else Exit.OK
    if as_json:
        terminal.print_json(_report(found, off, idle, topic, store))
    elif len(idle) == len(found):
        _fail(terminal.console(), "no counter has counted a partition yet", None)
    else:
        _tell(terminal.console(), found, off, idle)
        _tell_doubles(terminal.console(), topic, store)
    return code


def _report(
    found: Sequence[Comparison],
    off: Sequence[Comparison],
    idle: Sequence[int],
    topic: Duplicates,
    store: Duplicates,
) -> dict[str, object]:
    """``equal`` speaks of counts and topic alone, the other fields of the rest."""
    return {
        "equal": not off and not idle,
        "partitions": len(found),
        "not_counted": idle,
        "differences": [
            {"partition": v.partition, "cells": v.cells, "row_map": v.rows} for v in off
        ],
        "in_two_partitions": {
            name: {"ids": each.ids, "between": each.between}
            for name, each in (("topic", topic), ("store", store))
        },
        "wrong_partition": {v.partition: v.astray for v in found if v.astray},
    }


def _tell(
    out: Console,
    found: Sequence[Comparison],
    off: Sequence[Comparison],
    idle: Sequence[int],
) -> None:
    if off:
        rows = [(v.partition, v.cells, v.rows) for v in off]
        _fail(out, "counts and rows topic differ", None)
        out.print(formats.table(("partition", "cells", "cells of the row map"), rows))
        out.print("`sigma rebuild` counts the topic anew from its beginning")
    else:
        words = "counts, row map and rows topic agree in"
        here = len(found) - len(idle)
        out.print(f"{formats.MARKS['ok']}  equal: {words} {here} partitions")
    if idle:
        which = ", ".join(map(str, idle))
        _fail(out, f"no counter has counted partition {which}", UNCOUNTED)
    if astray := [v.partition for v in found if v.astray]:
        which = ", ".join(map(str, astray))
        words = f"partition {which} has records of ids that belong to another"
        out.print(
            f"{formats.MARKS['warn']}  {words}: not counted, among the dead letters"
        )
        out.print(f"      {duplicate_ids.REMEDY}")


def _tell_doubles(out: Console, topic: Duplicates, store: Duplicates) -> None:
    for where, each in (("in the topic", topic), ("in the store", store)):
        if each.ids:
            _fail(out, f"{where}, {each}", duplicate_ids.REMEDY)


def _fail(out: Console, words: str, remedy: str | None) -> None:
    out.print(f"{formats.MARKS['fail']}  {words}")
    if remedy:
        out.print(f"      {remedy}")
