"""Whether an audit record is whole: all of it, or on from the last point of its chain."""

from datetime import datetime

from apps.tenancy.audit.audit_log import digest_of_entry
from apps.tenancy.audit.chain import AT_ONCE, Chain, ChainHead, ChainVerification
from apps.tenancy.models import AuditEntry, AuditPoint

AUDIT = Chain(
    links=AuditEntry.objects.for_organization,
    digest_of=lambda entry, former: digest_of_entry(entry=entry, former=former),
    points=AuditPoint,
    salt="audit.point",
)


def check_all(
    *, organization_id: int, now: datetime, known: ChainHead | None = None
) -> ChainVerification:
    """Read the whole record, and move its point to the end, or forget it. Needs the scope."""
    return AUDIT.check_all(organization_id=organization_id, now=now, known=known)


def check_on(*, organization_id: int, now: datetime, most: int = AT_ONCE) -> ChainVerification:
    """Read on from the last point, not too much at once, and move it. Needs the scope."""
    return AUDIT.check_on(organization_id=organization_id, now=now, most=most)
