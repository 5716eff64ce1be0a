"""Hand-made events and readings for the steps of reasoning."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from apps.diagnosis.model import (
    Event,
    Extent,
    Layer,
    LogLine,
    Origin,
    Reading,
    Role,
    Severity,
    Stream,
)

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def after(seconds: float) -> datetime:
    """Return noon plus seconds."""
    return NOON + timedelta(seconds=seconds)


def event(
    signature: str,
    *,
    at: datetime | None = None,
    host: str = "n1",
    stream: Stream = Stream.SESSION,
    role: Role = Role.CASCADE,
    layer: Layer | None = None,
    rank: int | None = None,
    number: int = 1,
    text: str = "",
    causes: tuple[str, ...] = (),
    fields: Mapping[str, str] = MappingProxyType({}),
    **more: str,
) -> Event:
    """Return an event of a host's log; further keywords are fields of its pattern."""
    name = f"{stream}/{host}" + (f"/rank{rank}" if rank is not None else "")
    origin = Origin(source=name, stream=stream, host=host, rank=rank)
    line = LogLine(
        origin=origin, number=number, text=text, at=at, host=host, rank=rank, stream=stream
    )
    return Event(
        signature=signature,
        role=role,
        layer=layer,
        severity=Severity.ERROR,
        line=line,
        fields={**fields, **more},
        causes=causes,
    )


def xid(code: int, *, at: datetime | None = NOON, host: str = "n1", **fields: str) -> Event:
    """Return an Xid line of the kernel."""
    signature = {79: "nvrm-xid-79", 31: "nvrm-xid-31", 13: "nvrm-xid-13"}.get(code, "nvrm-xid")
    given = {"pci": "0000:1b:00.0", "xid": str(code), **fields}
    return event(
        signature,
        at=at,
        host=host,
        stream=Stream.KERNEL,
        role=Role.INITIATING,
        layer=Layer.GPU,
        causes=("gpu-other",),
        fields=given,
    )


def watchdog(rank: int, *, at: datetime, host: str, **fields: str) -> Event:
    """Return a watchdog line that waited ten minutes."""
    given = {"seq": "7", "op": "ALLREDUCE", "numel_in": "64", "duration_ms": "600000", **fields}
    return event("pg-watchdog-timeout", at=at, host=host, rank=rank, number=rank + 1, fields=given)


def readings(events: Iterable[Event], *, hosts: Iterable[str] = ()) -> list[Reading]:
    """Return a reading per source, and an empty session log for each further host."""
    by_origin: dict[Origin, list[Event]] = defaultdict(list)
    for one in events:
        by_origin[one.line.origin].append(one)
    for host in hosts:
        by_origin[Origin(source=f"session/{host}", stream=Stream.SESSION, host=host)] = []
    return [_reading(origin, members) for origin, members in by_origin.items()]


def _reading(origin: Origin, members: list[Event]) -> Reading:
    stamps = [one.line.at for one in members if one.line.at] or [NOON]
    extent = Extent(
        host=origin.host,
        rank=origin.rank,
        stream=origin.stream,
        line_count=1,
        first_at=min(stamps),
        last_at=max(stamps),
    )
    return Reading(origin=origin, events=tuple(members), extents=(extent,))
