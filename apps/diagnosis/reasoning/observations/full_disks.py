"""Beside step 4: what a write that found no space was for, where only the save's line says it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from apps.diagnosis.model import Event, Mark, Observation
from apps.diagnosis.signatures.marks import marked

# Lines that a full file system leaves, many of them without the file's name.
FULL = marked(Mark.NO_SPACE)
SAVES = marked(Mark.SAVE_BEGINS)
SAVED = marked(Mark.SAVE_ENDS)


def with_path(*, observations: Sequence[Observation]) -> list[Observation]:
    """Return the observations; a write without a path has that of the save it was part of."""
    events = [e for one in observations if one.sign in SAVES | SAVED for e in one.events]
    return [_with_path(one, events) if one.sign in FULL else one for one in observations]


def _with_path(one: Observation, saves: Sequence[Event]) -> Observation:
    if one.fields.get("path") or not one.events:
        return one
    first = one.events[0]
    source, number = first.order_key
    before = [e for e in saves if e.order_key[0] == source and e.line.number < number]
    last = max(before, key=lambda event: event.line.number, default=None)
    if last is None or last.signature in SAVED or not last.fields.get("path"):
        return one
    path = {"path": last.fields["path"]}
    named = replace(first, fields=_and(first.fields, path))
    return replace(one, fields=_and(one.fields, path), events=(named, *one.events[1:]))


def _and(fields: Mapping[str, str], more: Mapping[str, str]) -> Mapping[str, str]:
    return {**fields, **more}
