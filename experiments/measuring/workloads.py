"""Workloads: the paper's law of questions in closed form, and Turbo's, with rows."""

from __future__ import annotations

from typing import Final

import numpy as np

from experiments.measuring import covid
from experiments.measuring.asked_rows import AskedRows
from experiments.measuring.data import SEED
from sigmacount.contrasts import isotropic_energies
from sigmacount.sets import WeightedQuery

ASKED: Final = (0.05, 0.05, 0.9)  # for 1, for 0, for both: the paper's workload
SAMPLE: Final = 400  # of Turbo's questions; each release is asked all of these


def law_value(columns: int) -> float:
    """V of isotropic contrasts for the paper's law over so many columns of bits.

    Columns are asked for independently of one another, so √G_S is a product over them
    and V the same power of one column's.
    """
    tables = np.array([(False, True), (True, False), (True, True)])
    of_one = np.array(ASKED) @ isotropic_energies(tables)
    return float(np.sqrt(of_one).sum() ** (2 * columns))


def turbo(every: int = 1) -> AskedRows:
    """Turbo's Covid workload, all 34,425 products or some, and made-up rows."""
    rng = np.random.default_rng(SEED)
    counts = rng.multinomial(covid.ROWS, rng.dirichlet(np.ones(covid.CELLS)))
    chosen = range(0, len(covid.products()), every)
    log = [WeightedQuery(covid.query(k)) for k in chosen]
    codes = np.arange(covid.CELLS)
    return AskedRows("Turbo's Covid", covid.SCHEMA, codes, counts, log)


def sampled(asked: AskedRows, number: int = SAMPLE) -> AskedRows:
    """Some of the questions, for releases: all are asked alike, and so are these."""
    rng = np.random.default_rng(SEED)
    chosen = rng.choice(len(asked.log), min(number, len(asked.log)), replace=False)
    log = [asked.log[k] for k in chosen]
    return AskedRows(asked.name, asked.schema, asked.codes, asked.counts, log)
