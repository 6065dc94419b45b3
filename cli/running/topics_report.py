"""What a look at the topics found, as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from config.exit_codes import Exit
from streams.admin.topic_facts import Difference
from streams.admin.topic_notes import Note
from views import formats


def report(
    out: Console,
    notes: Sequence[Note],
    found: Sequence[str | Difference],
    looked: int,
) -> Exit:
    """Notes, faults and what is not known, a line each; the exit code."""
    for note in notes:
        out.print(f"{formats.MARKS['warn']}  {note.words} ({note.remedy})")
    unknown = [each for each in found if not isinstance(each, str) and each.unknown]
    faults = [each for each in found if each not in unknown]
    for fault in faults:
        out.print(f"{formats.MARKS['fail']}  {fault}")
    if unknown:
        out.print(
            f"{formats.MARKS['warn']}  {len(unknown)} settings are not reported by"
            " this broker"
        )
    if not faults:
        out.print(f"{formats.MARKS['ok']}  {looked} topics are as they should be")
    return Exit.FAILED if faults else Exit.OK
