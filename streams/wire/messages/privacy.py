"""Privacy on the wire: what an answer promises, by rule, and what it cost.

The rule is the tag: a reader that does not know a rule refuses the answer, rather than
half-understand what it promises. So is the measure: a rule has one form in pure ε, its
name alone, and one in ρ. A message without ``measure`` is from before there was
another, and means ``epsilon``.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

MeasureName = Literal["epsilon", "rho"]
Said = Annotated[str, Meta(max_length=2**10)]  # a name, or a sentence for people
Units = Annotated[int, Meta(ge=0, le=2**63 - 1)]


class Spent(Struct, frozen=True, kw_only=True):
    """What one question added to the ledger.

    Attributes:
        measure: of the ledger; ``units`` are µε for ``epsilon``, pico-ρ for ``rho``.
    """

    measure: MeasureName
    units: Units


class OwnerPromise(Struct, frozen=True, kw_only=True):
    """What somebody is promised who has several rows, for all of them together.

    Attributes:
        rows: how many there are at most.
        changes: how many changes of all of them are counted at most, for ever.
        epsilon: of all that, at the δ of the rest.
    """

    rows: Units
    changes: Units
    epsilon: float


class GuaranteeOfAnyRule(Struct, frozen=True, kw_only=True, tag_field="rule"):
    """What an answer promises about one row in pure ε, whatever the rule.

    Attributes:
        measure: which privacy the promise is in: ``epsilon``.
        composition: how atoms are added up: ``parallel`` or ``paper``.
        adjacency: which two tables the promise compares.
        micro_epsilon: price of the noise in this answer, drawn once (µε).
        epochs: T, the number of different epochs the noise's unit was shown in.
        micro_epsilon_over_epochs: price of all T of them (µε).
        replace_one_row_micro_epsilon: the same if a row may be *replaced* (µε).
        changes_are_exact: True when two epochs differ by the true change.
        protects: whom the promise covers, in words.
    """

    measure: MeasureName = "epsilon"
    composition: Said
    adjacency: Said
    micro_epsilon: Units
    epochs: Units
    micro_epsilon_over_epochs: Units
    replace_one_row_micro_epsilon: Units
    changes_are_exact: bool
    protects: Said

    @property
    def rule(self) -> str:
        """How later epochs are released."""
        return str(self.__struct_config__.tag)


class FixedNoiseGuarantee(GuaranteeOfAnyRule, frozen=True, tag="fixed-noise"):
    """The noise stays, true changes are added (Algorithm 5).

    Attributes:
        rho: the operator's assumption (Theorem 5); absent for the count of no row.
        epsilon_0: ε₀(T) for people, in ε; the same.
    """

    rho: float | UnsetType = UNSET
    epsilon_0: float | UnsetType = UNSET


class RenewGuarantee(GuaranteeOfAnyRule, frozen=True, tag="renew"):
    """Every epoch has noise of its own."""


class ContinualGuarantee(GuaranteeOfAnyRule, frozen=True, tag="continual"):
    """Counted over time, one charge for all epochs: a tree of Laplace noise.

    Prices are of one change of one row, in one epoch or in all. Fields of its own are
    absent for the count of no row.

    Attributes:
        mechanism: of the noise.
        horizon: epochs that it is rated for; past them errors grow faster.
        tick_seconds: from one epoch to the next.
        overlap: κ: how much more than its share a second change of a row may cost.
        epsilon_by_changes: ε of a row with surely at most so many changes.
        changes_limit: how many changes of a row are counted; absent: no limit.
        owner: of somebody with several rows; absent: their number is not bounded.
        counted_from: what was shown before this epoch is counted as lost; absent:
            nothing is.
    """

    mechanism: Said | UnsetType = UNSET
    horizon: Units | UnsetType = UNSET
    tick_seconds: float | UnsetType = UNSET
    overlap: float | UnsetType = UNSET
    epsilon_by_changes: dict[str, float] | UnsetType = UNSET
    changes_limit: Units | UnsetType = UNSET
    owner: OwnerPromise | UnsetType = UNSET
    counted_from: Units | UnsetType = UNSET


class ZcdpGuaranteeOfAnyRule(Struct, frozen=True, kw_only=True, tag_field="rule"):
    """What an answer promises about one row in ρ, and as (ε, δ), whatever the rule.

    Attributes:
        measure: which privacy the promise is in: ``rho``.
        composition, adjacency, epochs, changes_are_exact, protects: as in pure ε.
        pico_rho: price of the noise in this answer, drawn once (pρ, 1e-12 ρ).
        delta: δ at which an ε is said.
        epsilon: what ``pico_rho`` promises at ``delta``.
        pico_rho_over_epochs: price of all noise drawn for the T epochs (pρ).
        epsilon_over_epochs: what all T of them promise, as the rule reckons it …
        delta_over_epochs: … at this δ.
        replace_one_row_pico_rho: ``pico_rho_over_epochs`` if a row may be *replaced*.
        replace_one_row_epsilon: ``epsilon_over_epochs`` in that case.
    """

    measure: MeasureName = "rho"
    composition: Said
    adjacency: Said
    pico_rho: Units
    delta: float
    epsilon: float
    epochs: Units
    pico_rho_over_epochs: Units
    epsilon_over_epochs: float
    delta_over_epochs: float
    replace_one_row_pico_rho: Units
    replace_one_row_epsilon: float
    changes_are_exact: bool
    protects: Said

    @property
    def rule(self) -> str:
        """How later epochs are released; the tag names the measure as well."""
        return str(self.__struct_config__.tag).removesuffix("-zcdp")


class FixedNoiseZcdpGuarantee(
    ZcdpGuaranteeOfAnyRule, frozen=True, tag="fixed-noise-zcdp"
):
    """The noise stays, true changes are added (Algorithm 5).

    Attributes:
        churn: the operator's assumption (ρ of Theorem 5); absent for the count of no
            row.
    """

    churn: float | UnsetType = UNSET


class RenewZcdpGuarantee(ZcdpGuaranteeOfAnyRule, frozen=True, tag="renew-zcdp"):
    """Every epoch has noise of its own."""


class ContinualZcdpGuarantee(ZcdpGuaranteeOfAnyRule, frozen=True, tag="continual-zcdp"):
    """Counted over time, one charge for all epochs: counters of Gaussian noise.

    Attributes:
        mechanism, horizon, tick_seconds, overlap, epsilon_by_changes, changes_limit,
            owner, counted_from: as in pure ε; each ε at ``delta``.
    """

    mechanism: Said | UnsetType = UNSET
    horizon: Units | UnsetType = UNSET
    tick_seconds: float | UnsetType = UNSET
    overlap: float | UnsetType = UNSET
    epsilon_by_changes: dict[str, float] | UnsetType = UNSET
    changes_limit: Units | UnsetType = UNSET
    owner: OwnerPromise | UnsetType = UNSET
    counted_from: Units | UnsetType = UNSET


Guarantee: TypeAlias = (
    FixedNoiseGuarantee
    | RenewGuarantee
    | ContinualGuarantee
    | FixedNoiseZcdpGuarantee
    | RenewZcdpGuarantee
    | ContinualZcdpGuarantee
)
