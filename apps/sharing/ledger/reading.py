"""The ledger as its two sides read it: who was shown ours, and what we were shown of others'."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from django.db.models import Q, QuerySet

from apps.sharing.models import LedgerEntry
from apps.tenancy.access import Actor, Right


class LedgerSide(StrEnum):
    """Whose data it was."""

    OURS = "ours"
    THEIRS = "theirs"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFilters:
    """What the ledger is narrowed by; nothing: all of it."""

    side: LedgerSide | None = None
    party: str = ""  # slug of the other side
    ground: str = ""  # public id of an agreement
    incident: str = ""  # public id
    day: date | None = None
    until: datetime | None = None


def access_ledger(*, actor: Actor, filters: LedgerFilters) -> QuerySet[LedgerEntry]:
    """Return the entries of which the actor's organization is a side, the newest first.

    Needs its scope.
    """
    actor.require(Right.READ)
    own = actor.organization
    rows = LedgerEntry.objects.filter(_sides(own.pk, filters))
    if filters.ground:
        rows = rows.filter(ground=filters.ground)
    if filters.incident:
        rows = rows.filter(subject=filters.incident)
    if filters.day is not None:
        rows = rows.filter(day=filters.day)
    if filters.until is not None:
        rows = rows.filter(at__lt=filters.until)
    return rows.select_related("organization", "reader").order_by("-at", "-id")


def _sides(own_id: int, filters: LedgerFilters) -> Q:
    ours, theirs = Q(organization=own_id), Q(reader=own_id)
    if filters.party:
        ours &= Q(reader__slug=filters.party)
        theirs &= Q(organization__slug=filters.party)
    match filters.side:
        case LedgerSide.OURS:
            return ours
        case LedgerSide.THEIRS:
            return theirs
        case None:
            return ours | theirs
