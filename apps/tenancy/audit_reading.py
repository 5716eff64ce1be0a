"""The audit record as an admin of the organization reads it: newest first, with names for ids."""

from collections.abc import Iterable, Mapping

from django.db.models import Q

from apps.tenancy.access import Actor, Right
from apps.tenancy.audit import first_broken
from apps.tenancy.models import AuditEntry, Token, User

# What one may ask for → how its actions begin.
KINDS: Mapping[str, tuple[str, ...]] = {
    "sign-in": ("sign_in", "sign_out"),
    "people": ("member.", "invitation.", "account.", "password."),
    "tokens": ("token.",),
    "sources": ("source.", "host.", "project.", "participation.", "organization."),
    "incidents": ("incident", "annotation."),
    "refused": ("access.",),
}


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


def check_record(*, actor: Actor) -> tuple[int, int | None]:
    """Return how many entries there are and the first that was changed or lost, if any."""
    actor.require(Right.MANAGE)
    count = AuditEntry.objects.for_organization(actor.organization).count()
    return count, first_broken(organization_id=actor.organization.pk)


def names_of(*, actor: Actor, labels: Iterable[str]) -> dict[str, str]:
    """Return `user:7` → user name and `token:flt_…` → name, for labels on the actor's record."""
    actor.require(Right.MANAGE)
    told = set(labels)
    ids = [int(each[5:]) for each in told if each.startswith("user:") and each[5:].isdecimal()]
    prefixes = [each.partition(":")[2] for each in told if each.startswith("token:")]
    users = User.objects.filter(id__in=ids).values_list("id", "username")
    own = Token.objects.for_organization(actor.organization).filter(prefix__in=prefixes)
    names = {f"user:{pk}": username for pk, username in users}
    return names | {f"token:{prefix}": name for prefix, name in own.values_list("prefix", "name")}
