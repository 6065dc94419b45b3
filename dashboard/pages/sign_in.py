"""Signing in, and what is refused: pages for whoever is not let in, or not answered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SignInPage:
    """The form that takes a token; ``trouble`` says why the last one was not taken."""

    trouble: str = ""


@dataclass(frozen=True, slots=True)
class RefusedPage:
    """A request that goes no further: in two words, and in a sentence that helps."""

    title: str
    message: str
