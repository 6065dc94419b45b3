"""Privacy on the wire: what an answer promises, by rule, and what it cost.

The rule is the tag: a reader that does not know a rule refuses the answer, rather than
half-understand what it promises. Fields in µε are of the measure ``epsilon``; a message
without ``measure`` is from before there was another, and means that one.
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


class GuaranteeOfAnyRule(Struct, frozen=True, kw_only=True, tag_field="rule"):
    """What an answer promises about one row, whatever the rule.

    Attributes:
        measure: which privacy the promise is in.
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


Guarantee: TypeAlias = FixedNoiseGuarantee | RenewGuarantee
