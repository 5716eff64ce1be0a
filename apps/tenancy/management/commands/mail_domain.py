"""Confirm that a mail domain is an organization's, so that its provider may vouch for it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.tenancy.people.organization_lookup import UnknownOrganization, organization_named
from apps.tenancy.single_sign_on import mail_domains
from apps.tenancy.single_sign_on.mail_domains import DomainTaken
from apps.tenancy.single_sign_on.provider_settings import BadProvider


class Command(BaseCommand):
    """What an operator does on the portal's own machine: no organization may claim a domain."""

    help = "Confirm that a mail domain is an organization's: its provider may vouch for it then."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take whose it is."""
        parser.add_argument("organization", metavar="SLUG", help="whose it is")
        parser.add_argument("domain", metavar="DOMAIN", help="like example.org")

    def handle(self, *args: Any, **options: Any) -> None:
        """Confirm it."""
        try:
            organization = organization_named(slug=options["organization"])
            domain = mail_domains.checked_domain(text=options["domain"])
        except (UnknownOrganization, BadProvider) as error:
            raise CommandError(str(error)) from None
        try:
            is_new = mail_domains.confirm(
                organization=organization, domain=domain, now=timezone.now()
            )
        except DomainTaken as error:
            words = f"{domain} is confirmed for {error.slug}; an admin there has to remove it first"
            raise CommandError(words) from None
        said = "is confirmed" if is_new else "was confirmed already"
        self.stdout.write(f"{domain} {said} for {organization.slug}")
