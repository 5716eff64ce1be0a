"""Whether letters and webhooks go out, and the switch for a copy of a portal."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, ProgrammingError
from django.utils import timezone

from apps.notifications.delivery import outbound_freeze
from apps.operations.backup.server import database
from apps.operations.management.commands.up import REFUSALS


class Command(BaseCommand):
    """Say whether things are sent; put that on hold, or let them go out again."""

    help = "Say whether letters and webhooks go out, put them on hold, or let them go out again."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what to do, nothing for a look."""
        parser.add_argument("act", nargs="?", choices=["hold", "resume"], help="without: only say")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it, and say how things stand."""
        act = options["act"]
        if act and not settings.DATABASES["owner"]["ENGINE"].endswith("postgresql"):
            raise CommandError("this needs PORTAL_OWNER_DATABASE_URL: only the owner may do it")
        try:
            with database(say=self.stderr.write):
                if act == "hold":
                    outbound_freeze.put_on(
                        why="an admin of this portal said so", now=timezone.now()
                    )
                elif act == "resume":
                    outbound_freeze.lift()
                said = outbound_freeze.said()
        except ProgrammingError as error:
            raise CommandError(
                "the database has no tables yet; `manage.py up` or `manage.py migrate --database "
                "owner` makes them"
            ) from error
        except (DatabaseError, *REFUSALS) as error:
            raise CommandError(str(error).strip()) from error
        self.stdout.write(said or "Letters and webhooks go out.")
