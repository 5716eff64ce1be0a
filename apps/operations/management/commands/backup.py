"""One file that holds everything the portal keeps, made while it runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from apps.operations.backup.archive import Manifest
from apps.operations.backup.dump import dump
from apps.operations.backup.server import database
from apps.operations.management.commands.up import REFUSALS
from apps.operations.servers import embedded


class Command(BaseCommand):
    """Write the database and the files of the storage into one archive."""

    help = "Back up the database and the storage, while the portal runs; restore reads it back."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take where to, and whether the keys go along."""
        parser.add_argument(
            "target", type=Path, metavar="DIR|FILE", help="where to; no file is overwritten"
        )
        parser.add_argument(
            "--with-keys",
            action="store_true",
            help="put the keys into the file too: who has it can then read stored credentials",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the archive; say what it holds and what it doesn't."""
        now = timezone.now()
        path: Path = options["target"]
        if path.is_dir():
            path /= f"faultline-{now:%Y%m%dT%H%M%SZ}.tar"
        if path.resolve().is_relative_to(settings.PORTAL_STORAGE.resolve()):
            raise CommandError(
                f"{path} lies in PORTAL_STORAGE, which is backed up: it would hold itself; give a "
                "place outside"
            )
        if path.exists():
            raise CommandError(f"{path} is there already; nothing was written")
        if settings.PORTAL_EMBEDS_DATABASE and not embedded.has_data(var=settings.PORTAL_VAR):
            raise CommandError(f"there is no database in {settings.PORTAL_VAR}: nothing to back up")
        try:
            with database(say=self.stderr.write):
                made = dump(path=path, has_keys=options["with_keys"], now=now)
        except REFUSALS as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(
                f"{path} can't be written: {error.strerror}; nothing is left of it"
            ) from error
        except (DatabaseError, psycopg.Error) as error:
            raise CommandError(f"the database can't be read: {error}".strip()) from error
        self.stdout.write(_said(path, made))


def _said(path: Path, made: Manifest) -> str:
    rows = sum(item.row_count or 0 for item in made.tables)
    keys = (
        "The keys are in it: keep it as you keep them."
        if made.keys
        else "The keys are not in it (--with-keys): without them stored credentials can't be read."
    )
    return (
        f"{path}: {len(made.tables)} tables, {rows:,} rows, {len(made.files)} files, "
        f"{path.stat().st_size / 2**20:,.1f} MiB\n{keys}\n"
        "Not in it: who is signed in, and the queue, which holds nothing that is not in the tables."
    )
