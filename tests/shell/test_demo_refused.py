"""What the demo is not played in: it says so before it starts anything."""

import pytest

from tests.fixtures.cli import sigma


@pytest.mark.parametrize("rule", ["continual", "fixed-noise"])
def test_in_pure_epsilon_it_is_refused_before_anything_starts(monkeypatch, rule):
    """It would play in (ε, δ) for somebody who said that there is to be no δ."""
    monkeypatch.setattr("cli.demo.demo.adult", lambda: pytest.fail("it began"))

    told = sigma("demo", "--rule", rule, privacy_measure="epsilon")

    assert told.code == 2
    said = " ".join(told.out.split())
    assert "the demo promises its 8 ε at δ = 1e-09" in said
    assert "nothing was started" in said
    assert "`sigma up`" in said
