"""Encrypt the credentials and keys that are kept anew with the first of the portal's keys."""

from typing import Any

from django.core.management.base import BaseCommand

from apps.notifications.webhook import webhook_settings
from apps.sharing import pseudonym_keys
from apps.sharing.signing import signing_keys
from apps.telemetry.metrics import source_settings
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.sign_in import second_factors
from apps.tenancy.single_sign_on import provider_settings


class Command(BaseCommand):
    """What is run between adding a key to PORTAL_SECRET_KEYS and removing the former one."""

    help = "Encrypt stored credentials with the first key, so that later keys can be removed."

    def handle(self, *args: Any, **options: Any) -> None:
        """Go through the organizations, one scope each."""
        for organization in Organization.objects.order_by("slug"):
            with organization_scope(organization.pk):
                count = source_settings.reseal_all(organization=organization)
                count += pseudonym_keys.reseal_all(organization=organization)
                count += signing_keys.reseal_all(organization=organization)
                count += webhook_settings.reseal_all(organization=organization)
                count += provider_settings.reseal_all(organization=organization)
            self.stdout.write(f"{organization.slug}: {count}")
        self.stdout.write(f"second factors: {second_factors.reseal_all()}")
