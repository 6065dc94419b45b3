"""Private counts of rows in memory: no Kafka, no Redis, one process.

    python in_memory.py

Levels are declared, never read off the rows. The plan spends 0.5 of an ε of 1 on the
queries it is made for, and answers their combinations with the same noise for nothing;
any other query costs 0.25 once, until the budget refuses.
"""

import random

import sigmacount as sc

age = sc.Attribute.binned("age", "integer", [0, 18, 30, 45, 65, 120])
city = sc.Attribute.categorical("city", ["Lyon", "Oslo", "Turin"])
vegan = sc.Attribute.boolean("vegan", nullable=True)
schema = sc.Schema("people", (age, city, vegan))
rows = [
    {
        "age": random.randrange(120),
        "city": random.choice(city.levels),
        "vegan": random.choice([True, False, None]),
    }
    for _ in range(10_000)
]

workload = [sc.parse(schema, where) for where in ("age >= 45", "city = 'Oslo'")]
plan = sc.plan_for(schema, workload, epsilon=0.5, fresh_epsilon=0.25)
counts = sc.Release(schema, rows, plan, budget=1.0)
for where in ("age >= 45", "city <> 'Oslo'", "vegan", "NOT vegan", "age < 18"):
    try:
        told = counts.answer(sc.parse(schema, where))
        print(f"{where:27}{told.count:6} ± {told.stderr:.1f} in {told.interval}")
    except sc.errors.BudgetExhausted as refused:
        print(f"{where:27}{refused}")
print(f"{counts.left} ε is left")
