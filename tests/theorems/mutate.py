"""Break a copy of ``sigmacount`` as each mutation says, and see its test turn red.

``python -m tests.theorems.mutate [NAME ...]``, from the root of the project; exit 1
when a mutation went unseen. Nothing in the project's own tree is written to.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.theorems.mutations import MUTATIONS

ROOT = Path(__file__).parents[2]
COPIED = ("tests/core", "tests/theorems", "tests/statistics")
RED, GREEN = 1, 0  # pytest's words: a test failed, all passed; 2 is a broken import

# No shrinking: that it fails is enough. The same examples every time, so that a
# mutation that was seen is seen again.
CONFTEST = """
from hypothesis import HealthCheck, Phase, settings
settings.register_profile("mutants", deadline=None, derandomize=True, database=None,
    max_examples=50, phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck))
settings.load_profile("mutants")
"""


def sandbox(where):
    """A copy of the core and of the tests that need nothing else, at ``where``."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "sigmacount", where / "sigmacount", ignore=ignore)
    for folder in COPIED:
        shutil.copytree(ROOT / folder, where / folder, ignore=ignore)
    (where / "tests/fixtures").mkdir()
    for file in ("tests/__init__.py", "tests/fixtures/__init__.py"):
        (where / file).touch()
    shutil.copy(ROOT / "tests/fixtures/drawn.py", where / "tests/fixtures")
    (where / "tests/conftest.py").write_text(CONFTEST)
    (where / "pytest.ini").write_text("[pytest]\n")
    return where


def occurrences(mutation):
    """How often the text to be replaced stands in the project's source today."""
    source = (ROOT / "sigmacount" / mutation.file).read_text(encoding="utf-8")
    return source.count(mutation.old)


def seen(mutation, where):
    """Break the copy, run the one test file, mend the copy: (exit code, output)."""
    path = where / "sigmacount" / mutation.file
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace(mutation.old, mutation.new), encoding="utf-8")
    try:
        return run(where, [mutation.test])
    finally:
        path.write_text(whole, encoding="utf-8")


def run(where, tests):
    """Run these test files against the copy: (exit code, output)."""
    environment = os.environ | {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # half of the time, else, is plugins
        "PYTHONDONTWRITEBYTECODE": "1",  # one second is too coarse for a stale .pyc
        "PYTHONPATH": str(where),
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    ended = subprocess.run(
        [*command, "--disable-warnings", *(f"tests/{test}" for test in tests)],
        cwd=where,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    return ended.returncode, ended.stdout + ended.stderr


def main(names):
    """A line for each mutation; how many of them went unseen."""
    unseen = 0
    with tempfile.TemporaryDirectory() as folder:
        where = sandbox(Path(folder) / "copy")
        for mutation in MUTATIONS:
            if names and mutation.name not in names:
                continue
            began = time.perf_counter()
            code, output = seen(mutation, where)
            red = code == RED and occurrences(mutation) == 1
            unseen += not red
            took = f"{time.perf_counter() - began:.1f} s"
            print(f"{'red' if red else 'UNSEEN':7}{took:>7}  {mutation.name}")
            print("" if red else output, end="")
    return unseen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
