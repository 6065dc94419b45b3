"""`sigma check`: is this declaration sound, and what will counting it cost?"""

from __future__ import annotations

from typing import Annotated

import typer

from cli import options, terminal
from cli.exits import CommandRefused
from config.exit_codes import Exit

Epsilon = typer.Option(metavar="ε", min=1e-6, show_default=False)


def check(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A TOML file, or a shipped dataset.")
    ],
    epsilon: Annotated[
        float | None,
        typer.Option(
            metavar="ε",
            help="Of one plan, such as 0.1; else SIGMA_PRIVACY_PLAN_BUDGET.",
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="ε", help="For as long as it lives; else SIGMA_PRIVACY_BUDGET."
        ),
    ] = None,
    epoch: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            min=0.001,
            help="Between two epochs; else SIGMA_CURATOR_EPOCH_SECONDS.",
        ),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(help="fixed-noise, renew or continual; else SIGMA_PRIVACY_RULE."),
    ] = None,
    churn: Annotated[
        float | None,
        typer.Option(
            metavar="ρ",
            help="How likely a row is to change, for fixed-noise;"
            " else SIGMA_PRIVACY_CHURN_PROBABILITY.",
        ),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(
            metavar="δ",
            help="Count in zCDP, and take every ε at this δ, such as 1e-9;"
            " else SIGMA_PRIVACY_DELTA.",
        ),
    ] = None,
    json_: options.JsonOption = False,
) -> None:
    """Say what is wrong with a declaration, or how large it is and what it costs.

    All faults at once, open questions of `sigma init` among them: exit code 2. A sound
    one is shown with the levels of each attribute, the cells of each pair, the error of
    their counts at the ε of a plan, what the rule promises of a budget, for how many
    epochs it lasts, and how errors grow where they do.

    No server is needed, no row is read and nothing is spent. The amounts here are in ε,
    those of the settings in µε, millionths of it.
    """
    from cli.checking import costing

    terminal.hush()
    given = costing.Given(epsilon, budget, epoch, rule, churn, delta)
    try:
        view = costing.view(file, given)
    except costing.FAULTS as error:
        if not json_ or isinstance(error, CommandRefused):
            raise
        terminal.print_json({"faults": str(error).splitlines()})
        raise typer.Exit(Exit.INVALID) from None
    if json_:
        terminal.print_json(view.as_dict())
        return
    out = terminal.console()
    for part in view.parts():
        out.print(part)
