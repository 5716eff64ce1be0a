"""A backup put into an empty portal."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import psycopg
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from apps.operations.backup import keys
from apps.operations.backup.archive import ArchiveReader, Damaged, Manifest
from apps.operations.backup.load import RestoreRefused, Unfinished, load
from apps.operations.backup.server import database
from apps.operations.management.commands.up import REFUSALS
from apps.telemetry.files.path_suggestions import path_meant

ABOUT_SENDING = (
    "No letters and webhooks go out: the portal that this is a copy of may still send them. Once "
    "this one takes its place: manage.py sending resume"
)


class Command(BaseCommand):
    """Read an archive that `manage.py backup` wrote back, whole or not at all."""

    help = "Put a backup into an empty portal; a target that holds anything is refused."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the archive."""
        parser.add_argument("archive", type=Path, metavar="FILE", help="what backup wrote")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify the archive, load it, and say whether the keys fit and that nothing is sent."""
        path: Path = options["archive"]
        try:
            manifest = self._restore(path)
        except Unfinished as error:
            raise CommandError(
                "everything was restored, but its tables are not up to date: "
                f"{error}\nRun: manage.py migrate --database owner"
            ) from error
        except (Damaged, RestoreRefused, OSError, *REFUSALS) as error:
            raise CommandError(f"nothing was restored: {error}{path_meant(path=path)}") from error
        except (DatabaseError, psycopg.Error) as error:
            raise CommandError(
                f"nothing was restored; the database says: {str(error).strip()}"
            ) from error
        self.stdout.write(f"{_about_keys(manifest)}\n{ABOUT_SENDING}")

    def _restore(self, path: Path) -> Manifest:
        with ArchiveReader(path) as reader:
            reader.verify()
            self.stdout.write(f"{path}: made {reader.manifest.made_at}, every digest is right")
            with database(say=self.stderr.write):
                load(reader=reader, say=self.stdout.write, now=timezone.now())
            return reader.manifest


def _about_keys(manifest: Manifest) -> str:
    if keys.are_those(mark=manifest.key_mark):
        return "The keys here are those of the backup."
    return (
        "The keys here are not those of the backup: stored credentials of sources can't be read "
        "until PORTAL_SECRET_KEYS (or var/secret) holds them."
    )
