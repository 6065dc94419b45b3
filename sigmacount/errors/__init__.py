"""Every error this project raises on purpose.

SigmaError
├── InvalidSchema       a dataset's declaration is wrong  → operator mends the config
│   └── DomainTooLarge  2^63 cells or more                → coarsen the named attributes
├── InvalidRow          a row cannot be placed in a cell  → dead letter, next record
├── InvalidMessage      no message of its topic           → dead letter, next record
├── InvalidPredicate    the query text or its columns     → caller mends the query
│   ├── UnknownName     no such attribute or level        → caller takes a close name
│   ├── EdgeInsideBin   a constant cuts a bin             → caller takes a nearest edge
│   └── QueryTooComplex bounded work would be exceeded    → caller splits the query
├── NotInAlgebra        the query cuts an atom            → caller takes Algorithm 1
├── AlgebraTooLarge     more atoms than one may hold      → planner lowers its limits
├── CountsTooLarge      sums of counts beyond 64 bits     → release freezes
├── InvalidPlan         the plan on the wire is malformed → dead letter, old plan stays
│   └── NoiseTooWide    σ is more than counters can hold  → operator spends more on it
├── BudgetExhausted     ε_budget would be overdrawn       → caller waits, nothing spent
│   └── PlanRateExceeded plans cost too much too soon   → old plan stays
├── AboveMaxCost        dearer than the question allows   → caller allows it, or not
├── ChargeConflict      one id, two different charges     → caller's bug, nothing spent
├── MeasureMismatch     two privacy measures met          → caller says what one counts
├── UncertifiedNoise    OpenDP vouches for a larger ε     → operator pins another OpenDP
├── ReleaseFrozen       no further epoch follows          → ask what the epoch holds
├── EpochPending        the next epoch alone can answer   → ask again after it came
├── UnfitRelease        tables of an epoch are not right  → last epoch stays, frozen
├── ChangesNotTold      the rule shows changes exactly    → ask for the count
├── SinceTooEarly       the epoch is kept no more         → ask since a later one
├── SinceInFuture       the epoch has not come            → ask since an earlier one
├── PlanChanged         another plan was in force then    → ask since a later one
├── ChangeNotHeld       no table of the plan holds it     → ask for coarser bins
├── ChangeTooInexact    the change errs by more           → ask for a wider interval
├── RulePinned          the ledger is of another rule     → operator says which
├── RulesDoNotMix       one rule showed what another hides → new name, or lost
├── HorizonPinned       counters are rated otherwise      → operator takes that one
├── MeasurePinned       the ledger is in another measure  → operator takes that one
├── Fenced              a newer owner took over           → stop writing, rejoin
├── WorkEnded           the process stops amid an act     → retriable, by who goes on
├── PositionMismatch    records were skipped or repeated  → seek to the stored position
├── Superseded          the epoch is not the head's       → drop it, read the head
├── UnsafeStore         the store may lose what it holds  → operator mends the server
├── StoreRefused        wrong user or password            → operator mends the settings
├── StoreForbids        the user lacks a right            → operator mends its rights
├── StreamRefused       no trust between broker and us    → operator mends the settings
├── FunctionsMissing    the admin has not loaded them     → retriable
├── StoreWentBack       older than what was shown         → sigma ledger restore
├── OldKeys             named as an older release did     → sigma migrate-keys
├── KeysClash           under old and new names alike     → operator keeps one of them
├── Mismatch            stream and store do not belong    → operator follows the remedy
│                       together
│   └── EventTooLarge   the topic takes fewer bytes       → refusal that fits, or stop
├── TooManyDeadLetters  a flood of bad events             → worker halts, operator looks
├── TooManyTables       more rows of tables than at once  → retriable
├── TooManyStanding     more questions than may stand    → client ends one of them
├── StandingNeedsNoise  no algebra holds what stands      → client pays, or waits
├── UnreadableBatch     a batch of a topic is broken      → dead letter; rows: halt
├── StreamUnavailable   the broker did not answer         → retriable
└── StoreUnavailable    Redis did not answer              → retriable

Error text never holds a true count, a noise value or a value of a row.
"""

from __future__ import annotations

from sigmacount.errors.access import (
    FunctionsMissing,
    StoreForbids,
    StoreRefused,
    StreamRefused,
)
from sigmacount.errors.meaning import (
    AlgebraTooLarge,
    CountsTooLarge,
    DomainTooLarge,
    EdgeInsideBin,
    InvalidMessage,
    InvalidPlan,
    InvalidPredicate,
    InvalidRow,
    InvalidSchema,
    NoiseTooWide,
    NotInAlgebra,
    QueryTooComplex,
    TooManyTables,
    UnknownName,
)
from sigmacount.errors.pinned import (
    HorizonPinned,
    MeasurePinned,
    RulePinned,
    RulesDoNotMix,
)
from sigmacount.errors.privacy import (
    AboveMaxCost,
    BudgetExhausted,
    ChargeConflict,
    EpochPending,
    MeasureMismatch,
    PlanRateExceeded,
    ReleaseFrozen,
    UncertifiedNoise,
)
from sigmacount.errors.releasing import (
    ChangeNotHeld,
    ChangesNotTold,
    ChangeTooInexact,
    PlanChanged,
    SinceInFuture,
    SinceTooEarly,
    UnfitRelease,
)
from sigmacount.errors.root import (
    SigmaError,
)
from sigmacount.errors.service import (
    EventTooLarge,
    Fenced,
    KeysClash,
    Mismatch,
    OldKeys,
    PositionMismatch,
    StoreUnavailable,
    StoreWentBack,
    StreamUnavailable,
    Superseded,
    TooManyDeadLetters,
    UnreadableBatch,
    UnsafeStore,
    WorkEnded,
)
from sigmacount.errors.standing import (
    StandingNeedsNoise,
    TooManyStanding,
)

__all__ = [
    "AboveMaxCost",
    "AlgebraTooLarge",
    "BudgetExhausted",
    "ChangeNotHeld",
    "ChangeTooInexact",
    "ChangesNotTold",
    "ChargeConflict",
    "CountsTooLarge",
    "DomainTooLarge",
    "EdgeInsideBin",
    "EpochPending",
    "EventTooLarge",
    "Fenced",
    "FunctionsMissing",
    "HorizonPinned",
    "InvalidMessage",
    "InvalidPlan",
    "InvalidPredicate",
    "InvalidRow",
    "InvalidSchema",
    "KeysClash",
    "MeasureMismatch",
    "MeasurePinned",
    "Mismatch",
    "NoiseTooWide",
    "NotInAlgebra",
    "OldKeys",
    "PlanChanged",
    "PlanRateExceeded",
    "PositionMismatch",
    "QueryTooComplex",
    "ReleaseFrozen",
    "RulePinned",
    "RulesDoNotMix",
    "SigmaError",
    "SinceInFuture",
    "SinceTooEarly",
    "StandingNeedsNoise",
    "StoreForbids",
    "StoreRefused",
    "StoreUnavailable",
    "StoreWentBack",
    "StreamRefused",
    "StreamUnavailable",
    "Superseded",
    "TooManyDeadLetters",
    "TooManyStanding",
    "TooManyTables",
    "UncertifiedNoise",
    "UnfitRelease",
    "UnknownName",
    "UnreadableBatch",
    "UnsafeStore",
    "WorkEnded",
]

for _name in __all__:  # one public address: where an error is defined may change
    globals()[_name].__module__ = __name__
