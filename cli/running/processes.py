"""`sigma worker`, `sigma up`, `sigma demo`: processes, one, all, and all to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from cli import options

WorkerRole = Literal["counter", "curator", "responder", "reclusterer", "gateway"]
DemoRule = Literal["fixed-noise", "continual"]


def worker(
    role: Annotated[WorkerRole, typer.Argument(help="What this process does.")],
) -> None:
    """Run one process of the service until it is told to stop (SIGTERM, Ctrl-C).

    All settings are SIGMA_… variables (docs/settings.md). Exit code: 0 it was told to
    stop, 1 something must be looked at, 2 a setting or the declaration is wrong, 5 a
    server did not come up, 7 `sigma migrate-keys` must be run; start it again by your
    supervisor after all but 2. Its pages: /live, /ready and /metrics.

        sigma worker counter        # rows → true counts; as many as you like
        sigma worker curator        # true counts → releases; a second one stands by
        sigma worker responder      # questions → answers; as many as you like
        sigma worker reclusterer    # query log → plans; a second one stands by
        sigma worker gateway        # HTTP → questions; as many as you like
    """
    from workers import roles

    roles.run(role)


def up(
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where the store's data are kept; else they end with this command.",
        ),
    ] = None,
    dataset: options.DatasetOption = None,
) -> None:
    """Start everything on this machine until Ctrl-C: broker, store, all workers.

    To try the service with data of your own; for production see docs/operations.md.
    It prints the address of its dashboard, and where the token for it stands.
    The embedded broker keeps rows in memory only. The rule is SIGMA_PRIVACY_RULE:
    continual if rows change and their changes are anybody's secret, renew for a
    handful of epochs in all, else the paper's fixed-noise.
    """
    from cli.running import local_service

    raise typer.Exit(local_service.up(data=data, dataset=dataset))


def demo(
    rule: Annotated[
        DemoRule, typer.Option(help="How changing rows are released.")
    ] = "fixed-noise",
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep everything running until Ctrl-C.")
    ] = False,
    kafka: options.KafkaOption = None,
    redis: options.RedisOption = None,
) -> None:
    """Show the whole service at work on a census, in about two minutes.

    It starts everything here, streams real rows in, lets clients ask, changes rows,
    kills workers, and ends with a report that compares answers with the truth: the
    demo alone may look at it; and with what somebody learns who polls around one
    event, under each rule. Everything runs under the paper's rule, or with --rule
    continual under the one that protects every change. With --keep it all stays until
    Ctrl-C, with the address of its dashboard and a token for it. With --kafka and
    --redis it uses servers that run already. Exit code 1 when one of its checks fails.
    """
    from cli.demo import demo

    played = demo.DemoOptions(rule, keep)
    raise typer.Exit(demo.main(played, kafka=kafka, redis=redis))
