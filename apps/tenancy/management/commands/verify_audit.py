"""Read every audit record again and say where one was changed."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.tenancy.audit.verification import check_all
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope


class Command(BaseCommand):
    """Compare the chains of all organizations with their digests."""

    help = "Say whether an audit entry was changed or removed; exit 1 if so."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one line an organization."""
        broken = []
        for organization in Organization.objects.order_by("slug"):
            with organization_scope(organization.pk):
                place = check_all(organization_id=organization.pk, now=timezone.now()).broken
            self.stdout.write(f"{organization.slug}: {'whole' if place is None else place}")
            if place is not None:
                broken.append(f"{organization.slug}: entry {place} was changed or removed")
        if broken:
            raise CommandError("\n".join(broken))
