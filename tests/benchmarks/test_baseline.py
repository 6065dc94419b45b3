"""A baseline is of a kind of machine, and says what was measured."""

from __future__ import annotations

import platform
import socket
from pathlib import Path

import pytest

from benchmarks import baseline
from benchmarks.figures import Figure

FIGURES = [
    Figure("b.told", 0.1234567, "ms"),
    Figure("a.bound", 12_345.678, "rows/s", 20, "most"),
]


@pytest.mark.parametrize(
    ("processor", "cores", "kind"),
    [
        ("Intel(R) Xeon(R) CPU @ 2.20GHz", 2, "intel-xeon-2-20ghz-2-cores-python-3.11"),
        ("AMD EPYC", 64, "amd-epyc-64-cores-python-3.11"),
        ("Apple M3 / Pro_", 8, "apple-m3-pro-8-cores-python-3.11"),
    ],
)
def test_a_kind_of_machine_is_a_plain_file_name(processor, cores, kind):
    """Words of letters and digits: nothing a file system would stumble over."""
    assert baseline.named(processor, cores, (3, 11)) == kind


def test_what_decides_speed_tells_kinds_apart():
    """Another processor, another number of cores, another Python."""
    kinds = {
        baseline.named(processor, cores, python)
        for processor in ("AMD EPYC", "AMD Ryzen")
        for cores in (2, 4)
        for python in ((3, 11), (3, 12))
    }

    assert len(kinds) == 8


def test_a_kind_names_no_machine(monkeypatch):
    """Neither the host nor where the tree lies is in the name of a baseline."""
    monkeypatch.setattr(socket, "gethostname", lambda: "host-of-ours")
    monkeypatch.setattr(platform, "node", lambda: "host-of-ours")

    name = baseline.path().name

    assert "host-of-ours" not in name
    assert Path(name).name == name
    assert name.endswith(".json")


def test_figures_are_read_as_they_were_written(tmp_path):
    """To six digits, as they are printed; sorted, so that a change reads well."""
    file = tmp_path / "new" / "figures.json"

    baseline.write(file, FIGURES)

    told, bound = FIGURES
    assert list(map(str, baseline.read(file).values())) == [str(bound), str(told)]
    assert baseline.read(file)["a.bound"].at == "most"


def test_no_file_means_no_figures(tmp_path):
    """A machine of a new kind is compared with nothing."""
    assert baseline.read(tmp_path / "none.json") == {}


@pytest.mark.parametrize(
    "file", sorted(baseline.BASELINES.glob("*")), ids=lambda file: file.name
)
def test_a_committed_baseline_can_be_read(file):
    """Each of its figures has a name, a value and a unit."""
    figures = baseline.read(file)

    assert figures
    assert all(figure.unit and figure.value >= 0 for figure in figures.values())
