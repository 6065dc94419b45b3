"""Errors of access: whom store and broker let in, and what they let them do."""

from __future__ import annotations

from sigmacount.errors.root import SigmaError


class StoreRefused(SigmaError):
    """Redis does not let this user in; nothing was done.

    Raised at once and never repeated: only a person can mend it. A password that is
    changed while a worker runs is met at its next connection and ends the worker,
    whose supervisor starts it with the new one.
    """

    code = "store_refused"

    def __str__(self) -> str:
        return (
            "Redis does not know this user and password; nothing was done. Set"
            " SIGMA_REDIS_USER and SIGMA_REDIS_PASSWORD (or both in SIGMA_REDIS_URL)"
            " to a user of `sigma acl`."
        )


class StoreForbids(SigmaError):
    """Redis knows this user and does not let it do that; nothing was done.

    Attributes:
        user: its name, where the server tells it.
        command: what it may not do, where the server tells it.
    """

    code = "store_forbids"

    def __init__(self, user: str | None = None, command: str | None = None) -> None:
        super().__init__(user, command)
        self.user, self.command = user, command

    def __str__(self) -> str:
        who = "this user" if self.user is None else f"the user {self.user!r}"
        what = "" if self.command is None else f" ({self.command.upper()})"
        return (
            f"Redis does not let {who} do that{what}; nothing was done. A worker needs"
            " the user of its role, a verb of the command line mostly admin: set"
            " SIGMA_REDIS_USER and SIGMA_REDIS_PASSWORD, and load the rights that"
            " `sigma acl` prints."
        )


class StreamRefused(SigmaError):
    """The broker and we do not let each other in; nothing was read or sent.

    A process that starts waits a while, for a broker may not know everybody yet; then
    only a person can mend it.

    Attributes:
        why: what of the connection failed; never a password, key or token.
        remedy: which settings to look at.
    """

    code = "stream_refused"

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why, remedy)
        self.why, self.remedy = why, remedy

    def __str__(self) -> str:
        return (
            f"no connection with the Kafka broker: {self.why}; nothing was done."
            f" {self.remedy}"
        )


class FunctionsMissing(SigmaError):
    """The store lacks our functions, and this user may not load them; nothing was done.

    Attributes:
        library: the name of the library that this release calls.
    """

    code = "functions_missing"
    retriable = True

    def __init__(self, library: str) -> None:
        super().__init__(library)
        self.library = library

    def __str__(self) -> str:
        return (
            f"Redis has not been given the functions of this release ({self.library});"
            " nothing was done. `sigma functions load`, as the user admin, gives them;"
            " whoever waits goes on by itself."
        )
