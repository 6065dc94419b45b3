"""The analysts of the demo: three teams with favourite questions and passing ones.

A team keeps a list of saved segments and asks them by a Zipf law, each time spelled
as somebody happens to spell it; now and then somebody asks something new.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ZIPF = 1.1  # exponent: the first segment is asked about 10 times as often as the tenth
NEW = 0.04  # share of questions that nobody saved
SAVED = 40  # segments of a team

Dice = random.Random
Term = Callable[[Dice], Sequence[str]]  # spellings of one condition, all one set


def _age(draw: Dice) -> Sequence[str]:
    low = draw.choice(range(20, 75, 5))
    high = min(80, low + draw.choice((5, 10, 20)))
    return (
        f"age BETWEEN {low} AND {high - 1}",
        f"age >= {low} AND age < {high}",
        f"NOT (age < {low} OR age >= {high})",
    )


def _older(draw: Dice) -> Sequence[str]:
    edge = draw.choice(range(25, 80, 5))
    return f"age >= {edge}", f"{edge} <= age", f"NOT age < {edge}"


def _sex(draw: Dice) -> Sequence[str]:
    one, other = draw.sample(["Female", "Male"], 2)
    return f"sex = '{one}'", f"sex <> '{other}'", f"sex IN ('{one}')"


def _rich(draw: Dice) -> Sequence[str]:
    one, other = draw.sample(["<=50K", ">50K"], 2)
    return f"income = '{one}'", f"NOT income = '{other}'"


def _educated(draw: Dice) -> Sequence[str]:
    edge = draw.choice((9, 10, 13))
    return f"education_num >= {edge}", f"NOT education_num < {edge}"


def _one_of(name: str, values: Sequence[str]) -> Term:
    def term(draw: Dice) -> Sequence[str]:
        chosen = draw.sample(values, draw.choice((1, 1, 2)))
        listed = ", ".join(f"'{value}'" for value in chosen)
        each = " OR ".join(f"{name} = '{value}'" for value in reversed(chosen))
        return f"{name} IN ({listed})", f"({each})"

    return term


def _hours(draw: Dice) -> Sequence[str]:
    edge = draw.choice((20, 30, 40, 50, 60))
    return f"hours_per_week >= {edge}", f"NOT hours_per_week < {edge}"


def _native(draw: Dice) -> Sequence[str]:
    del draw  # everybody asks this one alike
    return "native_country = 'United-States'", "native_country IN ('United-States')"


def _invested(draw: Dice) -> Sequence[str]:
    del draw
    return "capital_gain > 0", "capital_gain >= 1"


_married = _one_of(
    "marital_status", ["Married-civ-spouse", "Divorced", "Never-married", "Widowed"]
)
_household = _one_of("relationship", ["Wife", "Husband", "Own-child", "Unmarried"])
_race = _one_of("race", ["White", "Black", "Asian-Pac-Islander", "Other"])
_employer = _one_of("workclass", ["Private", "Self-emp-inc", "State-gov", "Local-gov"])

TEAMS: dict[str, Sequence[Term]] = {
    "marketing": (_age, _sex, _rich, _educated, _invested),
    "city-planning": (_married, _household, _hours, _native, _older),
    "public-health": (_older, _race, _sex, _employer, _hours),
}


@dataclass(frozen=True, slots=True)
class Segment:
    """One set of people, in every spelling that somebody uses."""

    terms: tuple[tuple[str, ...], ...]

    def spelled(self, draw: Dice) -> str:
        """The set in one of its spellings; the order of terms is anybody's."""
        words = [draw.choice(term) for term in self.terms]
        draw.shuffle(words)
        return " AND ".join(words)

    def plainly(self) -> str:
        """The set as the report writes it."""
        return " AND ".join(term[0] for term in self.terms)


class Team:
    """One client: its saved segments, and how it asks."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self._draw = random.Random(f"{name}:{seed}")  # noqa: S311 - a workload
        self.saved = [self._segment() for _ in range(SAVED)]
        self._weights = [1 / (rank + 1) ** ZIPF for rank in range(SAVED)]

    def question(self) -> str:
        """The next question, as text."""
        if self._draw.random() < NEW:
            return self._segment().spelled(self._draw)
        chosen = self._draw.choices(self.saved, self._weights)[0]
        return chosen.spelled(self._draw)

    def _segment(self) -> Segment:
        terms = TEAMS[self.name]
        how_many = self._draw.choice((1, 2, 2, 3))
        chosen = self._draw.sample(terms, how_many)
        return Segment(tuple(tuple(term(self._draw)) for term in chosen))
