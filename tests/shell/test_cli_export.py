"""`sigma export`: every count of a release with its levels, error and promise."""

import csv
import importlib
import io

import numpy as np
import pytest

from sigmacount.accounting import FixedNoise, NoiseUnit
from sigmacount.domain import Attribute, Schema
from sigmacount.language import parse
from sigmacount.mechanisms import Amount, DiscreteLaplace
from sigmacount.release import Group, Plan
from sigmacount.sets import Algebra
from store.releases.released import Head, Released
from tests.fixtures.deployment import Deployment
from views import release
from views.release import ReleaseView

NOISE = DiscreteLaplace.costing(500_000)
FRESH = DiscreteLaplace.costing(10_000)
SCHEMA = Schema(
    "people",
    (
        Attribute.binned("count", "integer", [-10, 0, 10, 20], outside="bins"),
        Attribute.categorical("sex", ["F", "=1+1"], nullable=True),
    ),
)


def promise_of(group):
    """As an epoch carries it."""
    return FixedNoise(0.01).guarantee(NoiseUnit(Amount.pure(500_000), epochs=4))


def view_of(schema, *algebras, **about):
    """A release of these algebras: atom k counts 10k, with noise -3 before."""
    groups = tuple(Group(each, NOISE) for each in algebras)
    plan = Plan(3, groups, FRESH)
    said = {"guarantees": {group.id: promise_of(group) for group in groups}}
    head = Head(7, 1, 1_700_000_000_000, tuple(g.id for g in groups), about=said)
    counts = {g.id: 10 * np.arange(g.algebra.size) for g in groups}
    noisy = {gid: each - 3 for gid, each in counts.items()}
    return ReleaseView(schema, plan, head, counts, noisy, 0.95)


def rows_of(view, rows=10_000):
    """Its rows as a reader of the CSV file gets them."""
    text = release.csv_heads(view) + "".join(
        release.csv_rows(batch) for batch in view.batches(rows)
    )
    return list(csv.DictReader(io.StringIO(text)))


def test_a_row_is_an_atom_with_its_levels():
    """In order; an attribute that an algebra takes as a whole is left empty."""
    view = view_of(SCHEMA, Algebra.full(SCHEMA, [1]), Algebra.full(SCHEMA, [0, 1]))

    rows = rows_of(view)

    assert len(rows) == view.size == 3 + 15
    assert rows[0]["count"] == ""
    assert [row["sex"] for row in rows[:3]] == ["F", "'=1+1", "NULL"]
    assert (rows[4]["count"], rows[4]["sex"]) == ("<-10", "'=1+1")
    assert {row["epoch"] for row in rows} == {"7"}
    assert len({row["group"] for row in rows}) == 2


def test_every_condition_asks_for_its_row():
    """Whatever the levels are called, and where atoms hold several of them."""
    asked = [parse(SCHEMA, text) for text in ("count < 10", "sex = 'F'")]
    merged = [parse(SCHEMA, "count < 10 AND sex = 'F'"), parse(SCHEMA, "sex IS NULL")]
    algebras = (Algebra.covering(SCHEMA, asked), Algebra.induced_by(SCHEMA, merged))
    assert algebras[1].merged is not None
    view = view_of(SCHEMA, *algebras)

    rows = rows_of(view)

    found = iter(rows)
    for algebra in algebras:
        atoms = []
        for row in (next(found) for _ in range(algebra.size)):
            condition = row["condition"].removeprefix("'")
            atoms += algebra.atoms_of(parse(SCHEMA, condition)).tolist()
        assert atoms == list(range(algebra.size))
    assert rows[0]["count"] == "<-10 | -10..-1 | 0-9"
    assert rows[-1]["count"] == ""


def test_a_row_says_how_sure_it_is():
    """The interval is around the sum with its noise, and holds the count."""
    row = rows_of(view_of(SCHEMA, Algebra.full(SCHEMA, [1])))[1]

    half = NOISE.quantile(1, 0.95)
    assert (row["count_"], row["unbiased"]) == ("10", "7")
    assert (row["low"], row["high"]) == (str(max(0, 7 - half)), str(7 + half))
    assert float(row["stderr"]) == pytest.approx(NOISE.variance**0.5)
    assert float(row["confidence"]) == 0.95
    assert row["as_of"] == "2023-11-14 22:13:20 UTC"
    assert "fixed-noise" in row["guarantee"]
    assert "over 4 epochs" in row["guarantee"]


def test_a_large_release_is_written_in_pieces():
    """The same rows, whatever their number at once."""
    view = view_of(SCHEMA, Algebra.full(SCHEMA, [0, 1]))

    assert len(list(view.batches(4))) == 4
    assert rows_of(view, 4) == rows_of(view)


