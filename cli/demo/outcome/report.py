"""The report of the demo, for somebody who has never seen it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

from rich.console import Console
from rich.table import Table

from cli.demo import budget
from cli.demo.outcome.error_comparison import ErrorComparison
from cli.demo.outcome.figures import Figures
from cli.demo.outcome.poller import GAMES, LOOKS, Polled
from cli.demo.questions.histogram import DEAR, Histogram
from cli.demo.questions.known_answers import Known
from cli.demo.questions.over_http import AskedOverHttp
from sigmacount.mechanisms import Amount, Measure, as_epsilon
from sigmacount.release import Plan
from store.ledger.totals import Totals
from store.releases.released import Head
from views import formats
from views.asking import answers, tables

SHOWN = 10
RULES = {
    "fixed-noise": (
        "noise stays, true changes are added. It protects people whose rows stay"
        " unchanged; whoever changes is shown exactly"
    ),
    "continual": (
        "noise of counters, paid for once. Every change of a row is protected, for"
        " good; a row that changes every day has each change protected, and not its"
        " year"
    ),
}
TOLD = ("status", "count", "interval", "route", "epoch")  # of a reply over HTTP
LARGEST = 6  # tables of the plan that are named


def show(
    out: Console, figures: Figures, head: Head, plan: Plan, totals: Totals
) -> bool:
    """Print the report; whether every check passed."""
    out.rule("[bold]Report")
    _rows(out, figures)
    rule = str(head.about["rule"])
    _plan(out, head, plan)
    _ledger(out, totals, rule)
    out.print(
        "\n[bold]Ten questions[/] of the last epoch. The truth is shown here only:"
        " the demo made the rows itself; no analyst or dashboard ever sees it."
    )
    out.print(_ten(figures.known))
    if figures.errors is not None:
        _errors(out, figures.errors, rule)
    if figures.histogram is not None:
        _histogram(out, figures.histogram)
    if figures.over_http is not None:
        _over_http(out, figures.over_http)
    if figures.polled:
        _polled(out, figures.polled)
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
    joint = plan.joint
    if joint is None:
        return
    prices = (unit.price for unit in plan.units)
    price = sum(prices, Amount.zcdp(0))
    out.print(
        f"\n[bold]Plan {plan.version}[/], epoch {head.epoch}:"
        f" {len(joint.tables)} tables of {plan.atoms:,} cells, estimated together from"
        f" noise that was paid for once, {formats.price(price)}, which promises"
        f" {formats.promised(price, budget.DELTA)}. The largest tables:"
    )
    sized = sorted(joint.tables, key=lambda table: -joint.grid.cells(table))
    for table in sized[:LARGEST]:
        names = ", ".join(joint.grid.schema.names[i] for i in table)
        out.print(f"  {joint.grid.cells(table):>7,} cells  {names}")


def _ledger(out: Console, totals: Totals, rule: str) -> None:
    on, said = totals.on, partial(formats.amount, totals.measure)
    limit = Amount(totals.measure, totals.limit)
    surcharged = formats.amount(Measure.EPSILON, totals.surcharged)
    again = f"; and beside it {surcharged} on showing the same noise in later epochs"
    out.print(
        f"\n[bold]Ledger[/]: a budget of {formats.promised(limit, budget.DELTA)}, which"
        f" is {formats.price(limit)}. {said(totals.spent)} of it are spent:"
        f" {said(on.get('group', 0))} on the plan,"
        f" {said(on.get('fresh', 0))} on fresh questions"
        + (again if rule == "fixed-noise" else ", and nothing for later epochs")
        + "."
    )
    out.print(f"The rule is {rule}: {RULES[rule]} (docs/guarantee.md).")


def _errors(out: Console, errors: ErrorComparison, rule: str) -> None:
    """What was measured, above what other ways are foretold to err."""
    plan = f"{as_epsilon(budget.PLANS[rule]):g} ε"
    same = f"the older ways {plan} and no δ" if rule == "fixed-noise" else "for good"
    out.print(
        f"\n[bold]Error[/] of the {errors.questions} questions that the plan answered"
        f" in the last epoch, mean squared; the plan promises {plan} at"
        f" δ = {budget.DELTA:g}, {same}:"
    )
    rows = (
        (errors.measured, "measured, by the true counts; its noise is one release's"),
        (errors.foretold, "foretold by the standard errors of these answers"),
        *((rival.error, rival.words) for rival in errors.rivals),
    )
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    for error, words in rows:
        table.add_row(f"  {error:,.0f} rows²", words)
    out.print(table)


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


def _over_http(out: Console, asked: AskedOverHttp) -> None:
    """Where it was asked, and what came back."""
    question = json.dumps({"where": asked.known.where, "max_cost": 0})
    out.print("\n[bold]Over HTTP[/], as the dashboard and other programs ask:")
    out.print(f"  POST {asked.page}  {question}", markup=False, soft_wrap=True)
    told = ", ".join(f"{name} {asked.said.get(name)}" for name in TOLD)
    out.print(f"  {asked.status}  {told}", markup=False)


def _polled(out: Console, polled: Sequence[Polled]) -> None:
    """What a change of a row is worth to somebody who waits for it, by rule."""
    paid = formats.promised(polled[0].paid, budget.DELTA)
    out.print(
        f"\n[bold]What a poller learns[/] of one person who left, or not, in"
        f" {GAMES:,} games for each rule, noise at {paid}. The poller knows every other"
        " row; a coin is right in 50 %."
    )
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("rule", "one look", f"{LOOKS} looks", "nobody more", "paid"):
        table.add_column(name, justify="left" if name == "rule" else "right")
    for each in polled:
        shares = (f"{share:.0%}" for share in (each.once, each.often, each.most))
        table.add_row(each.rule, *shares, formats.price(each.paid))
    out.print(table)


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
