"""Issue, list and revoke the tokens of an organization."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.tenancy import credentials
from apps.tenancy.audit import Deed, record
from apps.tenancy.models import Organization, Token, TokenScope
from apps.tenancy.scope import organization_scope

OPERATOR = "command"


class Command(BaseCommand):
    """What an operator does with tokens on the portal's own machine."""

    help = "Issue, list or revoke tokens of an organization."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what to do and for whom."""
        parser.add_argument("deed", choices=["issue", "list", "revoke"])
        parser.add_argument("organization", metavar="SLUG")
        parser.add_argument("--name", help="of the token")
        parser.add_argument("--scope", action="append", choices=TokenScope.values, default=[])
        parser.add_argument("--cluster", action="append", type=int, default=[], metavar="ID")
        parser.add_argument("--days", type=int, help="until it expires; without, it does not")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it in the organization's scope and note it in the audit record."""
        organization = Organization.objects.filter(slug=options["organization"]).first()
        if organization is None:
            raise CommandError(f"no organization {options['organization']}")
        if options["deed"] != "list" and not options["name"]:
            raise CommandError("give --name")
        with organization_scope(organization.pk):
            {"issue": self._issue, "list": self._list, "revoke": self._revoke}[options["deed"]](
                organization, options
            )

    def _issue(self, organization: Organization, options: dict[str, Any]) -> None:
        if not options["scope"]:
            raise CommandError(f"give --scope, one or more of {', '.join(TokenScope.values)}")
        if self._named(organization, options["name"]) is not None:
            raise CommandError(f"there is a token {options['name']} already")
        now = timezone.now()
        issued = credentials.issue(
            organization=organization,
            name=options["name"],
            scopes=frozenset(TokenScope(each) for each in options["scope"]),
            clusters=tuple(options["cluster"]),
            expires_at=now + timedelta(days=options["days"]) if options["days"] else None,
            now=now,
        )
        self._note(organization, "token.issued", issued.token)
        self.stdout.write(issued.clear_text)

    def _list(self, organization: Organization, options: dict[str, Any]) -> None:
        for token in Token.objects.for_organization(organization).order_by("name", "id"):
            state = "revoked" if token.revoked_at else "alive"
            used = f"{token.last_used_at:%Y-%m-%d %H:%MZ}" if token.last_used_at else "never"
            scopes = ",".join(token.scopes)
            self.stdout.write(f"{token.name}  {token.prefix}…  {scopes}  {state}  used {used}")

    def _revoke(self, organization: Organization, options: dict[str, Any]) -> None:
        token = self._named(organization, options["name"])
        if token is None or not credentials.revoke(token=token, now=timezone.now()):
            raise CommandError(f"no living token {options['name']}")
        self._note(organization, "token.revoked", token)

    def _named(self, organization: Organization, name: str) -> Token | None:
        return Token.objects.for_organization(organization).filter(name=name).first()

    def _note(self, organization: Organization, action: str, token: Token) -> None:
        deed = Deed(action=action, subject=token.prefix, actor=OPERATOR)
        record(organization_id=organization.pk, deed=deed, now=timezone.now())
