"""Theorem 5 in tables: the price of epochs and how many a budget pays for."""

import math

import pytest

from experiments.parts import theorem5
from experiments.report.tables import Setting


@pytest.mark.parametrize(("epochs", "known"), [(50, 0.225), (100, 3.141)])
def test_the_known_figures_come_out(epochs, known):
    """ε₀ of ε = 0.1 and ρ = 10⁻³ (docs/mathematics.md, section 7)."""
    price = theorem5.price(1e-3, epochs)

    assert price.known == known
    assert price.passed
    assert round(price.epsilon, 3) == known


def test_every_price_is_the_formula():
    """log((1 − ρ) e^ε + ρ e^(Tε)), rounded up to µε."""
    for price in theorem5.prices():
        rho, epochs = price.rho, price.epochs
        plain = math.log((1 - rho) * math.exp(0.1) + rho * math.exp(0.1 * epochs))
        assert -1e-12 < price.epsilon - plain < 2e-6


def test_one_epoch_more_is_too_dear():
    """T* by the formula too, for every ρ and budget."""
    found = theorem5.lifetimes()

    assert all(each.passed for each in found)
    longest = {(each.rho, each.budget): each.epochs for each in found}
    assert longest[1e-3, 1_000_000] == 73
    assert longest[1e-3, 3_000_000] == 98


def test_the_tables_say_what_misses(monkeypatch):
    """A figure that is not the known one is told, and nothing else is."""
    monkeypatch.setitem(theorem5.KNOWN, (1e-3, 50), 0.226)

    prices, lives = theorem5.tables(Setting({}))

    assert prices.missed == ["0.001: 0.2251 at T = 50"]
    assert lives.missed == []


def test_the_tables_bring_their_figure():
    """A curve for every ρ, and the price of fresh noise beside them."""
    setting = Setting({})

    tables = list(theorem5.tables(setting))

    assert [table.missed for table in tables] == [[], []]
    assert setting.figures["epochs"].count("<polyline") == 2 * (len(theorem5.RHOS) + 1)
