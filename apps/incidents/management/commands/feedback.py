"""Judged verdicts out of the portal, for whoever measures how sure it may be."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.incidents.judgement.judged_cases import all_cases, cases_of
from apps.tenancy.people.organization_lookup import UnknownOrganization, organizations_named


class Command(BaseCommand):
    """The door of `manage.py feedback export`."""

    help = "Write what people said of verdicts as JSON lines, without anybody's text."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what to do, for whom and where to."""
        parser.add_argument("action", choices=["export"], help="what to do")
        parser.add_argument(
            "--organization", metavar="SLUG", help="what this one may know; else all that was said"
        )
        parser.add_argument("--out", metavar="FILE", help="instead of the standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write one line for each judged incident."""
        slug = options["organization"]
        try:
            chosen = organizations_named(slug=slug)
        except UnknownOrganization as error:
            raise CommandError(str(error)) from None
        found = cases_of(organization=chosen[0]) if slug else all_cases(organizations=chosen)
        text = "".join(f"{json.dumps(case)}\n" for case in found)
        if not options["out"]:
            self.stdout.write(text, ending="")
            return
        try:
            Path(options["out"]).write_text(text, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{options['out']}: {error.strerror}") from error
        self.stderr.write(f"{len(found)} judged incidents")
