"""Pushed lines → durable batches. Interprets nothing."""

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from django.conf import settings
from django.db.models import Count, Sum

from apps.telemetry.formats import labels as naming
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.lines.line_blocks import LinePiece, cut_between_lines
from apps.telemetry.formats.pack import packed
from apps.telemetry.limits.storage_limits import (
    OverQuota,
    require_disk,
    require_quota,
    require_streams,
)
from apps.telemetry.logs.permitted_lines import sifted
from apps.telemetry.models import Batch, BatchState
from apps.tenancy.work.task_requests import ask_on_commit

DRAIN: Final = "telemetry.drain_organization"
# One row's text before compression: what a worker holds at once, and a part of its turn whatever it
# says. Smaller ones would be read more often: each time begins with what the one before left open.
BATCH_BYTES = 2**20
# Batches of an organization that wait: counting them is part of every push.
MOST_PENDING = 10_000
ALPHABET = "abcdefghjkmnpqrstvwxyz23456789"
LOKI = "loki"
OTLP = "otlp"
ALERTS = "alerts"
UPLOAD = "upload"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of a body, in lines."""

    batch: str
    accepted: int
    duplicates: int


def accept(
    *,
    organization_id: int,
    cluster_id: int | None,
    protocol: str,
    pieces: Iterable[LinePiece],
    complaints: Complaints,
    now: datetime,
) -> Receipt | None:
    """Store a body and say what is new of it; None if no line of it is kept. Needs the scope.

    Lines that are not for the organization's part to send are complaints, and left out.

    Idempotent: a batch is known by its labels and text, and a body sent again is stored once.
    Durable when the surrounding transaction is committed. Raises OverQuota.
    """
    _check_quota(organization_id)
    first, accepted, duplicates, apart, upload = "", 0, 0, "", _public_id()
    door = sifted(organization_id=organization_id, cluster_id=cluster_id, complaints=complaints)
    for position, found in enumerate(_groups(door.pieces(pieces))):
        group = _joined(found)
        digest = _digest(cluster_id, protocol, position, group, apart)
        if protocol == UPLOAD:
            apart = apart or digest.hex()[:16]
            group = [_named(piece, cluster_id, apart) for piece in group]
        public_id, is_new = _store(
            Batch(
                organization_id=organization_id,
                public_id=_public_id(),
                cluster_id=cluster_id,
                digest=digest,
                received_at=now,
                protocol=protocol,
                upload=upload,
                line_count=_lines(group),
                voice_count=len(group),
                byte_count=sum(len(piece.text) for piece in group),
                rejected=complaints.as_json() if position == 0 else [],
                body=packed(pieces=group),
            )
        )
        first = first or public_id
        accepted += _lines(group) if is_new else 0
        duplicates += 0 if is_new else _lines(group)
    door.enter(now=now)
    ask_on_commit(DRAIN, queue="ingest", organization_id=organization_id)
    return Receipt(batch=first, accepted=accepted, duplicates=duplicates) if first else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What waits to be interpreted."""

    batch_count: int
    byte_count: int


def pending_of(*, organization_id: int) -> Pending:
    """Return how much of an organization's text waits to be interpreted. Needs the scope."""
    own = Batch.objects.for_organization(organization_id).filter(state=BatchState.ACCEPTED)
    waiting = own.aggregate(count=Count("id"), size=Sum("byte_count"))
    return Pending(batch_count=waiting["count"], byte_count=int(waiting["size"] or 0))


def pending_bytes(*, organization_id: int) -> int:
    """Return how much of an organization's text waits to be interpreted. Needs the scope."""
    return pending_of(organization_id=organization_id).byte_count


def is_joinable(*, labels: dict[str, str], cluster_id: int | None) -> bool:
    """Say whether labels name something the lines belong to: a session, or a host of a cluster."""
    place = naming.place(labels=labels)
    if place.session:
        return True
    is_apart = place.stream not in {"", "session"}
    return cluster_id is not None and (is_apart or bool(place.host))


def _check_quota(organization_id: int) -> None:
    require_disk()
    require_quota(organization_id=organization_id)
    require_streams(organization_id=organization_id)
    pending = pending_of(organization_id=organization_id)
    if pending.byte_count > settings.PORTAL_MAX_PENDING_BYTES:
        raise OverQuota(f"{pending.byte_count} bytes of this organization wait to be interpreted")
    if pending.batch_count >= MOST_PENDING:
        raise OverQuota(
            f"{pending.batch_count} batches of this organization wait to be interpreted; nothing "
            "of this was stored. Send it again after Retry-After, in fewer and larger batches"
        )


def _named(piece: LinePiece, cluster_id: int | None, apart: str) -> LinePiece:
    """Keep files that name nothing apart from other uploads: they become a session of their own."""
    labels = dict(piece.labels)
    if is_joinable(labels=labels, cluster_id=cluster_id):
        return piece
    return replace(piece, labels=labels | {"upload": apart})


def _groups(pieces: Iterable[LinePiece]) -> Iterator[list[LinePiece]]:
    group: list[LinePiece] = []
    size = 0
    parts = (part for piece in pieces for part in cut_between_lines(piece=piece, most=BATCH_BYTES))
    for piece in parts:
        if group and size + len(piece.text) > BATCH_BYTES:
            yield group
            group, size = [], 0
        group.append(piece)
        size += len(piece.text)
    if group:
        yield group


def _joined(pieces: list[LinePiece]) -> list[LinePiece]:
    """Return the pieces of one file as one: how it arrived says nothing.

    So are records of one place that came between those of others.
    """
    joined: dict[bytes | int, list[LinePiece]] = {}
    for position, piece in enumerate(pieces):
        key = position if piece.stamps is not None else naming.digest(labels=dict(piece.labels))
        joined.setdefault(key, []).append(piece)
    return [
        group[0]
        if len(group) == 1
        else LinePiece(
            labels=group[0].labels,
            text=b"\n".join(piece.text for piece in group),
            line_count=_lines(group),
        )
        for group in joined.values()
    ]


def _digest(
    cluster_id: int | None, protocol: str, position: int, group: list[LinePiece], apart: str
) -> bytes:
    """Two equal parts of one file are two batches; the same file again is the same batches."""
    digest = hashlib.sha256(f"{cluster_id}/{protocol}/{position}/{apart}".encode())
    for piece in group:
        digest.update(naming.digest(labels=piece.labels))
        digest.update(f"/{len(piece.text)}/".encode())
        digest.update(piece.stamps or b"")
        digest.update(piece.text)
    return digest.digest()


def _store(batch: Batch) -> tuple[str, bool]:
    """Return the id under which the lines are known, and whether they are new."""
    Batch.objects.bulk_create([batch], ignore_conflicts=True)
    own = Batch.objects.for_organization(batch.organization_id)
    known = own.values_list("public_id", flat=True).get(digest=batch.digest)
    # Sent again, a body that could not be interpreted gets another chance.
    revived = own.filter(digest=batch.digest, state=BatchState.DEAD).update(
        state=BatchState.ACCEPTED, attempt_count=0, claimed_until=None, finished_at=None, error=""
    )
    return known, known == batch.public_id or bool(revived)


def _lines(group: list[LinePiece]) -> int:
    return sum(piece.line_count for piece in group)


def _public_id() -> str:
    return "b-" + "".join(secrets.choice(ALPHABET) for _ in range(12))
