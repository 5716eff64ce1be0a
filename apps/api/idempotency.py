"""Creating requests that may be sent again: the same key and body get the same answer."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from apps.api.models import KeptAnswer
from apps.tenancy.access import Actor
from apps.tenancy.scope import organization_scope

KEPT_FOR = timedelta(hours=24)
LEASE = timedelta(seconds=60)  # longer than any request: then whoever made the answer is gone
KEY_LIMIT = 200


class BadKey(Exception):
    """A key that is empty, too long or not plain text."""


class StillRunning(Exception):
    """The first request with this key has no answer yet."""


class OtherRequest(Exception):
    """The key was used for another path or body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to make the answer, or the answer made before."""

    organization_id: int
    row_id: int
    status: int | None = None
    body: Any = None


def claim(*, actor: Actor, key: str, path: str, body: Any, now: datetime) -> Claim:
    """Take the key, in a transaction of its own, or return the answer that it stands for."""
    if not (0 < len(key) <= KEY_LIMIT and key.isascii() and key.isprintable()):
        raise BadKey
    digest = hashlib.sha256(json.dumps([path, body], sort_keys=True).encode()).digest()
    with organization_scope(actor.organization.pk):
        own = KeptAnswer.objects.for_organization(actor.organization)
        own.filter(created_at__lt=now - KEPT_FOR).delete()
        row, is_new = KeptAnswer.objects.get_or_create(
            organization=actor.organization,
            credential=actor.label,
            key=key,
            defaults={"digest": digest, "created_at": now},
        )
        return _claim(row=row, is_new=is_new, digest=digest, now=now)


def keep(*, claim: Claim, status: int, body: str) -> None:
    """Store the answer, in the transaction of what it tells of."""
    own = KeptAnswer.objects.for_organization(claim.organization_id)
    own.filter(id=claim.row_id).update(status=status, body=body)


def release(*, claim: Claim) -> None:
    """Give a key back whose request failed, so that it can be tried again."""
    with organization_scope(claim.organization_id):
        own = KeptAnswer.objects.for_organization(claim.organization_id)
        own.filter(id=claim.row_id, status=None).delete()


def _claim(*, row: KeptAnswer, is_new: bool, digest: bytes, now: datetime) -> Claim:
    mine = Claim(organization_id=row.organization_id, row_id=row.pk)
    if is_new:
        return mine
    if bytes(row.digest) != digest:
        raise OtherRequest
    if row.status is not None:
        return Claim(
            organization_id=row.organization_id,
            row_id=row.pk,
            status=row.status,
            body=json.loads(row.body),
        )
    late = KeptAnswer.objects.for_organization(row.organization_id).filter(
        id=row.pk, status=None, created_at__lt=now - LEASE
    )
    if not late.update(created_at=now):
        raise StillRunning
    return mine
