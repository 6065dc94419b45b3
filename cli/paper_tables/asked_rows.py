"""The demo's rows and questions, as experiments take them: values, not files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from cli.demo.census.uci_adult import Population
from cli.demo.questions.analysts import TEAMS, Team
from cli.reading.type_conversion import TypeConversion
from config.declarations.datasets import load
from experiments.measuring.asked_rows import AskedRows
from experiments.measuring.data import SEED
from sigmacount.domain import Schema
from sigmacount.language import parse
from sigmacount.sets import WeightedQuery

LOGGED, EARLY, LATER = 1_550, 150, 5_000  # questions of each team


def asked_rows(population: Population) -> AskedRows:
    """UCI Adult as the service declares it, and what three teams ask of it."""
    dataset = load("adult")
    schema = dataset.schema
    typed = map(TypeConversion(schema, dataset.missing).row, population.rows)
    codes, counts = np.unique(
        [schema.cell_code(row) for row in typed], return_counts=True
    )
    teams = [Team(name, SEED) for name in TEAMS]
    early = [team.question() for team in teams for _ in range(EARLY)]
    rest = [team.question() for team in teams for _ in range(LOGGED - EARLY)]
    later = [team.question() for team in teams for _ in range(LATER)]
    logs = (_log(schema, texts) for texts in ([*early, *rest], early, later))
    return AskedRows("demo", schema, codes, counts.astype(np.int64), *logs)


def _log(schema: Schema, texts: Iterable[str]) -> Sequence[WeightedQuery]:
    """Every distinct question once, however it was spelled."""
    times = Counter(texts)
    queries = {text: parse(schema, text) for text in times}
    asked: Counter[str] = Counter()
    for text, query in queries.items():
        asked[query.key] += times[text]
    by_key = {query.key: query for query in queries.values()}
    return [WeightedQuery(by_key[key], float(n)) for key, n in asked.items()]
