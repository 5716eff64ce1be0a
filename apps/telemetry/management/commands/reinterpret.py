"""Raw chunks read again with today's catalog; each stream's facts replaced in one transaction."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.telemetry.logs.interpretation import interpret
from apps.tenancy.models import Organization
from apps.tenancy.people.organization_lookup import UnknownOrganization, organizations_named
from apps.tenancy.scope import organization_scope


class Command(BaseCommand):
    """Read stored lines again, after a catalog that knows more was installed."""

    help = "Read stored lines again with today's signatures. Repeatable."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take one organization or all, and since when lines came in."""
        parser.add_argument("--organization", metavar="SLUG", help="only this one")
        parser.add_argument("--since", type=datetime.fromisoformat, help="2026-11-21T00:00+00:00")

    def handle(self, *args: Any, **options: Any) -> None:
        """Go through the organizations, a stream at a time."""
        for organization in _organizations(options["organization"]):
            ids = _stream_ids(organization, options["since"])
            for stream_id in ids:
                with organization_scope(organization.pk):
                    interpret.read_stream_again(
                        organization_id=organization.pk, stream_id=stream_id, now=timezone.now()
                    )
            self.stdout.write(f"{organization.slug}: {len(ids)} streams read again")


def _organizations(slug: str | None) -> list[Organization]:
    try:
        return organizations_named(slug=slug)
    except UnknownOrganization as error:
        raise CommandError(str(error)) from None


def _stream_ids(organization: Organization, since: datetime | None) -> list[int]:
    with organization_scope(organization.pk):
        return interpret.stream_ids(organization_id=organization.pk, since=since)
