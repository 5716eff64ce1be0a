"""What is otherwise in one document of a report than in another of the same range."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

MOST_CHANGES: Final = 200
WATCHED: Final = ("layer", "cause", "verdict", "state", "status", "repaired_seconds")


class ChangeKind(StrEnum):
    """What became of a thing."""

    CAME = "came"
    WENT = "went"
    MOVED = "moved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that is otherwise: a figure, or a field of an incident."""

    kind: ChangeKind
    figure: str  # empty: of an incident
    incident: str  # empty: of a figure
    field: str
    before: Any  # None: not known then
    after: Any


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Return what moved: incidents first, then figures, both in a fixed order."""
    found = [*_of_incidents(before, after), *_of_figures(before, after)]
    return found[:MOST_CHANGES]


def _of_incidents(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    former, latter = _incidents(before), _incidents(after)
    for name in sorted(former.keys() | latter.keys()):
        if name not in former or name not in latter:
            kind = ChangeKind.WENT if name in former else ChangeKind.CAME
            yield _change(kind, incident=name)
            continue
        for field in WATCHED:
            was, now = former[name].get(field), latter[name].get(field)
            if was != now:
                yield _change(ChangeKind.MOVED, incident=name, field=field, before=was, after=now)


def _of_figures(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    former = {each["key"]: each["value"] for each in before["figures"]}
    latter = {each["key"]: each["value"] for each in after["figures"]}
    for key in sorted(former.keys() | latter.keys()):
        was, now = former.get(key), latter.get(key)
        if was != now:
            yield _change(ChangeKind.MOVED, figure=key, field="value", before=was, after=now)


def _incidents(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    rows = next((each["rows"] for each in document["tables"] if each["key"] == "incidents"), ())
    return {row["incident"]: row for row in rows}


def _change(kind: ChangeKind, **more: Any) -> Change:
    empty: dict[str, Any] = {"figure": "", "incident": "", "field": ""}
    return Change(kind=kind, **{**empty, "before": None, "after": None, **more})
