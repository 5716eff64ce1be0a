"""The audit record as an admin of the organization reads it: newest first, with names for ids."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.db.models import Q

from apps.diagnosis.input_values import MOST_ROWS, whole_number
from apps.tenancy.access import Actor, Right
from apps.tenancy.audit.chain import ChainVerification
from apps.tenancy.audit.verification import check_on
from apps.tenancy.models import AuditEntry, Invitation, Organization, Token, User

# What one may ask for → how its actions begin.
KINDS: Mapping[str, tuple[str, ...]] = {
    "sign-in": ("sign_in", "sign_out"),
    "people": ("member.", "invitation.", "account.", "password."),
    "tokens": ("token.",),
    "sources": ("source.", "host.", "project.", "participation.", "organization."),
    "notifications": ("webhook.", "notice."),
    "incidents": ("incident", "annotation.", "hand_over.", "resolution.", "action."),
    "refused": ("access.", "outbound."),
}
# Kinds as addresses of former versions have them.
FORMER_KINDS: Mapping[str, str] = {"notices": "notifications"}


def access_record(
    *, actor: Actor, kind: str = "", before: int | None = None, most: int
) -> list[AuditEntry]:
    """Return entries of the actor's organization, the newest first. Needs its scope."""
    actor.require(Right.MANAGE)
    own = AuditEntry.objects.for_organization(actor.organization)
    wanted = Q()
    for beginning in KINDS.get(kind, ()):
        wanted |= Q(action__startswith=beginning)
    if before is not None:
        wanted &= Q(sequence__lt=before)
    return list(own.filter(wanted).order_by("-sequence")[:most])


def check_record(*, actor: Actor, now: datetime) -> ChainVerification:
    """Read the record on from where it was proven last. Needs its scope."""
    actor.require(Right.MANAGE)
    return check_on(organization_id=actor.organization.pk, now=now)


def names_of(*, actor: Actor, labels: Iterable[str]) -> dict[str, str]:
    """Return label → name for people, tokens and links on the actor's record. Needs its scope.

    A label is `user:p1f0c…`, `token:flt_…`, or the prefix or public id alone.
    """
    actor.require(Right.MANAGE)
    told = set(labels)
    return {
        **_people(told),
        **_tokens(actor.organization, told),
        **_links(actor.organization, told),
    }


def _people(labels: set[str]) -> dict[str, str]:
    """Return the names of people; entries of before they had references name them by number."""
    told = {each.removeprefix("user:") for each in labels if each.startswith("user:")}
    ids = {number for each in told if (number := whole_number(each, most=MOST_ROWS))}
    users = User.objects.filter(Q(reference__in=told) | Q(id__in=ids))
    names: dict[str, str] = {}
    for pk, reference, username in users.values_list("id", "reference", "username"):
        names |= {f"user:{each}": username for each in {reference, str(pk)} & told}
    return names


def _tokens(organization: Organization, labels: set[str]) -> dict[str, str]:
    prefixes = {each.removeprefix("token:") for each in labels}
    own = Token.objects.for_organization(organization).filter(prefix__in=prefixes)
    named = dict(own.values_list("prefix", "name"))
    return named | {f"token:{prefix}": name for prefix, name in named.items()}


def _links(organization: Organization, labels: set[str]) -> dict[str, str]:
    own = Invitation.objects.for_organization(organization).filter(public_id__in=labels)
    return {
        each.public_id: each.user.username if each.user else each.name
        for each in own.select_related("user")
        if each.user or each.name
    }
