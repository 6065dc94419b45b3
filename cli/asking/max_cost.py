"""What one question may cost, as typed: in ε, or in ρ where a ledger counts in it."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Final

from cli.exits import CommandRefused
from sigmacount.mechanisms import Amount, Measure

SCALES: Final = {Measure.EPSILON: 6, Measure.RHO: 12}
MOST: Final = {Measure.EPSILON: 100, Measure.RHO: 5_000}  # 100 ε are 5,000 ρ


def spendable(typed: str | None, kafka: dict[str, object]) -> Amount | None:
    """The most that a question may add to the ledger, in the measure that was typed.

    It travels with the question, and a ledger of another measure spends nothing. One
    of before that read so many pρ as µε, a thousand ε perhaps: of ρ the published
    schema is asked what it counts in.

    Raises:
        CommandRefused: no such amount, or the dataset does not count in ρ.
        NoSchema: that is not published; nothing was asked.
    """
    if typed is None:
        return None
    cost = amount(typed)
    if cost.measure is Measure.RHO and cost.units:
        from cli.asking.known_schema import published

        promise = published(kafka).promise or {}
        if promise.get("measure") != Measure.RHO:
            msg = (
                f"--max-cost: {typed!r} is in ρ, and this dataset does not count in"
                " it; write an amount of ε, such as 0.05. Nothing was asked."
            )
            raise CommandRefused(msg)
    return cost


def amount(typed: str) -> Amount:
    """An amount as it is printed: ``0.05`` and ``0.05 ε`` of ε, ``0.001 ρ`` of ρ.

    Raises:
        CommandRefused: it is no amount, finer than a unit, or so large that it
            protects nobody: it was meant in units.
    """
    text = typed.strip()
    measure = Measure.RHO if text.endswith("ρ") else Measure.EPSILON
    text = text.removesuffix("ε").removesuffix("ρ").rstrip()
    try:
        exact = Decimal(text).scaleb(SCALES[measure])
        if exact.is_finite() and 0 <= exact < 2**63 and exact == int(exact):
            return _sane(int(exact), measure, typed)
    except InvalidOperation:
        pass
    msg = (
        f"--max-cost: {typed!r} is no amount of ε; write it as it is printed, such as"
        " 0.05 for 50,000 µε, in steps of 0.000001 (or 0.00005 ρ for 50,000,000 pρ,"
        " where a dataset counts in ρ)"
    )
    raise CommandRefused(msg)


def _sane(units: int, measure: Measure, typed: str) -> Amount:
    most, sign = MOST[measure], {Measure.EPSILON: "ε", Measure.RHO: "ρ"}[measure]
    if units <= most * 10 ** SCALES[measure]:
        return Amount(measure, units)
    msg = (
        f"--max-cost: {typed!r} is in {sign}, and more than {most:,} {sign} protects"
        " nobody; so many µε are written by a millionth of it, such as 0.05 for"
        " 50,000 µε"
    )
    raise CommandRefused(msg)
