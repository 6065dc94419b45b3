"""What an exit code tells a script, and how every error becomes one clear line."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable

from config.exit_codes import Exit
from sigmacount.errors import SigmaError

BY_CODE = {
    "invalid_predicate": Exit.INVALID,
    "unknown_name": Exit.INVALID,
    "edge_inside_bin": Exit.INVALID,
    "query_too_complex": Exit.INVALID,
    "invalid_settings": Exit.INVALID,
    "invalid_schema": Exit.INVALID,
    "domain_too_large": Exit.INVALID,
    "rule_pinned": Exit.INVALID,
    "measure_pinned": Exit.INVALID,
    "horizon_pinned": Exit.INVALID,
    "rules_do_not_mix": Exit.INVALID,
    "budget_exhausted": Exit.REFUSED,
    "above_max_cost": Exit.REFUSED,
    "no_answer": Exit.LATE,
    "partial_table": Exit.INVALID,
    "extra_missing": Exit.INVALID,
    "too_many_standing": Exit.REFUSED,
    "standing_needs_noise": Exit.REFUSED,
    "servers_missing": Exit.INVALID,
    "store_refused": Exit.INVALID,
    "store_forbids": Exit.INVALID,
    "stream_refused": Exit.INVALID,
    "functions_missing": Exit.AWAY,
    "store_unavailable": Exit.AWAY,
    "store_went_back": Exit.WENT_BACK,
    "old_keys": Exit.OLD_KEYS,
    "stream_unavailable": Exit.AWAY,
}


class CommandRefused(SigmaError):
    """A verb cannot do what was asked; its text says why and what to do."""

    code = "invalid_settings"


class EndOfFile(Exception):
    """An EOFError on its way past click, which would say "Aborted." and no more."""


def code_of(error: SigmaError | type[SigmaError]) -> Exit:
    """The exit code of an error that was raised on purpose."""
    return BY_CODE.get(error.code, Exit.FAILED)


def guarded(run: Callable[[], object]) -> int:
    """Run a command line; the code to exit with. Errors are one line on stderr.

    A foreign error's text may quote a row, so only its type and place are shown.
    """
    try:
        run()
    except SigmaError as error:
        return _failed(str(error), code_of(error))
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away: nobody is left to read it
        return Exit.FAILED
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else Exit.FAILED
    except Exception as error:  # noqa: BLE001  (the last line of defence)
        return _failed(_defect(error), Exit.DEFECT)
    return Exit.OK


def _failed(text: str, code: Exit) -> Exit:
    print(f"error: {text}", file=sys.stderr)
    return code


def _defect(error: BaseException) -> str:
    if isinstance(error, EndOfFile) and error.__cause__ is not None:
        error = error.__cause__
    frames = traceback.extract_tb(error.__traceback__)[-4:]
    where = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames))
    kind = type(error).__name__
    return f"{kind} in {where}: this is a defect of sigma, please report this line."
