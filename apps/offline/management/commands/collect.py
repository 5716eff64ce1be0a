"""Collect what a job left behind into one tar. Needs no database and no settings."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.collect.asking import printable
from apps.collect.collect import CollectionResult, CollectRequest, NothingToCollect, collect
from apps.collect.jobs import JOB_ID, NODE
from apps.collect.nodes import Way
from apps.collect.redact import Hide
from apps.diagnosis.spelling import meant

EXIT_UNUSABLE = 2
MOST_MISSING = 12
LABELS = {
    "scheduler": "scheduler's record",
    "session": "job's output",
    "kernel": "kernel logs",
    "nvidia-smi": "nvidia-smi -q",
    "about": "for people",
}
HELP = """Collect a job's logs from its nodes into one tar that `diagnose` reads.

Run it as who may read the job's output; the kernel's log may need a group (adm, systemd-journal).
Nodes of a running job are asked by srun inside its allocation, others by ssh without a password.
The manifest in the tar says which command gave what, what could not be had, and how far each
node's clock is off. Credentials are hidden unless --redact none."""


class Command(BaseCommand):
    """The door of `manage.py collect`."""

    help = HELP
    requires_system_checks = []  # noqa: RUF012  Django declares it so; no settings, no database
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.add_argument("--job", default="", metavar="ID", help="number of a Slurm job")
        parser.add_argument(
            "--nodes", default="", metavar="LIST", help="nodes to ask, instead of the job's"
        )
        parser.add_argument(
            "--output",
            action="append",
            default=[],
            metavar="FILE",
            help="what the job printed, beside what Slurm names; may be repeated",
        )
        parser.add_argument(
            "--from",
            dest="starts_at",
            type=_time,
            metavar="TIME",
            help="logs since then (else since the job began), like 2026-11-22T08:00",
        )
        parser.add_argument(
            "--to", dest="ends_at", type=_time, metavar="TIME", help="and until then (else its end)"
        )
        parser.add_argument(
            "--over",
            default="auto",
            choices=[one.value for one in Way],
            help="how nodes are asked (default auto: srun inside a running job, else ssh)",
        )
        parser.add_argument(
            "--redact",
            type=_hides,
            default=frozenset({Hide.SECRETS}),
            metavar="KINDS",
            help=f"none, all, or of {', '.join(Hide)} (default secrets)",
        )
        parser.add_argument("--into", type=Path, metavar="FILE", help="the tar to write (.tar.gz)")

    def handle(self, **options: Any) -> None:
        """Run and leave with 0, or with 2 where nothing can be collected."""
        wanted = _wanted(options)
        now = datetime.now(UTC)
        into = options["into"] or Path(
            f"faultline-{wanted.job_id or 'nodes'}-{now:%Y%m%dT%H%M%SZ}.tar.gz"
        )
        try:
            collected = collect(wanted=wanted, into=into, now=now)
        except NothingToCollect as error:
            self.stderr.write(str(error))
            sys.exit(EXIT_UNUSABLE)
        except OSError as error:
            self.stderr.write(f"{error.filename or into}: {error.strerror}")
            sys.exit(EXIT_UNUSABLE)
        self._tell(collected)

    def _tell(self, collected: CollectionResult) -> None:
        counts, missing = collected.counts(), collected.missing()
        for folder, label in LABELS.items():
            failed = sum(path.startswith(f"{folder}/") for path, _ in missing)
            lacking = f", {failed} missing" if failed else ""
            if counts[folder] or failed:
                self.stdout.write(f"{label + ':':20} {counts[folder]}{lacking}")
        for path, why in missing[:MOST_MISSING]:
            self.stdout.write(printable(f"  {path}: {why}"))
        if len(missing) > MOST_MISSING:
            self.stdout.write(f"  and {len(missing) - MOST_MISSING} more, in about/manifest.json")
        if collected.names:
            self.stdout.write(f"{collected.names}: which name stands for what; keep it here")
        self.stdout.write(f"{collected.into}: {collected.into.stat().st_size / 2**20:.1f} MiB")
        self.stdout.write(f"next: faultline diagnose {collected.into}")


def _wanted(options: dict[str, Any]) -> CollectRequest:
    job_id, names = options["job"], [one for one in options["nodes"].split(",") if one]
    if job_id and not JOB_ID.fullmatch(job_id):
        raise CommandError(f"--job {job_id!r}: a number is wanted, as in 4711, 4711_3 or 4711+1")
    is_list = "[" in options["nodes"]
    odd = [one for one in names if not NODE.fullmatch(one)] if not is_list else []
    if odd or options["nodes"].startswith("-"):
        raise CommandError(f"--nodes: {(odd or names)[0]!r} is no name of a node")
    if not (job_id or names or options["output"]):
        raise CommandError("name a job (--job), nodes (--nodes) or files (--output)")
    return CollectRequest(
        job_id=job_id,
        node_names=(options["nodes"],) if is_list else tuple(names),
        outputs=tuple(Path(one) for one in options["output"]),
        starts_at=options["starts_at"],
        ends_at=options["ends_at"],
        way=Way(options["over"]),
        hides=options["redact"],
    )


def _time(said: str) -> datetime:
    """Return a time; one without a zone is this machine's."""
    return datetime.fromisoformat(said).astimezone()


def _hides(said: str) -> frozenset[Hide]:
    if said in {"none", "all"}:
        return frozenset(Hide) if said == "all" else frozenset()
    kinds = [one.strip() for one in said.split(",")]
    if wrong := [one for one in kinds if one not in set(Hide)]:
        known = ", ".join(["none", "all", *Hide])
        hint = meant(word=wrong[0], known=["none", "all", *Hide])
        raise ArgumentTypeError(f"{wrong[0]!r} is nothing that is hidden; one of {known}{hint}")
    return frozenset(Hide(one) for one in kinds)
