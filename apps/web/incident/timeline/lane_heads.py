"""The lanes of a timeline: what they are called, who fills them, what they lack."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from apps.incidents.projection.header_values import PartyView
from apps.web import words
from apps.web.lanes.elements import LaneHead
from apps.web.lanes.entry_index import IndexedTimeline
from apps.wording import names as known

LANES = tuple(known.LANES.items())
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
    timeline: IndexedTimeline,
    elsewhere: Mapping[str, Sequence[str]],
    annotated: Collection[str] = (),
) -> tuple[LaneHead, ...]:
    """Return the lanes by layer; a head says who fills it and which of its sources is lacking.

    `elsewhere` are the sources that others hold: told where a lane would look as if nobody did;
    `annotated` are lanes that people wrote on.
    """
    states = {str(entry["source"]): str(entry["state"]) for entry in coverage}
    owners: dict[str, set[str]] = {}
    for part in timeline.parts:
        for lane, initials in part.initials.items():
            owners.setdefault(lane, set()).update(initials)
    used = {*annotated, *owners}
    return tuple(
        _head(
            key=key,
            title=title,
            states=states,
            owners=sorted(owners.get(key, set()) - {""}),
            elsewhere=elsewhere,
        )
        for key, title in LANES
        if key in used or key not in CALM_LANES
    )


def _head(
    *,
    key: str,
    title: str,
    states: Mapping[str, str],
    owners: Sequence[str],
    elsewhere: Mapping[str, Sequence[str]],
) -> LaneHead:
    lacking = [
        _("%(source)s %(state)s")
        % {"source": _said(source), "state": words.said(words.COVERAGE, states[source])}
        for source in SOURCES_OF.get(key, ())
        if states.get(source) in {"stale", "absent", "hidden"}
    ]
    holders = sorted({name for one in SOURCES_OF.get(key, ()) for name in elsewhere.get(one, ())})
    held = _("held by %(names)s") % {"names": ", ".join(holders)} if holders else ""
    note = lacking[0] if lacking else ", ".join(owners) or held
    return LaneHead(key=key, title=_(title), note=note, is_lacking=bool(lacking))


def by_party(
    timeline: IndexedTimeline,
    *,
    elsewhere: Mapping[str, Sequence[str]],
    annotated: Collection[str] = (),
) -> tuple[LaneHead, ...]:
    """Return lanes by owner; who holds a source has one without any entry, too.

    `annotated` are the names of those who wrote something on the timeline.
    """
    held: dict[str, str] = {}
    for source, names in elsewhere.items():
        for name in names:
            held.setdefault(name, _("holds %(source)s") % {"source": _said(source)})
    owners = list(dict.fromkeys([*timeline.owners(), *held, *annotated]))
    return tuple(LaneHead(key=each, title=each, note=held.get(each, "")) for each in owners)


def _said(source: str) -> str:
    return words.inside(words.source(source))
