"""A process without a user name or a home, as in the shipped image, works on."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from cli import options
from cli.demo.census import uci_adult


@pytest.fixture
def nobody(monkeypatch):
    """No name in the environment or the user table, and no home."""

    def unknown(*_):
        msg = "uid not found"
        raise KeyError(msg)

    def homeless():
        msg = "no home directory"
        raise RuntimeError(msg)

    monkeypatch.setattr(getpass, "getuser", unknown)
    monkeypatch.setattr(Path, "home", homeless)


def test_somebody_without_a_name_has_a_number(nobody):
    """It asks, proposes and restores under that."""
    assert options.user_name().startswith("uid-")


def test_a_census_without_a_home_is_kept_elsewhere_or_nowhere(
    nobody, monkeypatch, tmp_path
):
    """A place that cannot be written to costs a download each time, nothing else."""
    closed = tmp_path / "a-file"
    closed.write_text("")
    monkeypatch.setattr(uci_adult, "_download", lambda: b"")

    assert uci_adult.cache().name == "sigma-counting"
    assert uci_adult.adult(closed / "cache").rows == []
