"""Who may touch what in Redis: one user for each role, nothing it does not need.

The wall of the house: only the counter and the curator can read the truth, only the
curator the noise, and neither can be reached through what a responder may do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from store import keys

# @connection brings WAITAOF where the server has it: one ACL file for all servers.
# CLIENT TRACKING would announce the truth's keys as they change.
_HELLO = "+@connection -@dangerous -client +client|setname"
_LOOK = "+get +mget +hget +hmget +hgetall +multi +exec"

# Functions that the admin loaded, never a script of one's own: it could run for ever.
_SCRIPTS = "+fcall"
_LEASE = "+get +set +exists +incr +pexpire +del"

# INFO tells memory in use, which grows with the rows: truth's two readers only.
_SAFETY = "+info"


@dataclass(frozen=True, slots=True)
class Role:
    """A Redis user.

    Attributes:
        commands: what it may say, as ACL rules in order.
        writes: key patterns it may read and write.
        reads: key patterns it may only read.
    """

    name: str
    commands: str
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()

    def rules(self, dataset: str = "*") -> tuple[str, ...]:
        """The words after ``ACL SETUSER name on >password``."""
        if self.name == "admin":
            return ("resetkeys", "~*", "resetchannels", "&*", "+@all")
        return (
            "resetkeys",
            *(f"~{keys.glob(pattern, dataset)}" for pattern in self.writes),
            *(f"%R~{keys.glob(pattern, dataset)}" for pattern in self.reads),
            "resetchannels",
            "-@all",
            *self.commands.split(),
        )


def _lease(role: str) -> tuple[str, str]:
    return (
        keys.LEASE.replace("<role>", role),
        keys.LEASE_FENCE.replace("<role>", role),
    )


_RELEASED = (keys.HEAD, keys.ARRAY, keys.MEMO, keys.HISTORY)
_PLANS = (keys.PLAN_REQUEST, keys.PLAN_DECISION)

# Whether a store has the keys of an older release: the ledger's state, which all may
# read, and for the truth's readers a partition's; see store.migration.
_OLD = (keys.old(keys.LEDGER),)
_OLD_ROWS = (keys.old(keys.META),)

_COUNTER = Role(
    "counter",
    f"{_HELLO} {_SCRIPTS} {_SAFETY} +exists +hget +hmget +hset +hsetnx +hdel +hincrby"
    " +hscan +xadd +xtrim +unlink +time",
    writes=(
        keys.META,
        keys.ROWS,
        keys.CELLS,
        keys.LOG,
        keys.CHANGES,
        keys.SPELLINGS,
    ),
    reads=(keys.LEDGER, *_OLD, *_OLD_ROWS),
)
_CURATOR = Role(
    "curator",
    f"{_HELLO} {_LOOK} {_SCRIPTS} {_LEASE} {_SAFETY} +config|get +hset +hsetnx +hkeys"
    " +hdel +hincrby +hvals +xrange +rpush +lrange +persist +unlink",
    writes=(
        keys.BASIS_FENCE,
        keys.BASIS,
        keys.NOISE_FENCE,
        keys.NOISE_UNIT,
        keys.NOISE_COUNT,
        keys.NOISE_TRAIL,
        keys.LEDGER_FENCE,
        keys.LEDGER,
        keys.LEDGER_ENTRIES,
        keys.LEDGER_SEEN,
        keys.LEDGER_CLIENTS,
        keys.LEDGER_SURCHARGED,
        keys.RELEASE_FENCE,
        *_RELEASED,
        *_lease("curator"),
    ),
    reads=(
        keys.META,
        keys.ROWS,
        keys.CELLS,
        keys.LOG,
        *_PLANS,
        keys.PLAN_RENEWALS,
        *_OLD,
        *_OLD_ROWS,
    ),
)
_RESPONDER = Role(
    "responder", f"{_HELLO} {_LOOK}", reads=(*_RELEASED, keys.LEDGER, *_OLD)
)
_RECLUSTERER = Role(
    "reclusterer",
    f"{_HELLO} {_LOOK} {_SCRIPTS} {_LEASE} +getdel",
    writes=(*_PLANS, *_lease("reclusterer")),
    reads=(*_RELEASED, keys.LEDGER, *_OLD),
)
_DASHBOARD = Role(
    "dashboard", f"{_HELLO} {_LOOK}", reads=(*_RELEASED, keys.LEDGER, *_PLANS, *_OLD)
)
_ADMIN = Role("admin", "")

USERS = (_COUNTER, _CURATOR, _RESPONDER, _RECLUSTERER, _DASHBOARD, _ADMIN)
ROLES = tuple(role.name for role in USERS)


def acl_file(passwords: Mapping[str, str], dataset: str = "*") -> str:
    """The text of an ACL file: passwords as SHA-256, the default user off."""
    lines = ["user default off resetkeys resetchannels -@all"]
    for role in USERS:
        digest = hashlib.sha256(passwords[role.name].encode()).hexdigest()
        rules = " ".join(role.rules(dataset))
        lines.append(f"user {role.name} reset on #{digest} {rules}")
    return "\n".join(lines) + "\n"
