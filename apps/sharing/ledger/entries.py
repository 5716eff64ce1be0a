"""Writing the ledger: one row a look, before anything of it leaves the portal.

The rows are sealed into the holder's chain a moment later (`seals`): a lock on the chain would be
held as long as a page is made, and pages of one holder's readers would wait for each other.
"""

import logging
import secrets
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import DatabaseError

from apps.sharing.ledger_kinds import GroundKind, LedgerChannel, ReaderKind
from apps.sharing.models import LedgerEntry
from apps.tenancy.access import Actor, Right
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)
INCIDENT = "incident"
# Of a cluster.
WARNINGS, STORAGE, PROGRESS, FLEET = "warnings", "storage", "progress", "fleet"
CHANGES = "changes"


class LedgerUnavailable(Exception):
    """That it was shown can't be written down now, so it is not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What allows something to be shown: of what kind, which one, in which version."""

    kind: GroundKind
    public_id: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one reader is shown of what one holder has, by one ground."""

    holder_id: int
    ground: Ground
    subject: str  # public id of the incident, or slug of the cluster
    counts: Counter[tuple[str, str]]  # class of data and level → how many
    digest: bytes
    subject_kind: str = INCIDENT


def write_looks(
    *, actor: Actor, channel: LedgerChannel, looks: Collection[Look], now: datetime
) -> None:
    """Write down what an actor is shown; what was written today already adds nothing.

    Raises LedgerUnavailable. Opens the scope of the holders for its one insert.
    """
    rows = [_row(actor, channel, look, now) for look in looks]
    if not rows:
        return
    # In one order: two who are shown the same at once would wait for each other.
    rows.sort(key=lambda row: (row.organization_id, row.ground, bytes(row.digest)))
    try:
        with organization_scope(*(row.organization_id for row in rows)):
            LedgerEntry.objects.bulk_create(rows, ignore_conflicts=True)
    except DatabaseError as error:
        # Without its text: it quotes the row.
        logger.error(  # noqa: TRY400
            "sharing.ledger_unavailable",
            extra={"organization": actor.organization.pk, "error": type(error).__name__},
        )
        raise LedgerUnavailable from None


def reader_kind_of(actor: Actor) -> ReaderKind:
    """Return what the holder is told of who looked."""
    if actor.token is not None:
        return ReaderKind.TOKEN
    if actor.user is None:
        return ReaderKind.PORTAL
    if Right.MANAGE in actor.rights:
        return ReaderKind.ADMIN
    return ReaderKind.RESPONDER if Right.ACT in actor.rights else ReaderKind.VIEWER


def _row(actor: Actor, channel: LedgerChannel, look: Look, now: datetime) -> LedgerEntry:
    return LedgerEntry(
        organization_id=look.holder_id,
        public_id="LOOK-" + secrets.token_hex(6).upper(),
        at=now,
        day=now.astimezone(UTC).date(),
        reader_id=actor.organization.pk,
        reader_kind=reader_kind_of(actor),
        reader_label=actor.label,
        channel=channel,
        subject_kind=look.subject_kind,
        subject=look.subject,
        ground_kind=look.ground.kind,
        ground=look.ground.public_id,
        ground_version=look.ground.version,
        shown=[
            {"data": data, "level": level, "count": count}
            for (data, level), count in sorted(look.counts.items())
        ],
        count=look.counts.total(),
        digest=look.digest,
    )
