"""Readings as plain tuples, cheap to send between processes."""

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from apps.diagnosis.model import Event, LogLine, Origin, Reading

LINE_NAMES = tuple(each.name for each in fields(LogLine) if each.name != "origin")
EVENT_NAMES = tuple(each.name for each in fields(Event) if each.name not in {"line", "fields"})
of_line, of_event = attrgetter(*LINE_NAMES), attrgetter(*EVENT_NAMES)
Packed = tuple[Origin, Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any]]


def packed(reading: Reading) -> Packed:
    """Return a reading as plain values: a line doesn't repeat its origin, mappings are plain."""
    parts = (reading.events, reading.progress)
    told = [
        [(of_event(one), of_line(one.line), dict(one.fields)) for one in part] for part in parts
    ]
    return reading.origin, told[0], told[1], reading.extents, reading.points


def unpacked(packed: Packed) -> Reading:
    origin, events, progress, extents, points = packed
    told = [
        tuple(
            Event(
                line=LogLine(origin=origin, **dict(zip(LINE_NAMES, line, strict=True))),
                fields=MappingProxyType(said),
                **dict(zip(EVENT_NAMES, event, strict=True)),
            )
            for event, line, said in part
        )
        for part in (events, progress)
    ]
    return Reading(
        origin=origin,
        events=told[0],
        progress=told[1],
        extents=tuple(extents),
        points=tuple(points),
    )
