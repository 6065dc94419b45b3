"""Names and docstrings use the field's words, not those of a stage."""

from __future__ import annotations

import re

from tests.house import tree
from tests.house.each import each

# What each was called once: options, a responder's loop, a lease's term, a test's
# own consumer, a request for a fresh count, a worker process that is started.
STAGE = re.compile(
    r"(?<![a-z])(court|crew|desk|dismissed|hired?|inbox|office|reign(?:s|ed|ing)?"
    r"|staff|tray|wish(?:es)?)(?![a-z])",
    re.IGNORECASE,
)


@each([path for path in tree.code() if tree.module(path).startswith("workers")])
def test_a_worker_is_described_without_a_stage(path):
    """A reader who knows Kafka and differential privacy, but not us, can follow."""
    assert not STAGE.findall(path.read_text(encoding="utf-8"))
