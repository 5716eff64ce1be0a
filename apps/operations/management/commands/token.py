"""Issue, list and revoke the tokens of an organization."""

from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from apps.diagnosis.spelling import meant, shown
from apps.fleet.access import clusters_of_token, clusters_with
from apps.tenancy import credentials
from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.models import Organization, Token, TokenScope
from apps.tenancy.people.organization_lookup import UnknownOrganization, organization_named
from apps.tenancy.scope import organization_scope
from apps.tenancy.tokens import NAME_LENGTH

OPERATOR = "command"
MOST_DAYS = 36_500


class Command(BaseCommand):
    """What an operator does with tokens on the portal's own machine."""

    help = "Issue, list or revoke tokens of an organization."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take what to do and for whom."""
        parser.add_argument("action", choices=["issue", "list", "revoke"], help="what to do")
        parser.add_argument("organization", metavar="SLUG", help="whose tokens")
        parser.add_argument("--name", help="of the token")
        parser.add_argument(
            "--scope",
            action="append",
            choices=TokenScope.values,
            default=[],
            help="what it may do: ingest sends, read and write are for REST; may be repeated",
        )
        parser.add_argument(
            "--cluster",
            action="append",
            default=[],
            metavar="SLUG",
            help="a cluster that it may send to; may be repeated",
        )
        parser.add_argument("--days", type=int, help="until it expires; without, it does not")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it in the organization's scope and note it in the audit record."""
        try:
            organization = organization_named(slug=options["organization"])
        except UnknownOrganization as error:
            raise CommandError(str(error)) from None
        if options["action"] != "list" and not options["name"]:
            raise CommandError("give --name")
        with organization_scope(organization.pk):
            {"issue": self._issue, "list": self._list, "revoke": self._revoke}[options["action"]](
                organization, options
            )

    def _issue(self, organization: Organization, options: dict[str, Any]) -> None:
        if not options["scope"]:
            raise CommandError(f"give --scope, one or more of {', '.join(TokenScope.values)}")
        if self._named(organization, options["name"]) is not None:
            raise CommandError(f"there is a token {options['name']} already")
        if len(options["name"]) > NAME_LENGTH or not options["name"].isprintable():
            raise CommandError(f"--name is one line of at most {NAME_LENGTH} characters")
        now, lasts = timezone.now(), _lasts(options["days"])
        issued = credentials.issue(
            organization=organization,
            name=options["name"],
            scopes=frozenset(TokenScope(each) for each in options["scope"]),
            clusters=_clusters(organization, options["cluster"]),
            expires_at=now + lasts if lasts else None,
            now=now,
        )
        self._note(organization, "token.issued", issued.token)
        self.stdout.write(issued.clear_text)

    def _list(self, organization: Organization, options: dict[str, Any]) -> None:
        for token in Token.objects.for_organization(organization).order_by("name", "id"):
            self.stdout.write(_line(token, now=timezone.now()))

    def _revoke(self, organization: Organization, options: dict[str, Any]) -> None:
        token = self._named(organization, options["name"])
        if token is None or not credentials.revoke(token=token, now=timezone.now()):
            raise CommandError(self._no_such(organization, options["name"]))
        self._note(organization, "token.revoked", token)

    def _no_such(self, organization: Organization, name: str) -> str:
        living = Token.objects.for_organization(organization).filter(revoked_at=None)
        known = set(living.values_list("name", flat=True)) - {name}
        return f"no living token `{shown(word=name)}`{meant(word=name, known=known)}"

    def _named(self, organization: Organization, name: str) -> Token | None:
        return Token.objects.for_organization(organization).filter(name=name).first()

    def _note(self, organization: Organization, action: str, token: Token) -> None:
        act = AuditAction(action=action, subject=token.prefix, actor=OPERATOR)
        record(organization_id=organization.pk, act=act, now=timezone.now())


def _lasts(days: int | None) -> timedelta | None:
    if days is not None and not 1 <= days <= MOST_DAYS:
        raise CommandError(f"--days {days}: give 1 to {MOST_DAYS}, or leave it out for no end")
    return None if days is None else timedelta(days=days)


def _clusters(organization: Organization, slugs: list[str]) -> tuple[int, ...]:
    """Return the ids of clusters that the organization takes part in."""
    known = {each.slug: each.pk for each in clusters_with(organization=organization)}
    for slug in slugs:
        if slug not in known:
            names = ", ".join(known) or "none"
            raise CommandError(
                f"{organization.slug} takes part in no cluster {slug!r}; its clusters: {names}"
                f"{meant(word=slug, known=known)}"
            )
    return tuple(known[slug] for slug in dict.fromkeys(slugs))


def _line(token: Token, *, now: datetime) -> str:
    """Return what a list says of a token, nothing secret."""
    clusters = ",".join(
        each.slug
        for each in clusters_of_token(organization_id=token.organization_id, ids=token.clusters)
    )
    return "  ".join(
        (
            token.name,
            f"{token.prefix}…",
            ",".join(token.scopes),
            _state(token, now=now),
            f"ends {_time(token.expires_at)}",
            f"clusters {clusters or 'none'}",
            f"used {_time(token.last_used_at)}",
        )
    )


def _state(token: Token, *, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at is not None and token.expires_at <= now else "alive"


def _time(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%MZ}" if at else "never"
