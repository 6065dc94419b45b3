"""Nothing in the project knows the machine it was written on."""

from __future__ import annotations

import re

import pytest

from tests.house import tree
from tests.house.each import each

PLACES = "work|farm|root|home|Users|tmp"
MACHINE = re.compile(rf"(?:^|[^A-Za-z0-9_.~$}}/-])/(?:{PLACES})/")
LOCKS = tuple(path for path in tree.files() if path.suffix == ".lock")
BINARY = {".png", ".jpg", ".gif", ".ico", ".pdf", ".wheel"}


@each(p for p in tree.files() if p.suffix not in BINARY)
def test_a_file_names_no_place_of_one_machine(path):
    """A path that only one person has works for one person."""
    assert not MACHINE.findall(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "path", [p for p in tree.files() if p.name.startswith("requirements")]
)
def test_a_lock_says_what_and_not_from_where(path):
    """Hashes decide what is installed; each machine knows its own registry."""
    text = path.read_text(encoding="utf-8")

    assert "://" not in text
    assert not re.search(r"^\s*--(?!hash)", text, re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS, ids=tree.name)
def test_a_lock_pins_everything_by_hash_and_names_no_address(lock):
    """Every line names one version, and every version its hashes."""
    text = lock.read_text(encoding="utf-8")
    pins = [block for block in re.split(r"\n(?=\S)", text.strip()) if block]

    assert len(pins) > 5
    assert all("==" in pin and "--hash=sha256:" in pin for pin in pins)
    assert "://" not in text
