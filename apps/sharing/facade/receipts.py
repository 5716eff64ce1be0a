"""What both sides keep of an agreement that ended: when, by whom, and what had been seen by it.

A receipt is made of rows that are only added (acts, the ledger), so both sides read the same one at
any time. Nothing that was shown is kept by the portal: it is made anew for each request, and there
is nothing to delete. What was exported is with who exported it.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from django.db.models import Count, Max, Q

from apps.sharing.facade.agreements import AgreementView, VersionView
from apps.sharing.ledger.reading import LedgerFilters, access_ledger
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.states import VersionState
from apps.tenancy.access import Actor


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenBySide:
    """What one side had seen of the other's until the end."""

    reader: str  # slug
    looks: int
    exports: int
    subjects: int  # incidents, and lists of warnings
    last_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndReceipt:
    """That a version ended, and what had been seen by the agreement until then."""

    agreement: str
    version: int
    ended_at: datetime
    ended_by: str  # slug of the side; empty: it ended on its day
    reason: str
    seen: tuple[SeenBySide, ...]  # by either side, in the order of their slugs
    digest: str  # the same for both sides

    @property
    def exports(self) -> int:
        """Return how many exports nobody can take back."""
        return sum(each.exports for each in self.seen)


def receipts_of(*, actor: Actor, view: AgreementView) -> tuple[EndReceipt, ...]:
    """Return a receipt for each version that ended without another in its place, newest first.

    Needs the scope of the actor's organization.
    """
    found = []
    for version in view.versions:
        ended_at = _ended_at(version)
        if ended_at is not None:
            found.append(_receipt(actor, view, version, ended_at))
    return tuple(found)


def _ended_at(version: VersionView) -> datetime | None:
    match version.state:
        case VersionState.REVOKED if version.end is not None:
            return version.end.at
        case VersionState.EXPIRED:
            return version.until
        case _:
            return None


def _receipt(
    actor: Actor, view: AgreementView, version: VersionView, ended_at: datetime
) -> EndReceipt:
    is_revoked = version.state is VersionState.REVOKED and version.end is not None
    told = {
        "agreement": view.public_id,
        "version": version.number,
        "ended_at": ended_at,
        "ended_by": version.end.organization.slug if is_revoked and version.end else "",
        "reason": version.end.reason if is_revoked and version.end else "",
    }
    seen = _seen(actor, view, ended_at)
    plain = {**told, "seen": [asdict(each) for each in seen]}
    words = json.dumps(plain, sort_keys=True, default=_plain)
    digest = hashlib.sha256(words.encode()).hexdigest()
    return EndReceipt(
        agreement=view.public_id,
        version=version.number,
        ended_at=ended_at,
        ended_by=str(told["ended_by"]),
        reason=str(told["reason"]),
        seen=seen,
        digest=digest,
    )


def _seen(actor: Actor, view: AgreementView, until: datetime) -> tuple[SeenBySide, ...]:
    rows = access_ledger(actor=actor, filters=LedgerFilters(ground=view.public_id, until=until))
    counted = (
        rows.order_by()
        .values("reader__slug")
        .annotate(
            looks=Count("id"),
            exports=Count("id", filter=Q(channel=LedgerChannel.EXPORT)),
            subjects=Count("subject", distinct=True),
            last_at=Max("at"),
        )
    )
    by_slug = {
        row["reader__slug"]: SeenBySide(
            reader=row["reader__slug"],
            looks=row["looks"],
            exports=row["exports"],
            subjects=row["subjects"],
            last_at=row["last_at"],
        )
        for row in counted
    }
    sides: Sequence[str] = sorted((view.reader.slug, view.other.slug))
    return tuple(by_slug.get(slug) or _nothing(slug) for slug in sides)


def _nothing(slug: str) -> SeenBySide:
    return SeenBySide(reader=slug, looks=0, exports=0, subjects=0, last_at=None)


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return str(value)
