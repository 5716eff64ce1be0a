"""Domains of mail addresses: asked for by an admin, confirmed by whoever runs the portal.

A provider may vouch for addresses of confirmed domains alone. A domain is one organization's: who
runs the portal knows whose it is, and confirms it for nobody else.
"""

import re
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _

from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.models import MailDomain, Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.single_sign_on.provider_settings import BadProvider

DOMAINS_AT_MOST: Final = 50
LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
SHAPE: Final = re.compile(rf"(?:{LABEL}\.)+{LABEL}", re.ASCII)
LIMIT: Final = 253
OPERATOR: Final = "command"


class DomainTaken(Exception):
    """Another organization has it confirmed; `slug` is for whoever runs the portal alone."""

    def __init__(self, slug: str) -> None:
        super().__init__(slug)
        self.slug = slug


def checked_domain(*, text: str) -> str:
    """Return a domain as it is compared; raise BadProvider."""
    domain = text.strip().removeprefix("@").rstrip(".").lower()
    if len(domain) > LIMIT or not SHAPE.fullmatch(domain):
        raise BadProvider("domain", _("Write a domain like example.org."))
    return domain


def domain_of(*, email: str) -> str:
    """Return the domain of a mail address, as it is compared."""
    return email.rpartition("@")[2].rstrip(".").lower()


def domains_of(*, actor: Actor) -> list[MailDomain]:
    """Return the domains of the actor's organization, by name. Needs its scope."""
    actor.require(Right.MANAGE)
    return list(MailDomain.objects.for_organization(actor.organization).order_by("domain"))


def ask(*, actor: Actor, text: str, now: datetime) -> str:
    """Note that an organization wants a domain, and return it; raise BadProvider.

    The answer is the same whoever has it. Needs the scope.
    """
    actor.require(Right.MANAGE)
    domain = checked_domain(text=text)
    own = MailDomain.objects.for_organization(actor.organization)
    if own.count() >= DOMAINS_AT_MOST:
        raise BadProvider("domain", _("These are many domains: remove one first."))
    own.get_or_create(organization=actor.organization, domain=domain, defaults={"asked_at": now})
    return domain


def check_vouching(*, organization: Organization, is_wanted: bool) -> None:
    """Raise BadProvider where a provider is to answer for addresses of no confirmed domain.

    Needs the organization's scope.
    """
    own = MailDomain.objects.for_organization(organization).exclude(confirmed_at=None)
    if is_wanted and not own.exists():
        words = _("This can be said once a mail domain of yours is confirmed.")
        raise BadProvider("vouches_for_addresses", words)


def remove(*, actor: Actor, domain: str) -> None:
    """Give a domain up; raise NotFound. Needs the scope."""
    actor.require(Right.MANAGE)
    own = MailDomain.objects.for_organization(actor.organization).filter(domain=domain)
    if not own.delete()[0]:
        raise NotFound


def confirm(*, organization: Organization, domain: str, now: datetime) -> bool:
    """Let a domain count, and say whether it did not before; raise DomainTaken. Opens scopes.

    For whoever runs the portal: the only one who may say whose a domain is.
    """
    for other in Organization.objects.exclude(pk=organization.pk):
        with organization_scope(other.pk):
            theirs = MailDomain.objects.for_organization(other).exclude(confirmed_at=None)
            if theirs.filter(domain=domain).exists():
                raise DomainTaken(other.slug)
    with organization_scope(organization.pk):
        row, is_new = MailDomain.objects.get_or_create(
            organization=organization,
            domain=domain,
            defaults={"asked_at": now, "confirmed_at": now},
        )
        if not is_new and row.confirmed_at is not None:
            return False
        row.confirmed_at = row.confirmed_at or now
        row.save(update_fields=["confirmed_at"])
        act = AuditAction(action="mail_domain.confirmed", subject=domain, actor=OPERATOR)
        record(organization_id=organization.pk, act=act, now=now)
    return True
