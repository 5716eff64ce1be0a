"""Make a cluster, its organizations and their first admins and tokens."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import yaml
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.fleet.models import Part
from portal.parties import BadParties, Made, Party, establish


class Command(BaseCommand):
    """Set a portal up, from a file or one organization at a time."""

    help = "Make what is missing of a cluster and its organizations. Repeatable."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take a file, or one organization in words."""
        parser.add_argument("--file", type=Path, help="YAML: cluster, organizations")
        parser.add_argument("--cluster", metavar="SLUG")
        parser.add_argument("--organization", metavar="SLUG")
        parser.add_argument("--name", help="of the organization")
        parser.add_argument("--part", action="append", choices=Part.values, default=[])
        parser.add_argument("--project", action="append", default=[])
        parser.add_argument("--admin", metavar="USER", help="first admin; a password is printed")
        parser.add_argument("--token", metavar="NAME", help="a token for everything; printed once")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it and print each new secret, once."""
        try:
            cluster, parties = _from_file(options["file"]) if options["file"] else _given(options)
        except BadParties as error:
            raise CommandError(str(error)) from error
        now = timezone.now()
        for made in establish(cluster=cluster, parties=parties, now=now):
            self._tell(made)

    def _tell(self, made: Made) -> None:
        self.stdout.write(f"{made.organization.slug}: {', '.join(made.party.parts)}")
        if made.password:
            self.stdout.write(f"  user {made.party.admin}, password {made.password}")
        if made.token:
            self.stdout.write(f"  token {made.party.token}: {made.token}")


def _from_file(path: Path) -> tuple[tuple[str, str], list[Party]]:
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
        cluster = values["cluster"]
        parties = [Party.read(each) for each in values["organizations"]]
        return (cluster["slug"], cluster.get("name", cluster["slug"])), parties
    except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
        raise BadParties(
            f"{path}: {type(error).__name__} {error}; it needs `cluster` with `slug` and a list "
            "`organizations` (docs/operations.md shows one)"
        ) from error


def _given(options: dict[str, Any]) -> tuple[tuple[str, str], list[Party]]:
    if not (options["cluster"] and options["organization"] and options["part"]):
        raise BadParties("give --file, or --cluster, --organization and --part")
    party = Party(
        slug=options["organization"],
        name=options["name"] or options["organization"],
        parts=options["part"],
        projects=options["project"],
        admin=options["admin"],
        token=options["token"],
    )
    return (options["cluster"], options["cluster"]), [party]
