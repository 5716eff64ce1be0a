"""A backup put into an empty portal."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from portal.keeping import keys
from portal.keeping.archive import Damaged, Manifest, Reader
from portal.keeping.load import Refused, load
from portal.keeping.server import database
from portal.management.commands.up import REFUSALS


class Command(BaseCommand):
    """Read an archive that `manage.py backup` wrote back, whole or not at all."""

    help = "Put a backup into an empty portal; a target that holds anything is refused."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the archive."""
        parser.add_argument("archive", type=Path, metavar="FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify the archive, load it, and say whether the keys fit."""
        path: Path = options["archive"]
        try:
            manifest = self._restore(path)
        except (Damaged, Refused, *REFUSALS) as error:
            raise CommandError(f"nothing was restored: {error}") from error
        except OSError as error:
            raise CommandError(f"nothing was restored: {error}") from error
        except DatabaseError as error:
            raise CommandError(f"nothing was restored; the database says: {error}") from error
        self.stdout.write(_about_keys(manifest))

    def _restore(self, path: Path) -> Manifest:
        with Reader(path) as reader:
            reader.verify()
            self.stdout.write(f"{path}: made {reader.manifest.made_at}, every digest is right")
            with database(say=self.stderr.write):
                load(reader=reader, say=self.stdout.write)
            return reader.manifest


def _about_keys(manifest: Manifest) -> str:
    if manifest.keys and keys.put_back(keys=manifest.keys):
        return f"The keys of the backup are in {settings.PORTAL_VAR / 'secret'}."
    if keys.are_those(mark=manifest.key_mark):
        return "The keys here are those of the backup."
    return (
        "The keys here are not those of the backup: stored credentials of sources can't be read "
        "until PORTAL_SECRET_KEYS (or var/secret) holds them."
    )
