"""Check an evidence bundle and say what is in it. Needs no database and no settings."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand

from apps.diagnosis.spelling import in_lines
from apps.offline.bundle_logs import BadLogs, summary, write_logs
from apps.sharing.bundles.bundle_file import BadBundle, BundleFile, read_bundle

EXIT_CHANGED, EXIT_UNUSABLE = 1, 2


class Command(BaseCommand):
    """The door of `manage.py verify_bundle`."""

    help = "Check that an evidence bundle is as it was made, and say what is in it."
    requires_system_checks = []  # noqa: RUF012  Django declares it so; no settings, no database
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("file", help="the bundle as it was downloaded")
        parser.add_argument(
            "--sha256", metavar="DIGEST", help="compare with the one that the portal's page shows"
        )
        parser.add_argument(
            "--logs", metavar="FOLDER", help="write its lines there, as `diagnose` reads them"
        )

    def handle(self, **options: Any) -> None:
        """Run and leave with 0, 1 for a bundle that was changed, or 2 for unusable input."""
        try:
            with Path(options["file"]).open("rb") as source:
                bundle = read_bundle(source)
            _compare(bundle, options["sha256"])
        except BadBundle as error:
            self._end(f"{options['file']}: {error}", EXIT_CHANGED)
        except OSError as error:
            self._end(f"{options['file']}: {error.strerror}", EXIT_UNUSABLE)
        for line in summary(bundle):
            self.stdout.write(line)
        if options["logs"]:
            self._write(bundle, Path(options["logs"]))

    def _write(self, bundle: BundleFile, folder: Path) -> None:
        try:
            count = write_logs(bundle=bundle, folder=folder)
        except BadLogs as error:
            self._end(f"{folder}: {error}", EXIT_UNUSABLE)
        except OSError as error:
            self._end(f"{folder}: {error.strerror}", EXIT_UNUSABLE)
        else:
            self.stdout.write(f"Logs written: {count}. Read them with: diagnose {folder}")

    def _end(self, text: str, code: int) -> NoReturn:
        self.stderr.write(in_lines(text=text))
        sys.exit(code)


def _compare(bundle: BundleFile, digest: str | None) -> None:
    if digest and digest.strip().lower() != bundle.digest:
        raise BadBundle("its SHA-256 is another one than was given: this is not the file you mean")
