"""The timeline of an incident: rows of the story into lanes, and into one list for phones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from apps.web import words
from apps.web.incident.timeline.window import AFTER, BEFORE, near
from apps.web.lanes.bursts import member_lines
from apps.web.lanes.elements import Entry
from apps.web.lanes.entry_index import EntryIndex
from apps.web.lanes.scale import clock_text
from apps.web.lanes.urgency import TREATMENTS

SILENCE = timedelta(minutes=3)
SHOWN = 200
LONG, SHOWN_OF_LONG = 1_000, 50  # its list is asked for by who reads it


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEntry:
    """One line of the story in order; a gap is silence, said in words."""

    key: str
    layer: str
    treatment: str
    title: str
    detail: str = ""
    owner: str = ""
    time: str = ""
    local: str = ""
    iso: str = ""
    is_untimed: bool = False
    is_gap: bool = False
    is_hidden: bool = False
    is_chief: bool = False
    address: str = ""  # where it stands in full
    because: str = ""  # by which rule something before explains it
    members: tuple[str, ...] = ()  # what it stands for, where it is folded


def story_of(
    *,
    entries: Sequence[Entry],
    zone: ZoneInfo | None,
    limit: int | None = SHOWN,
    rules: Mapping[str, str] | None = None,
) -> tuple[StoryEntry, ...]:
    """Return the entries as one list, with longer silences as lines of their own.

    `rules` say by an entry's key which rule explains it.
    """
    chosen = entries if limit is None else _around(entries=near(entries), limit=limit)
    chief = next((entry.key for entry in chosen if entry.role == "initiating"), None)
    found: list[StoryEntry] = []
    former: datetime | None = None
    local = _("%(at)s local")  # asked for once: a whole story has thousands
    for entry in chosen:
        if former and entry.at and entry.at - former >= SILENCE:
            found.append(_gap((entry.at - former).total_seconds()))
        line = _line(entry=entry, zone=zone, local=local, is_chief=entry.key == chief)
        rule = (rules or {}).get(entry.key, "")
        found.append(replace(line, because=rule) if rule else line)
        former = entry.ends_at or entry.at or former
    return tuple(found)


def shown_of(count: int) -> int:
    """Return how many entries a story of that many shows at first."""
    return SHOWN if count <= LONG else SHOWN_OF_LONG


def _around(*, entries: Sequence[Entry], limit: int) -> Sequence[Entry]:
    if len(entries) <= limit:
        return entries
    index = next((i for i, entry in enumerate(entries) if entry.role == "initiating"), 0)
    start = min(max(index - limit // 2, 0), len(entries) - limit)
    return entries[start : start + limit]


def near_stop(
    told: EntryIndex, *, verdict: Sequence[Entry] = (), limit: int | None = None
) -> Sequence[Entry]:
    """Return what of a story a list of that many entries may show, whatever stood around it.

    Without a limit it is all of it.
    """
    if limit is None:
        return told.entries
    deciding = (*told.by_role.get("initiating", ()), *verdict)
    at = next((entry.at for entry in deciding if entry.at), None)
    places = told.places if at is None else told.listed(at - BEFORE, at + AFTER)
    first = told.first_after(places, at) if verdict and at else told.first_begun(places)
    return [told.entries[place] for place in places[max(first - limit, 0) : first + limit]]


def _gap(seconds: float) -> StoryEntry:
    return StoryEntry(
        key="",
        layer="quiet",
        treatment="context",
        is_gap=True,
        title=_("%(length)s of silence") % {"length": words.duration(seconds)},
    )


def _line(*, entry: Entry, zone: ZoneInfo | None, local: str, is_chief: bool) -> StoryEntry:
    count = f"{entry.count} × " if entry.count > 1 else ""  # noqa: RUF001  times
    # What has no time has no error of it either.
    error = entry.clock_error.total_seconds() if entry.at and entry.clock_error else 0
    detail = ", ".join(
        part for part in (entry.detail, f"±{error:.1f} s" if error >= 0.1 else "") if part
    )
    return StoryEntry(
        key=entry.key,
        layer=entry.layer,
        treatment="context" if entry.is_hidden else TREATMENTS.get(entry.role, "context"),
        title=entry.title if entry.title.startswith(count) else f"{count}{entry.title}",
        detail=detail,
        owner=entry.owner,
        time=clock_text(entry.at, seconds=True) if entry.at else "",
        local=local % {"at": clock_text(entry.at, zone=zone, seconds=True)}
        if entry.at and zone
        else "",
        iso=entry.at.isoformat() if entry.at else "",
        is_untimed=entry.at is None,
        is_hidden=entry.is_hidden,
        is_chief=is_chief,
        address=entry.address,
        members=member_lines(entry),
    )
