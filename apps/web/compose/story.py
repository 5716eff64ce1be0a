"""The timeline of an incident: rows of the story into lanes, and into one list for phones."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from apps.incidents.models import TimelineEntry
from apps.incidents.reading import PartyView
from apps.tenancy.models import Organization
from apps.web import saying, words
from apps.web.lanes.parts import Entry, LaneHead
from apps.web.lanes.scale import Span, clock_text
from apps.web.lanes.urgency import TREATMENTS
from apps.web.pages import StoryEntry

LANES = (
    ("application", gettext_noop("Application / NCCL")),
    ("gpu", "GPU"),
    ("host", gettext_noop("Host")),
    ("network", gettext_noop("Network")),
    ("storage", gettext_noop("Storage")),
    ("scheduler", gettext_noop("Scheduler")),
    ("changes", gettext_noop("Changes")),
    ("people", gettext_noop("People")),
)
LANE_TITLES = dict(LANES)
LANE_OF = {
    "software": "application",
    "straggler": "application",
    "unknown": "application",
    "portal": "people",
    "": "application",
}
LAYER_OF = {
    "application": "software",
    "scheduler": "quiet",
    "changes": "quiet",
    "people": "quiet",
    "portal": "quiet",
}
# Which source fills which lane: what a lane head says is lacking.
SOURCES_OF = {
    "application": ("session-log",),
    "gpu": ("kernel-log", "metrics"),
    "host": ("kernel-log", "bmc-log"),
    "network": ("fabric-log", "metrics"),
    "storage": ("storage-log",),
    "scheduler": ("scheduler-log", "scheduler"),
}
CALM_LANES = {"scheduler", "changes", "people"}
SILENT = {"metric:silence"}
SILENCE = timedelta(minutes=3)
FOLD_FROM = 4
SHOWN = 200
BEFORE = timedelta(minutes=12)
AFTER = timedelta(minutes=18)
MARGIN = timedelta(minutes=1)
SPANS: Mapping[str, tuple[timedelta, timedelta]] = {
    "2m": (timedelta(minutes=1), timedelta(minutes=1)),
    "30m": (BEFORE, AFTER),
    "2h": (timedelta(hours=1), timedelta(hours=1)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Speakers:
    """The organizations that may appear in a story, by id."""

    by_id: Mapping[int, Organization]

    def name(self, organization_id: int) -> str:
        """Return the name of an organization that the reader may know."""
        known = self.by_id.get(organization_id)
        return known.name if known else _("another party")

    def mark(self, organization_id: int) -> str:
        """Return its letter."""
        known = self.by_id.get(organization_id)
        return known.mark if known else "?"


def entries_of(*, rows: Sequence[TimelineEntry], speakers: Speakers) -> list[Entry]:
    """Return the rows of a story in the words of the page, in their order."""
    return [_entry(row=row, speakers=speakers) for row in rows]


def _entry(*, row: TimelineEntry, speakers: Speakers) -> Entry:
    lane = row.lane if row.lane in LANE_TITLES else LANE_OF.get(row.lane, "application")
    detail, is_portal = row.detail or {}, row.lane == "portal"
    error = row.clock_error_seconds
    return Entry(
        key=str(row.pk),
        lane=lane,
        lane_title=_(LANE_TITLES[lane]),
        layer=row.lane if row.lane in words.LAYERS else LAYER_OF.get(row.lane, "quiet"),
        role=row.role or "context",
        title=saying.title(row.title),
        detail=detail_text(detail),
        # What the portal says is stored with the incident's owner, who did not say it.
        owner=_("The portal") if is_portal else speakers.name(row.organization_id),
        initial="" if is_portal else speakers.mark(row.organization_id),
        at=row.at,
        ends_at=row.ends_at,
        clock_error=timedelta(seconds=error) if error else None,
        count=max(int(detail.get("count") or 1), 1),
        is_band=detail.get("phase") in {"save", "load"},
        host=str(detail.get("host") or ""),
        is_no_data=row.title in SILENT,
    )


def detail_text(detail: Mapping[str, Any]) -> str:
    """Return where it was said and by whom, in one line."""
    ranks = detail.get("ranks") or []
    count = int(detail.get("count") or 1)
    gpu = detail.get("gpu")
    parts = [
        str(detail["host"]) if detail.get("host") else "",
        f"GPU {gpu}" if gpu is not None else "",
        _("%(n)s times") % {"n": count} if count > 1 and len(ranks) < 2 else "",
        _("%(n)s ranks, first rank %(first)s") % {"n": len(ranks), "first": ranks[0]}
        if len(ranks) > 1
        else "",
        _("rank %(n)s") % {"n": ranks[0]} if len(ranks) == 1 else "",
        _place(detail),
    ]
    return ", ".join(part for part in parts if part)


def _place(detail: Mapping[str, Any]) -> str:
    source, line = detail.get("source"), detail.get("line")
    if source and line:
        return _("%(file)s line %(n)s") % {"file": source, "n": line}
    return str(source or "")


def with_chiefs(*, entries: Sequence[Entry], layer: str, hosts: Collection[str]) -> list[Entry]:
    """Ring only what tells of the verdict; what might have been a cause elsewhere is context.

    Without a verdict, or without its hosts, every entry keeps its role.
    """
    if layer == "unknown" or not hosts:
        return list(entries)
    return [
        replace(entry, role="context")
        if entry.role == "initiating" and (entry.layer != layer or entry.host not in hosts)
        else entry
        for entry in entries
    ]


def fold(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries with repetitions of one sentence in one lane told once, counted."""
    groups: dict[tuple[str, str, str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.lane, entry.role, entry.title, entry.owner), []).append(entry)
    folded: list[Entry] = []
    told: set[tuple[str, str, str, str]] = set()
    for entry in entries:
        key = (entry.lane, entry.role, entry.title, entry.owner)
        if len(groups[key]) < FOLD_FROM:
            folded.append(entry)
        elif key not in told:
            told.add(key)
            folded.append(_told_once(groups[key]))
    return folded