def publish(deployment, *groups):
    """A release of these groups, in epoch 7."""
    plan = Plan(3, groups, FRESH)
    counts = {each.id: np.arange(each.algebra.size, dtype=np.int64) for each in groups}

    async def publishing(client, keys):
        about = {"guarantees": {each.id: promise_of(each) for each in groups}}
        head = Head(7, 1, 1_700_000_000_000, tuple(counts), plan.to_wire(), about)
        arrays = {"counts": counts, "noisy": counts}
        await Released(client, keys).publish(1, head, arrays)

    deployment.in_store(publishing)


@pytest.fixture
def released(kafka, redis_server, dataset, tmp_path):
    """A release of one algebra, in epoch 7."""
    deployment = Deployment.of(kafka, redis_server, dataset, tmp_path)
    publish(deployment, Group(Algebra.full(deployment.schema, (0, 1)), NOISE))
    return deployment


@pytest.mark.kafka
@pytest.mark.redis
def test_the_dashboards_user_may_export(released, tmp_path):
    """To standard output, a file, and by the file's name to Parquet; the same rows."""
    text, table = tmp_path / "release.csv", tmp_path / "release.parquet"

    told = released.sigma("export", user="dashboard")
    written = released.sigma("export", "-o", text, user="dashboard")
    parquet = released.sigma("export", "-o", table, user="dashboard")

    assert (told.code, written.code, parquet.code) == (0, 0, 0), parquet.err
    rows = list(csv.DictReader(io.StringIO(told.out)))
    assert len(rows) == 20
    assert text.read_text() == told.out
    assert written.out == ""
    assert "20 counts of epoch 7 in" in written.err
    frame = importlib.import_module("polars").read_parquet(table)
    assert frame.columns == list(rows[0])
    assert frame["count"].to_list() == [int(row["count"]) for row in rows]
    assert frame["age"].to_list() == [row["age"] for row in rows]


@pytest.mark.kafka
@pytest.mark.redis
def test_no_file_is_written_over_or_half_written(released, tmp_path, monkeypatch):
    """Exit code 2, and what was there stays."""
    there = tmp_path / "there.csv"
    there.write_text("mine")

    told = released.sigma("export", "-o", there)
    lost = released.sigma("export", "-o", tmp_path / "no" / "where.csv")

    def broken(_view):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ReleaseView, "batches", broken)
    full = released.sigma("export", "-o", tmp_path / "half.csv")

    assert (told.code, lost.code, full.code) == (2, 2, 2)
    assert "is not written over" in told.err
    assert there.read_text() == "mine"
    assert "No such file or directory" in lost.err
    assert "No space left on device" in full.err
    assert not (tmp_path / "half.csv").exists()


@pytest.mark.kafka
@pytest.mark.redis
def test_parquet_without_its_library_says_what_brings_it(
    released, tmp_path, monkeypatch
):
    """Nothing is left behind; a terminal is no place for it either."""

    def without(name, package=None):
        if name == "pyarrow":
            raise ModuleNotFoundError(name, name=name)
        return found(name, package)

    found = importlib.import_module

    target = tmp_path / "release.parquet"
    nowhere = released.sigma("export", "--format", "parquet")
    with monkeypatch.context() as patch:
        patch.setattr(importlib, "import_module", without)
        told = released.sigma("export", "-o", target)

    assert (nowhere.code, told.code) == (2, 2)
    assert "name a file by -o FILE" in nowhere.err
    assert "pyarrow, which is not installed" in told.err
    assert "sigma-counting[notebook]" in told.err
    assert not target.exists()


@pytest.mark.kafka
@pytest.mark.redis
def test_nothing_is_released_yet(kafka, redis_server, dataset, tmp_path):
    """Exit code 1, and what to do."""
    place = Deployment.of(kafka, redis_server, dataset, tmp_path)

    told = place.sigma("export", "-o", tmp_path / "release.csv")

    assert told.code == 1
    assert "nothing is released yet" in told.err
    assert not (tmp_path / "release.csv").exists()


@pytest.mark.kafka
@pytest.mark.redis
def test_a_plan_without_algebras_exports_nothing_and_says_why(
    kafka, redis_server, dataset, tmp_path
):
    """A file with a head alone would look like a fault."""
    place = Deployment.of(kafka, redis_server, dataset, tmp_path)
    publish(place)

    told = place.sigma("export", "-o", tmp_path / "release.csv")

    assert told.code == 0
    assert "0 counts of epoch 7 in" in told.err
    assert "the plan holds no algebra" in " ".join(told.err.split())
