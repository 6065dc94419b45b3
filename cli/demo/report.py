"""The report of the demo, for somebody who has never seen it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from cli.demo.figures import Figures, Known
from cli.demo.histogram import DEAR, Histogram
from sigmacount.release import Plan
from store.ledger.totals import Totals
from store.releases.released import Head
from views import formats
from views.asking import answers, tables

SHOWN = 10


def show(
    out: Console, figures: Figures, head: Head, plan: Plan, totals: Totals
) -> bool:
    """Print the report; whether every check passed."""
    out.rule("[bold]Report")
    _rows(out, figures)
    _plan(out, head, plan)
    _ledger(out, totals)
    out.print(
        "\n[bold]Ten questions[/] of the last epoch. The truth is shown here only:"
        " the demo made the rows itself; no analyst or dashboard ever sees it."
    )
    out.print(_ten(figures.known))
    if figures.histogram is not None:
        _histogram(out, figures.histogram)
    out.print("\n[bold]Checks")
    checks = list(figures.checks())
    for check in checks:
        mark = formats.MARKS["ok" if check.passed else "fail"]
        out.print(f"  {mark}  {check.name}: {check.words}")
    return all(check.passed for check in checks)


def _rows(out: Console, figures: Figures) -> None:
    out.print(
        f"{figures.rows:,} people are counted; they were loaded at"
        f" {figures.load_rate:,.0f} rows/s."
    )
    routes = Table(box=None, pad_edge=False, header_style="bold")
    routes.add_column("questions")
    names = sorted({name for each in figures.routes.values() for name in each})
    for name in names:
        routes.add_column(name, justify="right")
    for phase, counts in figures.routes.items():
        routes.add_row(phase, *(f"{counts[name]:,}" for name in names))
    out.print(routes)
    reasons = ", ".join(f"{n} {reason}" for reason, n in sorted(figures.found.items()))
    out.print(f"Dead letters by reason: {reasons}.")


def _plan(out: Console, head: Head, plan: Plan) -> None:
    out.print(
        f"\n[bold]Plan {plan.version}[/], epoch {head.epoch}:"
        f" {len(plan.groups)} algebras, {plan.atoms:,} atoms, each with noise drawn"
        " once."
    )
    for group in plan.groups:
        algebra = group.algebra
        names = ", ".join(algebra.schema.names[i] for i in algebra.attributes)
        out.print(f"  {algebra.size:>7,} atoms  ε {group.price.epsilon:<9.4f} {names}")


def _ledger(out: Console, totals: Totals) -> None:
    on = totals.on
    out.print(
        f"\n[bold]Ledger[/]: {formats.in_epsilon(totals.spent)} of"
        f" {formats.in_epsilon(totals.limit)} spent:"
        f" {formats.in_epsilon(on.get('group', 0))} on algebras,"
        f" {formats.in_epsilon(on.get('fresh', 0))} on fresh questions,"
        f" {formats.in_epsilon(on.get('epoch', 0))} on showing the noise of algebras in"
        " later epochs."
    )
    out.print(
        "The rule is fixed-noise: noise stays, true changes are added. It protects"
        " people whose rows stay unchanged; whoever changes is shown exactly"
        " (docs/guarantee.md)."
    )


def _histogram(out: Console, shown: Histogram) -> None:
    """The table as `sigma ask` shows it; the price, and the refusal."""
    counts, quote = shown.table.table, shown.priced.quote
    if counts is None or quote is None:
        return
    by = ",".join(counts.by)
    out.print(f"\n[bold]A histogram[/]: sigma ask --by {by} --max-cost 0")
    out.print(answers.headline(shown.table))
    out.print(*tables.parts(counts))
    holds = f"{shown.covered} of {len(counts)} intervals hold the truth"
    out.print(f"It cost {shown.table.cost}; {holds}.")
    out.print(f'\n[bold]A price[/]: sigma ask "{DEAR}" --price')
    facts = Table.grid(padding=(0, 3))
    for name, fact in quote.facts():
        facts.add_row(f"  [dim]{name}[/]", fact)
    out.print(facts)
    out.print("And with --max-cost 0:", answers.headline(shown.limited))


def _ten(known: Sequence[Known]) -> Table:
    """Ten questions, the free ones of many sizes first."""
    answered = [each for each in known if each.answer.ok]
    ranked = sorted(answered, key=lambda each: -each.truth)
    step = max(1, len(ranked) // SHOWN)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("question", overflow="fold", ratio=1)
    for name in ("count", "95 % interval", "truth", "route"):
        table.add_column(name, justify="left" if name == "route" else "right")
    for each in ranked[::step][:SHOWN]:
        low, high = each.answer.interval or (0, 0)
        table.add_row(
            each.where,
            f"{each.answer.count:,}",
            f"{low:,} … {high:,}",
            f"{each.truth:,}",
            each.answer.route or "",
        )
    return table