def _told_once(members: Sequence[Entry]) -> Entry:
    first = members[0]
    times = sorted(entry.at for entry in members if entry.at)
    last = max((entry.ends_at or entry.at for entry in members if entry.at), default=None)
    between = (
        f"{clock_text(times[0], seconds=True)}–{clock_text(last, seconds=True)}"  # noqa: RUF001  a span
        if times and last
        else ""
    )
    return replace(
        first,
        at=times[0] if times else None,
        ends_at=None,
        count=sum(entry.count for entry in members),
        detail=", ".join(
            part for part in (_("%(n)s times") % {"n": len(members)}, between, first.detail) if part
        ),
    )


def held_elsewhere(
    *, coverage: Sequence[Mapping[str, Any]], parties: Sequence[PartyView]
) -> dict[str, tuple[str, ...]]:
    """Return the sources that are there, with the other parties who hold them, by name."""
    found = {
        str(entry["source"]): tuple(
            party.organization.name
            for party in parties
            if entry.get("held_by") in party.parts and not party.is_reader
        )
        for entry in coverage
        if entry["state"] == "present"
    }
    return {source: names for source, names in found.items() if names}


def lane_heads(
    *,
    coverage: Sequence[Mapping[str, Any]],
    entries: Sequence[Entry],
    elsewhere: Mapping[str, Sequence[str]],
) -> tuple[LaneHead, ...]:
    """Return the lanes by layer; a head says who fills it and which of its sources is lacking.

    `elsewhere` are the sources that others hold: told where a lane would look as if nobody did.
    """
    states = {str(entry["source"]): str(entry["state"]) for entry in coverage}
    used = {entry.lane for entry in entries}
    return tuple(
        _head(key=key, title=title, states=states, entries=entries, elsewhere=elsewhere)
        for key, title in LANES
        if key in used or key not in CALM_LANES
    )


def _head(
    *,
    key: str,
    title: str,
    states: Mapping[str, str],
    entries: Sequence[Entry],
    elsewhere: Mapping[str, Sequence[str]],
) -> LaneHead:
    lacking = [
        _("%(source)s %(state)s")
        % {"source": _said(source), "state": words.said(words.COVERAGE, states[source])}
        for source in SOURCES_OF.get(key, ())
        if states.get(source) in {"stale", "absent", "hidden"}
    ]
    owners = sorted({entry.initial for entry in entries if entry.lane == key and entry.initial})
    holders = sorted({name for one in SOURCES_OF.get(key, ()) for name in elsewhere.get(one, ())})
    held = _("held by %(names)s") % {"names": ", ".join(holders)} if holders else ""
    note = lacking[0] if lacking else ", ".join(owners) or held
    return LaneHead(key=key, title=_(title), note=note, is_lacking=bool(lacking))


def by_party(
    entries: Sequence[Entry], *, elsewhere: Mapping[str, Sequence[str]]
) -> tuple[tuple[LaneHead, ...], list[Entry]]:
    """Return lanes by owner, and the entries told so; who holds a source has one without any."""
    held: dict[str, str] = {}
    for source, names in elsewhere.items():
        for name in names:
            held.setdefault(name, _("holds %(source)s") % {"source": _said(source)})
    owners = list(dict.fromkeys([*(entry.owner for entry in entries), *held]))
    heads = tuple(LaneHead(key=each, title=each, note=held.get(each, "")) for each in owners)
    return heads, [replace(entry, lane=entry.owner) for entry in entries]


