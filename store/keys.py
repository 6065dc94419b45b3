"""Redis keys: every pattern is spelled here and nowhere else.

``<…>`` are the parts that vary; ``{…}`` is a hash tag, so that all keys of one tag
live in one slot of a Redis Cluster and one script may touch them together. The dataset
is part of every tag: two datasets share no slot but by chance.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

META = "sigma:{<ds>:rows:<p>}:meta"  # hash: identity, fence, next, last, generation
ROWS = "sigma:{<ds>:rows:<p>}:rows"  # hash: row id → 8-byte cell code
CELLS = "sigma:{<ds>:rows:<p>}:cells"  # hash: 8-byte cell code → true count
LOG = "sigma:{<ds>:rows:<p>}:log"  # stream: true deltas of each batch
CHANGES = "sigma:{<ds>:rows:<p>}:changes"  # hash: row id → how often, 8-byte cell
SPELLINGS = "sigma:{<ds>:rows}:spellings"  # hash: topic → how its keys are spelled
BASIS_FENCE = "sigma:{<ds>:rows}:fence"  # newest curator token seen here
BASIS = "sigma:{<ds>:rows}:basis"  # hash: epoch → digest of the counts it came from

NOISE_FENCE = "sigma:{<ds>:noise}:fence"  # newest curator token seen here
NOISE_UNIT = "sigma:{<ds>:noise}:unit:<unit>:<gen>"  # hash: array, key, made
NOISE_COUNT = "sigma:{<ds>:noise}:count:<unit>:<gen>"  # hash: kind, key, t, t0…
NOISE_TRAIL = "sigma:{<ds>:noise}:trail"  # string: JSON, what the topic ledger came to

LEDGER_FENCE = "sigma:{<ds>:ledger}:fence"  # newest curator token seen here
LEDGER = "sigma:{<ds>:ledger}:state"  # hash: measure, limits, spent, head
LEDGER_ENTRIES = "sigma:{<ds>:ledger}:entries"  # list: one JSON per charge, in order
LEDGER_SEEN = "sigma:{<ds>:ledger}:seen"  # hash: charge id → what it charged
LEDGER_CLIENTS = "sigma:{<ds>:ledger}:clients"  # hash: client → spent
LEDGER_SURCHARGED = "sigma:{<ds>:ledger}:surcharged"  # hash: client → µε, beside ρ

RELEASE_FENCE = "sigma:{<ds>:rel}:fence"  # newest curator token seen here
HEAD = "sigma:{<ds>:rel}:head"  # hash: the epoch that is served, whole
ARRAY = "sigma:{<ds>:rel}:array:<epoch>:<token>:<try>:<gid>:<kind>"  # string: int64s
MEMO = "sigma:{<ds>:rel}:memo:<epoch>"  # hash: canonical query → answer of this epoch
HISTORY = "sigma:{<ds>:rel}:history"  # hash: epoch → JSON: where its noisy arrays are

LEASE = "sigma:{<ds>:lease}:<role>"  # string with expiry: token and owner
LEASE_FENCE = "sigma:{<ds>:lease}:<role>:token"  # newest token ever handed out

PLAN_REQUEST = "sigma:{<ds>:plan}:request"  # string: JSON, who asks and when
PLAN_DECISION = "sigma:{<ds>:plan}:decision"  # string: JSON, what and why
PLAN_RENEWALS = "sigma:{<ds>:plan}:renewals"  # hash: noise → JSON, who asks, when

# Safe inside a key, an ACL pattern (no * ? [ ]) and a hash tag (no braces).
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_TAGGED = re.compile(r"^sigma:\{<ds>:([^{}]+)\}")


def glob(pattern: str, dataset: str = "*") -> str:
    """The ACL glob that matches every key of ``pattern``.

    ``*`` stands for any dataset. A name ends at the colon behind it, so no dataset
    whose name begins with another's is let in.

    Raises:
        ValueError: ``dataset`` is no name, and would match more than it says.
    """
    if dataset != "*":
        _refuse(dataset)
    return re.sub(r"<[a-z]+>", "*", pattern.replace("<ds>", dataset))


def _refuse(dataset: str) -> None:
    if not _NAME.fullmatch(dataset):
        msg = "a dataset is named by 1 to 64 letters, digits, '_', '.' or '-'"
        raise ValueError(msg)


def _fill(pattern: str, **parts: object) -> str:
    for name, value in parts.items():
        pattern = pattern.replace(f"<{name}>", str(value))
    return pattern


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one dataset.

    Raises:
        ValueError: the dataset's name has characters that mean something in a key;
            the operator renames it.
    """

    dataset: str

    def __post_init__(self) -> None:
        _refuse(self.dataset)

    def of(self, pattern: str, **parts: object) -> str:
        """``pattern`` with its varying parts filled in."""
        return _fill(pattern, ds=self.dataset, **parts)

    def everything(self, begin: str = "") -> str:
        """The glob of all keys of this dataset, or of those whose tag begins so."""
        return f"sigma:{{{self.dataset}:{begin}*"

    def partition(self, p: int) -> tuple[str, str, str, str]:
        """(meta, rows, cells, log) of partition ``p``: one slot, one script."""
        return (
            self.of(META, p=p),
            self.of(ROWS, p=p),
            self.of(CELLS, p=p),
            self.of(LOG, p=p),
        )

    def changing(self, p: int) -> tuple[str, ...]:
        """The same, and behind them how often each row of it changed."""
        return *self.partition(p), self.of(CHANGES, p=p)


def old(pattern: str) -> str:
    """A pattern as it was before the dataset stood inside its tag."""
    return _TAGGED.sub(r"sigma:<ds>:{\1}", pattern)


@dataclass(frozen=True, slots=True)
class OldNames(Keys):
    """The keys of one dataset as they were called."""

    def of(self, pattern: str, **parts: object) -> str:
        """``pattern`` as it was, with its varying parts filled in."""
        return Keys.of(self, old(pattern), **parts)

    def everything(self, begin: str = "") -> str:
        """The glob of all old keys, or of those whose tag begins so."""
        return f"{self._prefix}{begin}*"

    def renamed(self, names: str) -> str:
        """A text of old names with the new one in the place of each."""
        return names.replace(self._prefix, f"sigma:{{{self.dataset}:")

    @property
    def _prefix(self) -> str:
        return f"sigma:{self.dataset}:{{"
