"""A measurement: many sets, one charge, one vector of noise."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sigmacount.contrasts import (
    ContrastMeasurement,
    Grid,
    IsotropicStrategy,
    MeasuredSet,
    coefficients,
    variance,
)
from sigmacount.contrasts import measurement as measurement_module
from sigmacount.errors import InvalidPlan
from sigmacount.mechanisms import Amount
from tests.core.grids import (
    CELLS,
    GRID,
    SCHEMA,
    SIZES,
    basis,
    cells_of,
    marginal,
    random_log,
)

SETS = [(2,), (), (0,), (0, 2), (1, 2), (1,), (0, 1), (0, 1, 2)]
SCALES = [40.0, 3.0, 5.0, 40.0, 90.0, 5.0, 3.0, 120.0]


def part(attributes, deviation) -> MeasuredSet:
    """All contrasts of one set alike."""
    strategy = IsotropicStrategy(GRID.shape(attributes))
    return MeasuredSet(attributes, strategy, deviation)


def made(sets=SETS, scales=SCALES) -> ContrastMeasurement:
    """The measurement of these sets."""
    pairs = zip(sets, scales, strict=True)
    return ContrastMeasurement.of(GRID, {s: part(s, d) for s, d in pairs})


def dense(measurement) -> np.ndarray:
    """What is measured, as one integer matrix over the 60 cells."""
    rows = np.eye(len(CELLS), dtype=np.int64)
    return np.array(
        [measurement.measured(lambda s, x=x: marginal(s) @ x) for x in rows]
    ).T


def test_its_numbers_are_linear_in_the_rows():
    """Exact integers, one set after the other."""
    measurement, rows = made(), np.arange(60) ** 2
    tables = {s: (marginal(s) @ rows).reshape(GRID.shape(s)) for s in SETS}

    found = measurement.measured(tables.__getitem__)

    assert found.dtype == np.int64
    assert (found == dense(measurement) @ rows).all()
    assert measurement.sets[:4] == ((), (0,), (1,), (2,))
    assert len(found) == measurement.draws == 1 + 1 + 3 + 5 + 3 + 5 + 15 + 15


def test_its_price_is_what_a_row_moves_in_units_of_its_noise():
    """For every cell of the domain, not on average: Σ Δ²/(2σ²), rounded up by set."""
    measurement = made()
    scale = np.repeat(
        [p.deviation for p in measurement.parts], measurement.mechanism.rows
    )
    moved = dense(measurement)

    each = [
        sum(
            Fraction(int(y) ** 2) / (2 * Fraction(s) ** 2)
            for y, s in zip(c, scale, strict=True)
        )
        for c in moved.T
    ]

    price = Fraction(measurement.price.units, 10**12)
    assert len(set(each)) == 1
    assert 0 <= price - each[0] <= Fraction(len(SETS), 10**12)


def test_estimates_are_unbiased_and_vary_as_told():
    """A dense pseudo-inverse of all numbers together finds the same."""
    measurement, rows = made(), np.arange(60) + 3
    scale = np.repeat(
        [p.deviation for p in measurement.parts], measurement.mechanism.rows
    )
    whole = dense(measurement) / scale[:, None]
    inverse = np.linalg.pinv(whole.T @ whole)

    found = measurement.estimates(dense(measurement) @ rows)

    for each in SETS:
        assert np.allclose(found[each], basis(each) @ marginal(each) @ rows)
    for query in (e.query for e in random_log(np.random.default_rng(10), 30)):
        if set(coefficients(GRID.table_of(query))) <= set(SETS):
            h = cells_of(query).astype(float)
            told = variance(GRID.table_of(query), measurement.covariances)
            assert told == pytest.approx(h @ inverse @ h)


def test_its_noise_is_drawn_at_once_and_set_by_set_of_its_own_scale():
    """Two sets of one scale share a call; the numbers stay in their places."""
    sets, scales = [(), (0,), (1,), (2,)], [4.0, 1e9, 4.0, 1e12]
    measurement = made(sets, scales)

    noise = measurement.mechanism.draw(measurement.draws)

    assert noise.dtype == np.int64
    assert np.abs(noise[[0, 2, 3, 4]]).max() < 100 < abs(noise[1]) < 1e11
    assert np.abs(noise[5:]).max() > 1e9
    with pytest.raises(ValueError, match="10 numbers"):
        measurement.mechanism.draw((3, 3))


def test_its_law_is_told_without_drawing():
    """Price, mean variance, the widest quantile, whose it is."""
    measurement = made([(), (2,)], [3.0, 40.0])
    law = measurement.mechanism

    assert law.price == measurement.price == law.price_beyond(law)
    assert law.price == Amount.zcdp(-(-(10**12) // 18) + 20 * 10**12 // 3200)
    assert law.variance == pytest.approx((9 + 5 * 1600) / 6)
    assert law.sensitivity == pytest.approx(20**0.5)
    assert law.quantile(1, 0.95) >= 78
    assert law.key == f"contrasts-{measurement.id}"


def test_large_tables_are_measured_a_few_at_a_time(monkeypatch):
    """The same numbers, in less memory."""
    whole = dense(made())

    monkeypatch.setattr(measurement_module, "CHUNK", 7)

    assert (dense(made()) == whole).all()


def test_equal_measurements_are_one():
    """By grid, sets, matrices and scales, in whatever order they were given."""
    other = Grid.of(SCHEMA, {0: GRID.blocks[0], 2: GRID.blocks[2]})
    two = {(0,): part((0,), 5.0), (2,): part((2,), 5.0)}

    assert made() == made(SETS[::-1], SCALES[::-1])
    assert len({made(), made(SETS[::-1], SCALES[::-1])}) == 1
    assert made() != made(SETS, [41.0, *SCALES[1:]])
    assert made() != made(SETS[1:], SCALES[1:])
    assert ContrastMeasurement.of(GRID, two) != ContrastMeasurement.of(other, two)
    assert made() != "a measurement"


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (part((0,), 5.0), part((0,), 6.0)),
        (MeasuredSet((2, 0), IsotropicStrategy((5, 2)), 5.0),),
        (MeasuredSet((0,), IsotropicStrategy((3,)), 5.0),),
        (MeasuredSet((7,), IsotropicStrategy((3,)), 5.0),),
    ],
)
def test_what_is_no_set_of_the_grid_is_refused(parts):
    """None at all, one twice, not ascending, of other blocks, of no attribute."""
    with pytest.raises(ValueError, match="each of them once"):
        ContrastMeasurement(GRID, parts)


def test_it_is_read_as_it_was_written():
    """Through JSON; sets of one scale are one entry."""
    form = json.loads(json.dumps(made().to_wire()))

    found = ContrastMeasurement.from_wire(SCHEMA, form)

    assert found == made()
    assert found.sets == made().sets
    assert found.mechanism == made().mechanism
    assert len(form["sets"]) == len(set(SCALES))


def changed(**fields):
    """Writes over fields of the first entry of the form."""
    return lambda form: form["sets"][0].update(fields)


FAULTS = {
    "another id": lambda form: form.update(id="0" * 16),
    "no sets": lambda form: form.pop("sets"),
    "sets of another type": lambda form: form.update(sets={"a": 1}),
    "an entry that is no object": lambda form: form.update(sets=[3]),
    "no grid": lambda form: form.update(grid=[]),
    "another grid": lambda form: form["grid"]["blocks"].__setitem__(0, [0, 0]),
    "an unknown kind": changed(kind="magic"),
    "more of a kind than its word": changed(strategy={"a": 1}),
    "no scale": changed(deviation=3.0),
    "an odd spelling of a scale": changed(deviation="0x3p0"),
    "an infinite scale": changed(deviation="inf"),
    "a scale beyond floats": changed(deviation="0x1p+5000"),
    "a scale below 0": changed(deviation=(-3.0).hex()),
    "attributes that are none": changed(sets=[[True]]),
    "attributes of no grid": changed(sets=[[9]]),
    "a set that is none": changed(sets=[3]),
    "sets that are none": changed(sets="012"),
    "a set twice": lambda form: form["sets"][0]["sets"].append([2]),
    "a table of too many cells": changed(sets=[[2] * 12]),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_what_is_malformed_on_the_wire_is_refused(fault):
    """As a whole; the caller keeps what it has."""
    form = json.loads(json.dumps(made().to_wire()))
    fault(form)

    with pytest.raises(InvalidPlan):
        ContrastMeasurement.from_wire(SCHEMA, form)


@pytest.mark.parametrize("limit", ["MOST_SETS", "MOST_DRAWS"])
def test_what_is_too_large_on_the_wire_is_refused(limit, monkeypatch):
    """Before an epoch waits for it."""
    form = made().to_wire()

    monkeypatch.setattr(measurement_module, limit, 7)

    with pytest.raises(InvalidPlan):
        ContrastMeasurement.from_wire(SCHEMA, form)


def test_a_set_knows_its_noise_and_its_covariance():
    """σ²/Δ² times what the strategy has at sensitivity 1."""
    one = part((2,), 40.0)

    assert one.noise.squared_sensitivity == 5 * 4
    assert one.covariance.variance == pytest.approx(40.0**2 / 5)
    assert replace(one, deviation=80.0).noise.price.units * 4 == one.noise.price.units
    assert SIZES[2] == 5
