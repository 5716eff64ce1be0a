"""How much each organization may keep, read and set by the operator of the portal."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.telemetry.retention import quota, usage
from apps.tenancy.models import Organization
from apps.tenancy.people.organization_lookup import UnknownOrganization, organizations_named
from apps.tenancy.scope import organization_scope

ACTOR = "command"


class Command(BaseCommand):
    """Show what organizations keep and may keep, or give one a figure of its own."""

    help = "Show or set how much an organization may keep."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take nothing, one organization, or one with its new figure."""
        parser.add_argument("organization", metavar="SLUG", nargs="?", help="without: all")
        parser.add_argument(
            "size", nargs="*", help="500GiB, bytes, 0 for no limit, or default for everybody's"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Set the figure if one is given; show what is then in force."""
        for organization in _organizations(options["organization"]):
            with organization_scope(organization.pk):
                if options["size"]:
                    _set(organization, " ".join(options["size"]))
                self.stdout.write(_line(organization))


def _organizations(slug: str | None) -> list[Organization]:
    try:
        return organizations_named(slug=slug)
    except UnknownOrganization as error:
        raise CommandError(str(error)) from None


def _set(organization: Organization, text: str) -> None:
    try:
        size = quota.figure_of(text=text)
    except quota.BadSize as error:
        raise CommandError(str(error)) from None
    quota.set_limit(
        organization_id=organization.pk, max_bytes=size, actor=ACTOR, now=timezone.now()
    )


def _line(organization: Organization) -> str:
    stored = usage.stored_bytes(organization_id=organization.pk)
    limit = quota.limit_of(organization_id=organization.pk)
    own = quota.own_limit_of(organization_id=organization.pk)
    may = quota.size_text(limit) if limit else "no limit"
    whose = "everybody's" if own is None else "its own"
    return f"{organization.slug}: keeps {quota.size_text(stored)}, may keep {may} ({whose})"
