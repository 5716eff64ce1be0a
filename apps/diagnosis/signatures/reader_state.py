"""What a reader carries from batch to batch ↔ bytes, at most 64 KiB."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from apps.diagnosis.logs.envelopes import Unwrapper
from apps.diagnosis.logs.identity import Identities
from apps.diagnosis.model import Event, LogLine, Origin, Stream
from apps.diagnosis.signatures.event_builder import plain_event
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.multi_line_record import OpenRecord
from apps.diagnosis.signatures.progress.progress_points import Points
from apps.diagnosis.signatures.progress.step_times import Paces

STATE_LIMIT = 64 << 10
LINE_FIELDS = (
    "number",
    "text",
    "uptime_seconds",
    "host",
    "rank",
    "local_rank",
    "pid",
    "gpu",
    "dialect",
)
TEXT_LIMIT = 600
SEEN_LIMIT = 1500
# Of what a process tells once: the unparsed words of it, and what they are in `seen`. None: all
# that was learnt before is forgotten.
LearntPrefix = tuple[Hashable, int] | None


@dataclass(slots=True, kw_only=True)
class ReaderState:
    """Everything one batch leaves for the next."""

    identities: Identities = field(default_factory=Identities)
    unwrapper: Unwrapper = field(default_factory=Unwrapper)
    records: list[OpenRecord] = field(default_factory=list)
    seen: dict[int, None] = field(default_factory=dict)  # told once per process, oldest first
    gpus: dict[str, str] = field(default_factory=dict)  # PCI address → UUID, as the driver said
    paces: Paces = field(default_factory=Paces)
    points: Points = field(default_factory=Points)
    last_number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedState:
    """The state as one reader hands it to the next, nothing dropped, and what was learnt of
    prefixes that the next one does not know.
    """

    state: ReaderState
    known_prefixes: Sequence[LearntPrefix] = ()


def dump(*, state: ReaderState) -> bytes:
    """Return `state` as bytes. What doesn't fit is dropped, the oldest first."""
    records, seen, paces = list(state.records), list(state.seen), state.paces.dump()
    while True:
        found = orjson.dumps(
            {
                "identities": state.identities.dump(),
                "partials": state.unwrapper.partials,
                "fields": state.unwrapper.fields,
                "is_export": state.unwrapper.is_export,
                "gpus": state.gpus,
                "records": [_record(record) for record in records],
                "seen": seen,
                "paces": paces,
                "points": state.points.dump(),
                "last_number": state.last_number,
            }
        )
        if len(found) <= STATE_LIMIT:
            return found
        if not seen and paces:
            paces = paces[len(paces) // 2 + 1 :]
            continue
        seen, records = seen[len(seen) // 2 + 1 :], records[1:] if not seen else records
        if not seen and not records:
            return orjson.dumps({"last_number": state.last_number})


def restore(*, data: bytes, origin: Origin) -> ReaderState:
    """Return the state of a former `dump`."""
    stored: dict[str, Any] = orjson.loads(data)
    state = ReaderState(last_number=stored.get("last_number", 0))
    if "identities" in stored:
        # A state of before has no workers.
        is_grouped, widths, processes, *workers = stored["identities"]
        state.identities = Identities.restored(
            is_grouped=is_grouped,
            widths=widths,
            processes=processes,
            workers=workers[0] if workers else {},
        )
    state.unwrapper = Unwrapper(
        partials=stored.get("partials", {}),
        fields=stored.get("fields", {}),
        is_export=stored.get("is_export", False),
    )
    state.records = [_restored(entry, origin) for entry in stored.get("records", ())]
    state.gpus = stored.get("gpus", {})
    state.paces = Paces.restored(stored.get("paces", ()))
    state.points = Points.restored(stored.get("points", ()))
    state.seen = dict.fromkeys(stored.get("seen", ()))
    return state


def _record(record: OpenRecord) -> dict[str, Any]:
    return {
        "kind": record.kind,
        "voice": record.voice,
        "line": _line(record.line),
        "event": _event(record.event) if record.event else None,
        "notes": record.notes,
        "line_count": record.line_count,
    }


def _restored(entry: dict[str, Any], origin: Origin) -> OpenRecord:
    line = _restored_line(entry["line"], origin)
    stored = entry["event"]
    event = (
        plain_event(line=line, signature=load_catalog()[stored[0]], fields=stored[1])
        if stored
        else None
    )
    return OpenRecord(
        kind=entry["kind"],
        voice=entry["voice"],
        line=line,
        event=event,
        notes=entry["notes"],
        line_count=entry["line_count"],
    )


def _event(event: Event) -> list[Any]:
    return [event.signature, dict(event.fields)]


def _line(line: LogLine) -> list[Any]:
    plain = [getattr(line, name) for name in LINE_FIELDS]
    plain[1] = line.text[:TEXT_LIMIT]
    times = [at.isoformat() if at else None for at in (line.at, line.local_at)]
    return [*plain, *times, line.stream]


def _restored_line(stored: list[Any], origin: Origin) -> LogLine:
    *plain, at, local_at, stream = stored
    return LogLine(
        origin=origin,
        at=datetime.fromisoformat(at) if at else None,
        local_at=datetime.fromisoformat(local_at) if local_at else None,
        stream=Stream(stream) if stream else None,
        **dict(zip(LINE_FIELDS, plain, strict=True)),
    )
