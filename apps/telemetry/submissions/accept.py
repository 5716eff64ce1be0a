"""What is too large to be carried out while its sender waits → durable pieces for a worker."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime
from typing import Final

import orjson
import zstandard
from django.db.models import Count, Sum

from apps.telemetry.limits.storage_limits import OverQuota, require_disk, require_quota
from apps.telemetry.models import BatchState, Submission
from apps.telemetry.submission_kinds import SubmissionKind
from apps.telemetry.submissions.pieces import SubmissionPiece
from apps.tenancy.work.task_requests import ask_on_commit

CARRY_OUT: Final = "telemetry.carry_out"
# What may wait of one organization; then it is asked to come back.
MOST_PIECES: Final = 2000
MOST_BYTES: Final = 128 * 2**20
ALPHABET: Final = "abcdefghjkmnpqrstvwxyz23456789"


def accept(
    *,
    organization_id: int,
    kind: SubmissionKind,
    parts: Iterable[tuple[int, SubmissionPiece]],
    now: datetime,
) -> str:
    """Store (cluster, piece)s in order; return their id. Durable with the transaction.

    Needs the scope. Sent again while it waits it is stored once. Raises OverQuota.
    """
    _require_room(organization_id)
    public_id = "u-" + "".join(secrets.choice(ALPHABET) for _ in range(12))
    rows = [
        _row(
            Submission(
                organization_id=organization_id,
                public_id=public_id,
                cluster_id=cluster_id,
                kind=kind,
                received_at=now,
            ),
            part=part,
            position=position,
        )
        for position, (cluster_id, part) in enumerate(parts)
    ]
    Submission.objects.bulk_create(rows, ignore_conflicts=True)
    ask_on_commit(CARRY_OUT, queue="ingest", organization_id=organization_id)
    own = Submission.objects.for_organization(organization_id)
    first = own.filter(state=BatchState.ACCEPTED, digest=rows[0].digest)
    return first.values_list("public_id", flat=True).first() or public_id


def has_waiting(*, organization_id: int, kind: SubmissionKind) -> bool:
    """Say whether any of a kind waits: what comes later is carried out later. Needs the scope."""
    own = Submission.objects.for_organization(organization_id)
    return own.filter(state=BatchState.ACCEPTED, kind=kind).exists()


def _require_room(organization_id: int) -> None:
    require_disk()
    require_quota(organization_id=organization_id)
    own = Submission.objects.for_organization(organization_id).filter(state=BatchState.ACCEPTED)
    waiting = own.aggregate(count=Count("id"), size=Sum("byte_count"))
    if waiting["count"] > MOST_PIECES or (waiting["size"] or 0) > MOST_BYTES:
        raise OverQuota(
            f"{waiting['count']} pieces of inventories and session events of this organization "
            "wait to be carried out; nothing of this was stored, send it again after Retry-After"
        )


def _row(row: Submission, *, part: SubmissionPiece, position: int) -> Submission:
    body = orjson.dumps(part.said)
    known = f"{row.cluster_id}/{row.kind}/{position}/".encode()
    row.digest = hashlib.sha256(known + body).digest()
    row.first_entry, row.entry_count = part.first_entry, part.entry_count
    row.byte_count, row.body = len(body), zstandard.compress(body, 1)
    return row
