"""Fixtures of the tests of files and `sigma ingest`.

They import when they are asked for: pytest's filters of warnings are not yet set
while this file loads, and kafka-python warns.
"""

import json
import tomllib

import pytest


@pytest.fixture
def check(tmp_path):
    """``sigma ingest --check``, which needs no broker."""
    from tests.fixtures.ingesting import Checking

    return Checking(tmp_path)


@pytest.fixture
def ingest(kafka, dataset, tmp_path):
    """``sigma ingest`` into topics of this test alone."""
    from tests.fixtures.deployment import made
    from tests.fixtures.ingesting import Intake

    return Intake(kafka, made(kafka, dataset), tmp_path)


@pytest.fixture
def drafted(tmp_path):
    """``drafted(name, text, …)``: what `sigma init` makes of a file, read and raw."""
    from tests.fixtures.cli import sigma

    def draft(name, text, *arguments):
        path = tmp_path / name
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        told = sigma("init", path, *arguments)
        assert told.code == 0, told.err
        return tomllib.loads(told.out)["attributes"], told.out

    return draft
