"""Exit codes: what the end of a process means to a script or a supervisor."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of every verb."""

    OK = 0
    FAILED = 1
    INVALID = 2  # click's code, too
    REFUSED = 3
    LATE = 4
    AWAY = 5
    WENT_BACK = 6
    OLD_KEYS = 7
    DEFECT = 70
    INTERRUPTED = 130


MEANINGS = {
    Exit.OK: "it was done; a worker was asked to stop",
    Exit.FAILED: "a check found a fault, or a fault has no code of its own",
    Exit.INVALID: "the question, an option, a setting or the declaration is wrong",
    Exit.REFUSED: "the service declines: no budget is left, or it is too dear",
    Exit.LATE: "no answer in time, or it came too late to be given",
    Exit.AWAY: "a server does not answer; trying again may help",
    Exit.WENT_BACK: "the store is behind what was shown; `sigma ledger restore`",
    Exit.OLD_KEYS: "the store is of an older release; `sigma migrate-keys`",
    Exit.DEFECT: "a defect of the service; please report the line it printed",
    Exit.INTERRUPTED: "it was interrupted (Ctrl-C)",
}


def meaning(code: Exit) -> str:
    """What an exit code says, for people."""
    return MEANINGS[code]
