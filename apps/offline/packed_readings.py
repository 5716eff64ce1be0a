"""Readings, and states of readers, as plain values, cheap to send between processes."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from itertools import chain
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from apps.diagnosis.model import Event, LogLine, Origin, Reading
from apps.diagnosis.signatures.multi_line_record import OpenRecord
from apps.diagnosis.signatures.reader_state import HandedState, LearntPrefix, ReaderState

LINE_NAMES = tuple(each.name for each in fields(LogLine) if each.name != "origin")
EVENT_NAMES = tuple(each.name for each in fields(Event) if each.name not in {"line", "fields"})
of_line, of_event = attrgetter(*LINE_NAMES), attrgetter(*EVENT_NAMES)
Packed = tuple[Origin, Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any]]


def packed(reading: Reading) -> Packed:
    """Return a reading as plain values: a line doesn't repeat its origin, mappings are plain."""
    parts = (reading.events, reading.progress)
    told = [[_packed_event(one) for one in part] for part in parts]
    return reading.origin, told[0], told[1], reading.extents, reading.points


def unpacked(packed: Packed) -> Reading:
    origin, events, progress, extents, points = packed
    told = [tuple(_event(one, origin) for one in part) for part in (events, progress)]
    return Reading(
        origin=origin,
        events=told[0],
        progress=told[1],
        extents=tuple(extents),
        points=tuple(points),
    )


def packed_state(handed: HandedState) -> tuple[ReaderState, Sequence[Any]]:
    """Return a state and its open records; nothing of it is shortened."""
    records = [
        (
            of_line(one.line),
            _packed_event(one.event) if one.event else None,
            (one.kind, one.voice, one.notes, one.line_count),
        )
        for one in handed.state.records
    ]
    return replace(handed.state, records=[]), records


def unpacked_state(
    packed: tuple[ReaderState, Sequence[Any]],
    origin: Origin,
    learnt: Iterable[Iterable[LearntPrefix]],
) -> HandedState:
    """Return the state with its records, and what was `learnt` since."""
    state, records = packed
    state.records = [
        OpenRecord(
            line=_line(line, origin),
            event=_event(event, origin) if event else None,
            kind=kind,
            voice=voice,
            notes=notes,
            line_count=line_count,
        )
        for line, event, (kind, voice, notes, line_count) in records
    ]
    return HandedState(state=state, known_prefixes=tuple(chain.from_iterable(learnt)))


def _packed_event(event: Event) -> tuple[Any, Any, dict[str, str]]:
    return of_event(event), of_line(event.line), dict(event.fields)


def _event(packed: tuple[Any, Any, dict[str, str]], origin: Origin) -> Event:
    event, line, said = packed
    return Event(
        line=_line(line, origin),
        fields=MappingProxyType(said),
        **dict(zip(EVENT_NAMES, event, strict=True)),
    )


def _line(packed: Sequence[Any], origin: Origin) -> LogLine:
    return LogLine(origin=origin, **dict(zip(LINE_NAMES, packed, strict=True)))
