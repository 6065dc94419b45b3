"""`sigma topics`: make the ten topics, check that they are what they should be."""

from __future__ import annotations

import typer

from cli import terminal
from cli.options import KafkaOption, PrefixOption, overrides
from config.exit_codes import Exit

app = typer.Typer(
    no_args_is_help=True,
    help="Make the topics of the service, or check them.",
)


@app.command()
def create(kafka: KafkaOption = None, prefix: PrefixOption = None) -> None:
    """Make the topics that are missing; then check all, as `check` does.

    Names, partitions, copies and retention come from the SIGMA_KAFKA_… settings.
    Topics that exist are never changed. `rows` is compacted: its last record for each
    row is the database, so no time takes it away. A topic that SIGMA_ROWS_TOPIC names
    is another's: it is neither made nor changed.
    """
    raise typer.Exit(_look_after(overrides(kafka=kafka, prefix=prefix), make=True))


@app.command()
def check(kafka: KafkaOption = None, prefix: PrefixOption = None) -> None:
    """Compare partitions, copies and retention with the settings.

    Exit code 1 when one differs; the remedy stands beside it. A broker that does not
    report a setting (the embedded one does not) is no fault. Of a topic of rows that
    another keeps, only what matters for counting is said.
    """
    raise typer.Exit(_look_after(overrides(kafka=kafka, prefix=prefix), make=False))


def _look_after(given: dict[str, dict[str, object]], *, make: bool) -> Exit:
    from cli.running import topics_report
    from workers import clients

    terminal.hush()
    settings = clients.without_dataset(**given)
    kafka = settings.kafka
    topics = clients.topics(kafka, settings.rows.topic)
    out = terminal.console()
    with clients.kafka_admin(kafka) as admin:
        if make:
            for name in admin.create(topics.ours(), kafka.replication_factor):
                out.print(f"made {name}")
        found = admin.check(topics.all(), kafka.replication_factor)
        notes = [note for topic in topics.all() for note in admin.notes(topic)]
    return topics_report.report(out, notes, found, len(topics.all()))
