"""Doors to held logs: an organization reads its own and no others. All need the actor's scope."""

from typing import Any, Final

from django.db.models import Count, Min, QuerySet, Sum
from django.db.models.functions import Length

from apps.diagnosis.input_values import is_whole_number
from apps.telemetry.held_logs.values import HeldExtent, HeldStream
from apps.telemetry.models import KeptLines, LogChunk, LogStream
from apps.telemetry.retention.classes import RetentionClass, days_of
from apps.tenancy.access import Actor, NotFound, Right

PREFIX: Final = "LS-"
KEY_BYTES: Final = 8
MOST_STREAMS: Final = 100
MOST_HOSTS: Final = 500


def access_stream(*, actor: Actor, key: str) -> LogStream:
    """Return a log of the actor's organization by the name it has in addresses; raise NotFound."""
    actor.require(Right.READ)
    digest = _digest(key)
    if digest is None:
        raise NotFound
    last = digest + b"\xff" * (32 - KEY_BYTES)
    own = _own(actor).filter(label_digest__gte=digest, label_digest__lte=last)
    found = own.order_by("label_digest", "id").first()
    if found is None:
        raise NotFound
    return found


def open_stream(*, actor: Actor, key: str) -> HeldStream:
    """Return what is known of such a log; raise NotFound."""
    return stream_value(access_stream(actor=actor, key=key))


def list_streams(
    *, actor: Actor, session: str = "", host: str = "", kind: str = ""
) -> tuple[HeldStream, ...]:
    """Return logs of the actor's organization, the latest heard first; one more than is shown.

    `session` is a public id or the name that its scheduler gives it.
    """
    actor.require(Right.READ)
    rows = _own(actor)
    if session:
        by_name = rows.filter(session__name=session)
        rows = by_name if by_name.exists() else rows.filter(session__public_id=session)
    if host:
        rows = rows.filter(host=host)
    if kind:
        rows = rows.filter(kind=kind)
    # One session's in the order of its ranks, or nobody finds rank 17.
    order = ("kind", "host", "rank", "id") if session else ("-last_received_at", "-id")
    return tuple(stream_value(row) for row in rows.order_by(*order)[: MOST_STREAMS + 1])


def hosts_heard(*, actor: Actor) -> tuple[str, ...]:
    """Return the hosts of these logs, by name."""
    actor.require(Right.READ)
    own = LogStream.objects.for_organization(actor.organization).exclude(host="")
    return tuple(own.order_by("host").values_list("host", flat=True).distinct()[:MOST_HOSTS])


def key_of_stream(*, actor: Actor, stream_id: int) -> str | None:
    """Return how one of these logs is named in addresses; None for any other."""
    actor.require(Right.READ)
    own = LogStream.objects.for_organization(actor.organization).filter(pk=stream_id)
    digest = own.values_list("label_digest", flat=True).first()
    return None if digest is None else _key(bytes(digest))


def extent_of(*, actor: Actor, stream: HeldStream) -> HeldExtent:
    """Return how much of a log is kept, whole and around citations."""
    chunks = _measured(LogChunk.objects.for_organization(actor.organization), stream.id)
    kept = _measured(KeptLines.objects.for_organization(actor.organization), stream.id)
    firsts = [each["first"] for each in (chunks, kept) if each["first"] is not None]
    return HeldExtent(
        line_count=stream.line_count,
        kept_lines=chunks["lines"] + kept["lines"],
        kept_bytes=chunks["size"] + kept["size"],
        excerpt_lines=kept["lines"],
        first_kept=min(firsts, default=None),
        keep_days=keep_days(),
    )


def keep_days() -> int | None:
    """Return for how many days the text of logs is kept; None: for ever."""
    return days_of(kind=RetentionClass.RAW)


def stream_value(row: LogStream) -> HeldStream:
    """Return a log as others get it."""
    session = row.session
    return HeldStream(
        id=row.pk,
        key=_key(bytes(row.label_digest)),
        kind=row.kind,
        host=row.host,
        rank=row.rank,
        cluster=row.cluster.slug if row.cluster else "",
        session=session.public_id if session else "",
        session_name=session.name if session else "",
        line_count=row.line_count,
        first_at=row.first_at,
        last_at=row.last_at,
        is_simulated=row.organization.is_simulated,
    )


def _own(actor: Actor) -> QuerySet[LogStream]:
    own = LogStream.objects.for_organization(actor.organization).defer("reader_state")
    return own.select_related("cluster", "session", "organization")


def _measured(rows: QuerySet[Any], stream_id: int) -> dict[str, Any]:
    found = rows.filter(stream=stream_id).aggregate(
        rows=Count("id"),
        lines=Sum("line_count"),
        size=Sum(Length("body")),
        first=Min("first_number"),
    )
    return {**found, "lines": found["lines"] or 0, "size": found["size"] or 0}


def _key(digest: bytes) -> str:
    return PREFIX + digest[:KEY_BYTES].hex()


def _digest(key: str) -> bytes | None:
    if not key.startswith(PREFIX) or len(key) != len(PREFIX) + 2 * KEY_BYTES:
        return None
    text = key.removeprefix(PREFIX)
    if not text.isascii() or not (is_whole_number(text) or text.isalnum()):
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None
