"""What an analyst may have to handle, beside the errors of `sigmacount.errors`.

SigmaError
├── StreamUnavailable   no broker, or no topics there  → caller checks the address
├── NoSchema            no catalog of a dataset there  → caller names another, or waits
├── NoAnswer            nothing came in time           → retriable: ask again
├── NoCount             the service declined to count  → caller reads ``reason``
├── PartialTable        rows were left out of a table  → caller asks without, for free
└── ExtraMissing        a library is not installed     → caller installs the extra
"""

from __future__ import annotations

from sigmacount.errors import SigmaError


class NoAnswer(SigmaError, TimeoutError):
    """Nothing came back in time; the question may still be answered, unheard.

    Asking again is safe: a query that was answered once is answered again with
    the same noise, so repetition costs no budget.

    Attributes:
        seconds: how long the session waited.
    """

    code = "no_answer"
    retriable = True

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds

    def __str__(self) -> str:
        return (
            f"no answer within {self.seconds:g} s. Asking again is safe and costs no"
            " budget twice; if it persists, ask the operator for `sigma doctor`."
        )


class NoSchema(SigmaError):
    """The topic `catalog` has nothing about the dataset, or about several.

    Attributes:
        wanted: the dataset that was asked for, or None: the only one there.
        there: the datasets that it knows.
    """

    code = "no_schema"

    def __init__(self, wanted: str | None, there: tuple[str, ...]) -> None:
        super().__init__(wanted, there)
        self.wanted, self.there = wanted, there

    def __str__(self) -> str:
        if self.wanted is None and self.there:
            return f"the catalog holds several datasets: name one of {self._known}."
        about = "any dataset" if self.wanted is None else f"dataset {self.wanted!r}"
        known = f" It knows {self._known}." if self.there else ""
        return (
            f"the catalog says nothing about {about}.{known} A curator publishes it"
            " when it starts to lead."
        )

    @property
    def _known(self) -> str:
        return ", ".join(map(repr, self.there))


class NoCount(SigmaError):
    """The service answered, and the answer is not a count.

    Attributes:
        status: ``refused``, ``invalid`` or ``expired``.
        reason: stable machine word, such as ``budget_exhausted``.
        message: the service's words: why, and what to do.
    """

    code = "no_count"

    def __init__(self, status: str, reason: str, message: str) -> None:
        super().__init__(status, reason, message)
        self.status, self.reason, self.message = status, reason, message

    def __str__(self) -> str:
        return f"{self.status} ({self.reason}): {self.message}"


class PartialTable(SigmaError, ValueError):
    """What was asked of a table needs all of its rows in their declared order.

    Attributes:
        what: what was asked, in words.
        without: the parts of the question to leave out.
    """

    code = "partial_table"

    def __init__(self, what: str, without: str) -> None:
        super().__init__(what, without)
        self.what, self.without = what, without

    def __str__(self) -> str:
        return (
            f"{self.what}: ask the same question without {self.without}, which costs"
            " nothing more in the same epoch."
        )


class ExtraMissing(SigmaError, ImportError):
    """A frame, a plot or a file needs a library that is not installed.

    Attributes:
        library: its name.
    """

    code = "extra_missing"

    def __init__(self, library: str) -> None:
        super().__init__(library)
        self.library = library

    def __str__(self) -> str:
        return (
            f"this needs {self.library}, which is not installed; the extra `notebook`"
            " brings it: pip install 'sigma-client[notebook]', on a machine of the"
            " service 'sigma-counting[notebook]'."
        )
