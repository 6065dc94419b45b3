"""Fixtures of the tests of files and `sigma ingest`."""

import pytest

from tests.fixtures.deployment import made
from tests.fixtures.ingesting import Checking, Intake


@pytest.fixture
def check(tmp_path):
    """``sigma ingest --check``, which needs no broker."""
    return Checking(tmp_path)


@pytest.fixture
def ingest(kafka, dataset, tmp_path):
    """``sigma ingest`` into topics of this test alone."""
    return Intake(kafka, made(kafka, dataset), tmp_path)
