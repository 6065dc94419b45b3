"""The example without servers, run as its reader would run it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/in_memory.py"
BLOCK = re.compile(r"```python\n(import sigmacount .*?)```", re.DOTALL)


def printed(*program):
    """What a program prints, run by our own interpreter and nothing of ours."""
    run = subprocess.run(
        [sys.executable, *program],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd="/",
    )
    return run.stdout


def test_it_answers_refuses_and_stays_within_its_budget():
    """Two free answers, two that cost, one refusal; of 1 ε nothing is left."""
    lines = printed(EXAMPLE).splitlines()

    assert len([line for line in lines if re.search(r"\d+ ± \d", line)]) == 4
    assert "nothing was spent" in lines[4]
    assert lines[5] == "0.0 ε is left"


def test_the_example_is_fifteen_lines_of_code_and_its_rows():
    """What one writes, apart from imports and from making up some rows."""
    text = EXAMPLE.read_text(encoding="utf-8")
    code = text.split("import sigmacount as sc\n")[1]
    without_rows = re.sub(
        r"rows = \[\n.*?^\]\n", "", code, flags=re.DOTALL | re.MULTILINE
    )

    assert sum(1 for line in without_rows.splitlines() if line.strip()) <= 15


@pytest.mark.parametrize("page", ["README.md", "docs/library.md"])
def test_a_page_shows_what_runs(page):
    """Pasted as it stands, it prints a count, an error and an interval."""
    (block,) = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))

    assert re.match(r"\d+ \d+\.\d+ \(\d+, \d+\)", printed("-c", block))
