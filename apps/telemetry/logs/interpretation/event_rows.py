"""Events of the diagnosis ↔ rows."""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.diagnosis import model
from apps.diagnosis.input_values import as_if_utc, cut, is_future
from apps.telemetry.models import Event, LogStream, Progress, VoiceExtent

TEXT_LIMIT = 8192
TIMES = ("first_at", "last_at", "first_local_at", "last_local_at")


def event_row(
    *, event: model.Event, stream: LogStream, identity: str, received_at: datetime
) -> Event:
    """Return the row of an event. `identity` tells its line apart in the stream."""
    line = event.line
    return Event(
        organization_id=stream.organization_id,
        stream=stream,
        cluster_id=stream.cluster_id,
        session_id=stream.session_id,
        attempt_id=stream.attempt_id,
        fingerprint=_fingerprint(stream=stream, event=event, identity=identity),
        signature=event.signature,
        role=event.role,
        layer=event.layer or "",
        severity=event.severity,
        at=line.at,
        local_at=as_if_utc(line.local_at),
        uptime_seconds=line.uptime_seconds,
        received_at=received_at,
        order_key=line.number,
        host=(line.host or "")[:253],
        rank=line.rank,
        body=_body(event=event, received_at=received_at),
    )


def progress_row(*, event: model.Event, stream: LogStream) -> Progress:
    """Return the row of a rank's latest progress."""
    line = event.line
    times = {"local_at": _text(line.local_at), "uptime_seconds": line.uptime_seconds}
    return Progress(
        organization_id=stream.organization_id,
        stream_id=stream.pk,
        host=(line.host or "")[:253],
        rank=line.rank,
        signature=event.signature,
        at=line.at,
        order_key=line.number,
        body={**_body(event=event, received_at=None), **times, "severity": event.severity},
    )


def event_of(*, row: Event, origin: model.Origin) -> model.Event:
    """Return the event that a row was made from."""
    return model.Event(
        signature=row.signature,
        role=model.Role(row.role),
        layer=model.Layer(row.layer) if row.layer else None,
        severity=model.Severity(row.severity),
        line=_line(row=row, origin=origin, local_at=row.local_at, uptime=row.uptime_seconds),
        fields=row.body["fields"],
        causes=tuple(row.body["causes"]),
        count=row.body.get("count", 1),
    )


def progress_of(*, row: Progress, origin: model.Origin) -> model.Event:
    """Return the progress event that a row was made from."""
    local_at = _time(row.body["local_at"])
    uptime = row.body["uptime_seconds"]
    return model.Event(
        signature=row.signature,
        role=model.Role.PROGRESS,
        layer=None,
        severity=model.Severity(row.body["severity"]),
        line=_line(row=row, origin=origin, local_at=local_at, uptime=uptime),
        fields=row.body["fields"],
        causes=tuple(row.body["causes"]),
    )


def extent_body(*, extent: model.Extent) -> dict[str, Any]:
    """Return what a row keeps of an extent."""
    times = {name: _text(getattr(extent, name)) for name in TIMES}
    offset = {"offset": extent.offset.total_seconds()} if extent.offset else {}
    uptime = {} if extent.last_uptime is None else {"last_uptime": extent.last_uptime}
    numbers = {"last_number": extent.last_number, **uptime}
    return {**times, **offset, **numbers, "stream": extent.stream}


def extent_of(*, row: VoiceExtent) -> model.Extent:
    """Return the extent that a row stands for."""
    said: Mapping[str, Any] = row.body
    times = {n: _time(said[n]) for n in TIMES}
    return model.Extent(
        host=row.host or None,
        rank=row.rank,
        stream=model.Stream(said["stream"]) if said["stream"] else None,
        line_count=row.line_count,
        last_number=said["last_number"],
        offset=timedelta(seconds=said["offset"]) if said.get("offset") else None,
        last_uptime=said.get("last_uptime"),
        **times,
    )


def merged(*, one: model.Extent, other: model.Extent) -> model.Extent:
    """Return how far a voice was heard in two parts of a stream."""
    return model.Extent(
        host=one.host,
        rank=one.rank,
        stream=one.stream or other.stream,
        line_count=one.line_count + other.line_count,
        first_at=_outer(one.first_at, other.first_at, pick=min),
        last_at=_outer(one.last_at, other.last_at, pick=max),
        first_local_at=_outer(one.first_local_at, other.first_local_at, pick=min),
        last_local_at=_outer(one.last_local_at, other.last_local_at, pick=max),
        last_number=max(one.last_number, other.last_number),
        offset=other.offset or one.offset,
        last_uptime=one.last_uptime if other.last_uptime is None else other.last_uptime,
    )


def _outer(one: datetime | None, other: datetime | None, *, pick: Any) -> datetime | None:
    known = [each for each in (one, other) if each is not None]
    return pick(known) if known else None


def _body(*, event: model.Event, received_at: datetime | None) -> dict[str, Any]:
    line = event.line
    body: dict[str, Any] = {
        "text": line.text[:TEXT_LIMIT],
        "fields": dict(event.fields),
        "causes": list(event.causes),
        "pid": line.pid,
        "gpu": line.gpu,
        "local_rank": line.local_rank,
        "stream": line.stream,
        "dialect": line.dialect,
    }
    if event.count > 1:
        body["count"] = event.count
    if received_at is not None and line.at is not None and is_future(line.at, now=received_at):
        body["is_future"] = True
    return body


def _line(
    *,
    row: Event | Progress,
    origin: model.Origin,
    local_at: datetime | None,
    uptime: float | None,
) -> model.LogLine:
    body = row.body
    return model.LogLine(
        origin=origin,
        number=row.order_key,
        text=body["text"],
        at=row.at,
        local_at=local_at.replace(tzinfo=None) if local_at else None,
        uptime_seconds=uptime,
        host=row.host or None,
        rank=row.rank,
        local_rank=body["local_rank"],
        pid=body["pid"],
        gpu=body["gpu"],
        stream=model.Stream(body["stream"]) if body["stream"] else None,
        dialect=body["dialect"],
    )


def _fingerprint(*, stream: LogStream, event: model.Event, identity: str) -> bytes:
    digest = hashlib.blake2b(bytes(stream.label_digest), digest_size=16)
    digest.update(f"/{event.signature}/{identity}/".encode())
    digest.update(event.line.text.partition("\n")[0].encode(errors="replace"))
    return digest.digest()


def _time(text: str | None) -> datetime | None:
    """Return a stored time; one with a zone is in UTC, one without as it was printed."""
    if not text:
        return None
    at = datetime.fromisoformat(text)
    kept = cut(at.replace(tzinfo=at.tzinfo or UTC))
    return kept if at.tzinfo else kept.replace(tzinfo=None)


def _text(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
