"""Break a copy of ``sigmacount`` as each mutation says, and see its test turn red.

``python -m tests.theorems.mutate [NAME ...]``, from the root of the project; exit 1
when a mutation went unseen. Nothing in the project's own tree is written to.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
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


# Forks for each run, so that what all runs import is imported once; a mutant that runs
# in a circle is ended.
WARM = """
import os, signal, sys
import hypothesis.strategies, numpy, pytest
for line in sys.stdin:
    child = os.fork()
    if not child:
        signal.alarm(150)
        out = open("output", "w")
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
        code = pytest.main(line.split())
        sys.stdout.flush()
        os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Sandbox:
    """A copy of the core and of its tests, and a process that runs them.

    Attributes:
        where: the folder of the copy.
        warm: runs pytest on a line of arguments; answers with a line, its exit code.
    """

    where: Path
    warm: subprocess.Popen

    def seen(self, mutation):
        """Break the copy, run the one test file, mend the copy: (exit code, output)."""
        path = self.where / "sigmacount" / mutation.file
        whole = path.read_text(encoding="utf-8")
        path.write_text(whole.replace(mutation.old, mutation.new), encoding="utf-8")
        try:
            return self.run([mutation.test])
        finally:
            path.write_text(whole, encoding="utf-8")

    def run(self, tests):
        """Run these test files against the copy: (exit code, output)."""
        files = [f"tests/{test}" for test in tests]
        line = ["-x", "-q", "-p", "no:cacheprovider", "--disable-warnings", *files]
        self.warm.stdin.write(" ".join(line) + "\n")
        self.warm.stdin.flush()
        code = int(self.warm.stdout.readline())
        return code, (self.where / "output").read_text(encoding="utf-8")


@contextlib.contextmanager
def sandbox(where):
    """A copy of the core and of the tests that need nothing else, at ``where``."""
    copy(where)
    environment = os.environ | {
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # half of the time, else, is plugins
        "PYTHONDONTWRITEBYTECODE": "1",  # one second is too coarse for a stale .pyc
        "PYTHONPATH": str(where),
    }
    command = [sys.executable, "-c", WARM]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=where, env=environment, **pipes) as warm:
        yield Sandbox(where, warm)


def copy(where):
    """The core, and tests that need nothing else, with settings of their own."""
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


def occurrences(mutation):
    """How often the text to be replaced stands in the project's source today."""
    source = (ROOT / "sigmacount" / mutation.file).read_text(encoding="utf-8")
    return source.count(mutation.old)


def main(names):
    """A line for each mutation; how many of them went unseen."""
    unseen = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        sandbox(Path(folder) / "copy") as copied,
    ):
        for mutation in MUTATIONS:
            if not names or mutation.name in names:
                unseen += not shown(mutation, copied)
    return unseen


def shown(mutation, copied):
    """Print its line; whether it was seen."""
    began = time.perf_counter()
    code, output = copied.seen(mutation)
    red = code == RED and occurrences(mutation) == 1
    took = f"{time.perf_counter() - began:.1f} s"
    print(f"{'red' if red else 'UNSEEN':7}{took:>7}  {mutation.name}")
    print("" if red else output, end="")
    return red


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
