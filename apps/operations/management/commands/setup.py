"""Make a cluster, its organizations, their first people, tokens and sources."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError, InterfaceError, OperationalError, ProgrammingError
from django.urls import reverse
from django.utils import timezone

from apps.fleet.models import ParticipationRole
from apps.operations.command_line.program_name import called
from apps.operations.setup.create import Made, make
from apps.operations.setup.description_file import read_file, read_values
from apps.operations.setup.parties import BadParties, ClusterDescription, SetupError
from apps.operations.setup.prompts import ask
from apps.operations.setup.setup_run import Secret

WRONG = 2  # exit code: the description can't be used
GIVE = (
    "give --file, or --organization, with --cluster and --part unless it has no part yet; "
    "without any, on a terminal, it asks"
)


class Command(BaseCommand):
    """Set a portal up: from a file, from words, or by asking."""

    help = "Make what is missing of a cluster and its organizations, all or nothing. Repeatable."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take a file, or one organization in words."""
        parser.add_argument("--file", type=Path, help="YAML: cluster, organizations")
        parser.add_argument("--dry-run", action="store_true", help="say what it would make")
        parser.add_argument("--cluster", metavar="SLUG", help="made if it isn't there")
        parser.add_argument("--organization", metavar="SLUG", help="the same")
        parser.add_argument("--name", help="of the organization")
        parser.add_argument(
            "--part",
            action="append",
            choices=ParticipationRole.values,
            default=[],
            help="what it is to the cluster; may be repeated",
        )
        parser.add_argument(
            "--project",
            action="append",
            default=[],
            metavar="NAME",
            help="the scheduler's name of a project of this tenant; may be repeated",
        )
        parser.add_argument("--admin", metavar="USER", help="first admin; a link is printed, once")
        parser.add_argument("--token", metavar="NAME", help="a token for everything; printed once")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make it, and print each new secret once."""
        try:
            self._run(options)
        except BadParties as error:
            where = f"{options['file']}: " if options["file"] else ""
            faults = "\n".join(f"  {where}{fault}" for fault in error.faults)
            raise CommandError(f"nothing was made:\n{faults}", returncode=WRONG) from error
        except (OperationalError, InterfaceError) as error:
            raise CommandError(
                f"the database doesn't answer; nothing was made. Start it (`{called()} up`, in "
                f"another terminal) or see PORTAL_DATABASE_URL: {str(error).splitlines()[0]}"
            ) from error
        except IntegrityError as error:
            raise CommandError(
                "somebody else made the same at this moment; nothing was made. Run it again"
            ) from error
        except ProgrammingError as error:
            raise CommandError(
                "the database has no tables of this version; nothing was made. Run "
                f"`{called()} migrate --database owner` first: {str(error).splitlines()[0]}"
            ) from error

    def _run(self, options: dict[str, Any]) -> None:
        is_asked = not any(options[name] for name in ("file", "cluster", "organization", "part"))
        if is_asked and sys.stdin.isatty():
            self._ask(is_dry=options["dry_run"])
            return
        described = read_file(path=options["file"]) if options["file"] else _given(options)
        self._tell(_make(described, is_dry=options["dry_run"]), is_dry=options["dry_run"])

    def _ask(self, *, is_dry: bool) -> None:
        try:
            described = read_values(values=ask(read=input, say=self.stdout.write))
            self.stdout.write("\nThis will be made:")
            planned = _make(described, is_dry=True)
            self._tell(planned, is_dry=True)
            if is_dry or not planned.changes:
                return
            if input("\nMake it? [y/N] ").strip().lower() not in {"y", "yes"}:
                raise CommandError("nothing was made")
        except (EOFError, KeyboardInterrupt):
            raise CommandError("nothing was made") from None
        self._tell(_make(described, is_dry=False), is_dry=False)

    def _tell(self, made: Made, *, is_dry: bool) -> None:
        for change in made.changes:
            self.stdout.write(str(change))
        if not any(change.sign != "=" for change in made.changes):
            self.stdout.write("Everything is there already: nothing to do.")
        elif is_dry:
            self.stdout.write("This is what would be made. Nothing was.")
        if made.secrets:
            self.stdout.write("\nShown now and never again:")
        for secret in made.secrets:
            self.stdout.write(f"  {secret.organization}: {_line(secret)}")


def _make(described: ClusterDescription, *, is_dry: bool) -> Made:
    return make(described=described, now=timezone.now(), is_dry=is_dry)


def _line(secret: Secret) -> str:
    if secret.kind == "token":
        return f"token {secret.name}: {secret.clear_text}"
    url = settings.PORTAL_BASE_URL + reverse("web:join", args=[secret.clear_text])
    return f"link for {secret.name}, works once, for seven days: {url}"


def _given(options: dict[str, Any]) -> ClusterDescription:
    if not options["organization"] or (options["part"] and not options["cluster"]):
        raise BadParties(SetupError(place="", text=GIVE))
    party = {
        "slug": options["organization"],
        "name": options["name"] or options["organization"],
        "parts": options["part"],
        "projects": options["project"],
        "admin": options["admin"],
        "token": options["token"],
    }
    given = {name: value for name, value in party.items() if value}
    cluster = {"cluster": {"slug": options["cluster"]}} if options["cluster"] else {}
    return read_values(values={**cluster, "organizations": [given]})