def _said(source: str) -> str:
    return words.inside(words.source(source))


def span_of(*, name: str, entries: Sequence[Entry], failed_at: datetime | None) -> Span | None:
    """Return the window that the lanes show, or nothing where no entry has a time."""
    times = [at for entry in entries for at in (entry.at, entry.ends_at) if at]
    if not times:
        return None
    middle = failed_at or min(times)
    if name in SPANS:
        before, after = SPANS[name]
        return Span(starts_at=middle - before, ends_at=middle + after)
    if name == "all":
        return Span(starts_at=min(times) - MARGIN, ends_at=max(times) + MARGIN)
    return _close_span(entries=entries, middle=middle)


def _close_span(*, entries: Sequence[Entry], middle: datetime) -> Span:
    # What tells the story stands within half an hour; lone notes of later days would flatten it.
    lowest, highest = middle - BEFORE, middle + AFTER
    near = [
        at
        for entry in entries
        for at in (entry.at, entry.ends_at)
        if at and lowest <= at <= highest and entry.role not in {"context", "progress"}
    ]
    first, last = min([middle, *near]), max([middle, *near])
    margin = max((last - first) * 0.12, MARGIN)
    return Span(starts_at=first - margin, ends_at=last + margin)


def story_of(
    *, entries: Sequence[Entry], zone: ZoneInfo | None, limit: int | None = SHOWN
) -> tuple[StoryEntry, ...]:
    """Return the entries as one list, with longer silences as lines of their own."""
    chosen = entries if limit is None else _around(entries=near(entries), limit=limit)
    chief = next((entry.key for entry in chosen if entry.role == "initiating"), None)
    found: list[StoryEntry] = []
    former: datetime | None = None
    for entry in chosen:
        if former and entry.at and entry.at - former >= SILENCE:
            found.append(_gap((entry.at - former).total_seconds()))
        found.append(_line(entry=entry, zone=zone, is_chief=entry.key == chief))
        former = entry.ends_at or entry.at or former
    return tuple(found)


def near(entries: Sequence[Entry]) -> list[Entry]:
    """Return what stands around the stop, what has no time, and what people did."""
    chief = next((entry.at for entry in entries if entry.role == "initiating" and entry.at), None)
    if chief is None:
        return list(entries)
    return [
        entry
        for entry in entries
        if entry.at is None
        or entry.lane in {"people", "changes"}
        or chief - BEFORE <= (entry.ends_at or entry.at) <= chief + AFTER
    ]


def verdict_entry(*, title: str, detail: str, layer: str, at: datetime) -> Entry:
    """Return the verdict as a moment, for a reader who holds nothing that tells of it."""
    lane = layer if layer in LANE_TITLES else LANE_OF.get(layer, "application")
    return Entry(
        key="verdict",
        lane=lane,
        lane_title=_(LANE_TITLES[lane]),
        layer=layer,
        role="initiating",
        title=title,
        detail=detail,
        at=at,
    )


def told_in_order(*, entries: Sequence[Entry], added: Entry) -> list[Entry]:
    """Return the entries with one more in its place by time."""
    at = added.at
    index = next(
        (i for i, entry in enumerate(entries) if at and entry.at and entry.at > at), len(entries)
    )
    return [*entries[:index], added, *entries[index:]]


def _around(*, entries: Sequence[Entry], limit: int) -> Sequence[Entry]:
    if len(entries) <= limit:
        return entries
    index = next((i for i, entry in enumerate(entries) if entry.role == "initiating"), 0)
    start = min(max(index - limit // 2, 0), len(entries) - limit)
    return entries[start : start + limit]


def _gap(seconds: float) -> StoryEntry:
    return StoryEntry(
        key="",
        layer="quiet",
        treatment="context",
        is_gap=True,
        title=_("%(length)s of silence") % {"length": words.duration(seconds)},
    )


def _line(*, entry: Entry, zone: ZoneInfo | None, is_chief: bool) -> StoryEntry:
    count = f"{entry.count} × " if entry.count > 1 else ""  # noqa: RUF001  times
    error = entry.clock_error.total_seconds() if entry.clock_error else 0
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
        local=_("%(at)s local") % {"at": clock_text(entry.at, zone=zone, seconds=True)}
        if entry.at and zone
        else "",
        iso=entry.at.isoformat() if entry.at else "",
        is_untimed=entry.at is None,
        is_hidden=entry.is_hidden,
        is_chief=is_chief,
    )
