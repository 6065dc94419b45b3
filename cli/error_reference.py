"""The table of docs/errors.md, made from the errors and exit codes themselves.

Run by ``make docs``; a house test compares the file with what this prints.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import sigmaclient.errors  # noqa: F401 - the same
from cli.exits import code_of
from cli.exporting import reading as _reading  # noqa: F401  (its errors are listed too)
from config import settings as _settings  # noqa: F401  (its errors are listed too)
from config.exit_codes import Exit, meaning
from embedded import binaries as _binaries  # noqa: F401  (the same)
from sigmacount.errors import SigmaError
from workers import gateway as _gateway  # noqa: F401  (the same)

HEAD = """\
# Errors

Every error that the service raises on purpose has a stable word, its code. It stands in
`error.code` of an answer and in the logs, and decides the exit code of a verb or worker
that it ends. This page is made from the code by `make docs`.

An error's text says who, how much, what happened to the state and what to do. It never
holds a true count, noise or a value of a row.
"""
EXITS = """
## Exit codes

| code | says |
| --- | --- |
"""
CODES = """
## Codes

"Again" says whether the same act may succeed later, unchanged.

| code | again | exit code | says |
| --- | --- | --- | --- |
"""


def errors() -> str:
    """docs/errors.md."""
    exits = "".join(f"| {code.value} | {meaning(code)} |\n" for code in Exit)
    return HEAD + EXITS + exits + CODES + "".join(sorted(map(_row, _kinds(SigmaError))))


def _kinds(kind: type[SigmaError]) -> Iterator[type[SigmaError]]:
    """Every error below one that has a code of its own."""
    for each in kind.__subclasses__():
        if "code" in vars(each) and not each.__module__.startswith("tests"):
            yield each
        yield from _kinds(each)


def _row(kind: type[SigmaError]) -> str:
    says = (kind.__doc__ or "").splitlines()[0].replace("``", "`").replace("|", "\\|")
    again = "yes" if kind.retriable else "no"
    return f"| `{kind.code}` | {again} | {code_of(kind).value} | {says} |\n"


if __name__ == "__main__":
    sys.stdout.write(errors())
