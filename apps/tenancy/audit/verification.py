"""Whether a record is whole: all of it, or on from the last point up to which it was proven.

The point is signed with the portal's keys. What is changed before it is found by reading all,
as `manage.py verify_audit` does.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.core.signing import BadSignature, Signer

from apps.tenancy.audit.audit_log import START, digest_of_entry
from apps.tenancy.models import AuditEntry, AuditPoint, OwnedQuerySet

AT_ONCE = 20_000  # entries that a page reads while somebody waits for it


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditVerification:
    """What reading said: entries after `since` up to `until` are whole, or one is `broken`."""

    since: int = 0
    since_at: datetime | None = None  # when those up to `since` were proven
    until: int = 0
    broken: int | None = None
    is_more: bool = False  # entries that were not reached


def check_all(*, organization_id: int, now: datetime) -> AuditVerification:
    """Read the whole record, and move its point to the end, or forget it. Needs the scope."""
    checked, digest = _read(organization_id, after=0, former=START, most=None)
    if checked.broken is None:
        _keep(organization_id, sequence=checked.until, digest=digest, now=now)
    else:
        # Else whoever reads on from it would be told that all is well.
        AuditPoint.objects.for_organization(organization_id).delete()
    return checked


def check_on(*, organization_id: int, now: datetime, most: int = AT_ONCE) -> AuditVerification:
    """Read on from the last point, not too much at once, and move it. Needs the scope."""
    point = _point(organization_id)
    if point is not None and not _stands(point):
        return AuditVerification(broken=point.sequence)
    after, former = (point.sequence, bytes(point.digest)) if point else (0, START)
    found, digest = _read(organization_id, after=after, former=former, most=most)
    if found.broken is None and found.until > after:
        _keep(organization_id, sequence=found.until, digest=digest, now=now)
    return AuditVerification(
        since=after,
        since_at=point.proven_at if point else None,
        until=found.until,
        broken=found.broken,
        is_more=found.is_more,
    )


def _entries(organization_id: int) -> OwnedQuerySet[AuditEntry]:
    return AuditEntry.objects.for_organization(organization_id).order_by("sequence")


def _read(
    organization_id: int, *, after: int, former: bytes, most: int | None
) -> tuple[AuditVerification, bytes]:
    """Return what reading said, and the digest of the last entry that is whole."""
    place = after
    rows = _entries(organization_id).filter(sequence__gt=after)
    wanted = rows[: most + 1] if most is not None else rows
    for entry in wanted.iterator(chunk_size=1000):
        if place - after == most:
            return AuditVerification(until=place, is_more=True), former
        if entry.sequence != place + 1 or not _is_sealed(entry, former):
            return AuditVerification(until=place, broken=place + 1), former
        former, place = bytes(entry.digest), entry.sequence
    return AuditVerification(until=place), former


def _is_sealed(entry: AuditEntry, former: bytes) -> bool:
    return bytes(entry.digest) == digest_of_entry(entry=entry, former=former)


def _point(organization_id: int) -> AuditPoint | None:
    """Return the last point; one that this portal did not sign is none."""
    point = AuditPoint.objects.for_organization(organization_id).first()
    if point is None:
        return None
    try:
        _signer().unsign(f"{_said(point)}:{point.signature}")
    except BadSignature:
        return None
    return point


def _stands(point: AuditPoint) -> bool:
    """Say whether the point's own entry is still there as it was."""
    rows = _entries(point.organization_id).filter(sequence__in=(point.sequence - 1, point.sequence))
    found = {entry.sequence: entry for entry in rows}
    entry, before = found.get(point.sequence), found.get(point.sequence - 1)
    if entry is None or (before is None and point.sequence > 1):
        return False
    former = bytes(before.digest) if before else START
    return bytes(entry.digest) == bytes(point.digest) and _is_sealed(entry, former)


def _keep(organization_id: int, *, sequence: int, digest: bytes, now: datetime) -> None:
    if not sequence:
        return
    point = AuditPoint(
        organization_id=organization_id, sequence=sequence, digest=digest, proven_at=now
    )
    AuditPoint.objects.update_or_create(
        organization_id=organization_id,
        defaults={
            "sequence": sequence,
            "digest": digest,
            "proven_at": now,
            "signature": _signer().signature(_said(point)),
        },
    )


def _said(point: AuditPoint) -> str:
    at = point.proven_at.astimezone(UTC).isoformat(timespec="microseconds")
    return f"{point.organization_id} {point.sequence} {bytes(point.digest).hex()} {at}"


def _signer() -> Signer:
    return Signer(salt="audit.point")
