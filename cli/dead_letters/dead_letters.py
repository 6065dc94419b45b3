"""`sigma dead-letters`: records that were refused, and a second chance for them."""

from __future__ import annotations

from typing import Annotated

import typer

from cli import terminal
from cli.exits import CommandRefused
from cli.options import JsonOption, KafkaOption, PrefixOption, overrides

LINES = 20  # newest letters listed unless --all

ReasonOption = Annotated[
    str | None,
    typer.Option(metavar="WORD", help="Only those refused for this reason."),
]
AttributeOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Only those refused for this attribute."),
]
app = typer.Typer(
    no_args_is_help=True,
    help="Look at records that were refused, and send them once more.",
)


@app.command("list")
def list_(
    every: Annotated[
        bool, typer.Option("--all", help=f"Every letter, not the last {LINES}.")
    ] = False,
    replayed: Annotated[
        bool, typer.Option("--replayed", help="Those already sent again, too.")
    ] = False,
    reason: ReasonOption = None,
    attribute: AttributeOption = None,
    json_: JsonOption = False,
    kafka: KafkaOption = None,
    prefix: PrefixOption = None,
) -> None:
    """Show what was refused, by reason, and the newest letters.

    A letter keeps the record as it came; here only its place and the reason are shown,
    for the record may hold a row. The header names are those of Kafka Connect, so its
    tools read them too.
    """
    from cli.dead_letters import letters
    from views import dead_letters as views

    terminal.hush()
    box = letters.StoredLetters(overrides(kafka=kafka, prefix=prefix))
    found = box.read(letters.Filter(reason, attribute, replayed))
    if json_:
        for letter in found:
            terminal.print_json(views.as_dict(letter))
        return
    out = terminal.console()
    if not found:
        out.print("no dead letters")
        return
    out.print(views.summary(found), "")
    out.print(views.listing(found if every else found[-LINES:]))


@app.command()
def replay(
    reason: ReasonOption = None,
    attribute: AttributeOption = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask whether it is meant.")
    ] = False,
    kafka: KafkaOption = None,
    prefix: PrefixOption = None,
) -> None:
    """Send refused records to where they came from, each once.

    Mend the cause first: what still means nothing comes back as a letter. A replayed
    row comes *after* all that its topic received since, so its old values win over
    newer ones of the same row.

        sigma dead-letters replay --reason outside_levels
    """
    from cli.dead_letters import letters

    terminal.hush()
    box = letters.StoredLetters(overrides(kafka=kafka, prefix=prefix))
    found = box.read(letters.Filter(reason, attribute))
    out = terminal.console()
    if not found:
        out.print("no dead letters to send")
        return
    if not yes and not typer.confirm(f"send {len(found):,} records once more?"):
        msg = "nothing was sent"
        raise CommandRefused(msg)
    out.print(f"sent {box.replay(found):,} records to where they came from")
