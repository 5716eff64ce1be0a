"""Answers to requests that may be sent again, each under a key of the credential that sent it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from apps.tenancy.access import Actor
from apps.tenancy.models import KeptAnswer
from apps.tenancy.scope import organization_scope

KEPT_FOR = timedelta(hours=24)
LEASE = timedelta(seconds=60)  # longer than any request: then whoever made the answer is gone


class StillRunning(Exception):
    """The first request with this key has no answer yet."""


class OtherRequest(Exception):
    """The key was used for another request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to make the answer; with a status, the answer that was made before."""

    organization_id: int
    row_id: int
    status: int | None = None
    body: str = ""


def claim(*, actor: Actor, key: str, digest: bytes, now: datetime) -> Claim:
    """Take the key, in a transaction of its own, or return the answer that it stands for."""
    with organization_scope(actor.organization.pk):
        own = KeptAnswer.objects.for_organization(actor.organization)
        own.filter(created_at__lt=now - KEPT_FOR).delete()
        row, is_new = KeptAnswer.objects.get_or_create(
            organization=actor.organization,
            credential=actor.label,
            key=key,
            defaults={"digest": digest, "created_at": now},
        )
        if is_new or _take_over(row=row, digest=digest, now=now):
            return Claim(organization_id=row.organization_id, row_id=row.pk)
    return Claim(
        organization_id=row.organization_id, row_id=row.pk, status=row.status, body=row.body
    )


def keep(*, claim: Claim, status: int, body: str) -> None:
    """Store the answer, in the transaction of what it tells of."""
    own = KeptAnswer.objects.for_organization(claim.organization_id)
    own.filter(id=claim.row_id).update(status=status, body=body)


def release(*, claim: Claim) -> None:
    """Give a key back whose request failed, so that it can be tried again."""
    with organization_scope(claim.organization_id):
        own = KeptAnswer.objects.for_organization(claim.organization_id)
        own.filter(id=claim.row_id, status=None).delete()


def _take_over(*, row: KeptAnswer, digest: bytes, now: datetime) -> bool:
    if bytes(row.digest) != digest:
        raise OtherRequest
    if row.status is not None:
        return False
    late = KeptAnswer.objects.for_organization(row.organization_id).filter(
        id=row.pk, status=None, created_at__lt=now - LEASE
    )
    if not late.update(created_at=now):
        raise StillRunning
    return True
