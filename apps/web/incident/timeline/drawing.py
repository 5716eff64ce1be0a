"""What the timeline of an incident draws: entries, verdict, and stubs of what others hold."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Final
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from apps.incidents import words as naming
from apps.incidents.projection.values import IncidentView
from apps.web import words
from apps.web.incident.query_params import PageRequest
from apps.web.incident.timeline.lane_heads import LANE_TITLES, by_party, held_elsewhere, lane_heads
from apps.web.incident.timeline.moments import verdict_entry
from apps.web.incident.timeline.window import span_of
from apps.web.lanes.arcs import CausalLink
from apps.web.lanes.draw import OWN_LANE, draw
from apps.web.lanes.drawing import Drawing
from apps.web.lanes.elements import Entry
from apps.web.lanes.entry_index import EntryIndex, IndexedTimeline
from apps.web.lanes.pins import Pin

OWNER: Final[Callable[[Entry], str]] = attrgetter("owner")


def stubs_of(view: IncidentView) -> list[Entry]:
    """Return one box for each holder and layer of hidden evidence, without a time of its own."""
    found: dict[tuple[str, str], int] = {}
    for hypothesis in view.hypotheses[:1]:
        for held in hypothesis.held:
            key = (held.organization.name, held.layer)
            found[key] = found.get(key, 0) + held.count
    return [_stub(name=name, layer=layer, count=count) for (name, layer), count in found.items()]


def _stub(*, name: str, layer: str, count: int) -> Entry:
    lane = layer if layer in LANE_TITLES else "application"
    return Entry(
        key=f"held-{name}-{layer}",
        lane=lane,
        lane_title=_(LANE_TITLES[lane]),
        layer=layer if layer in words.LAYERS else "unknown",
        role="context",
        title=_("%(name)s holds %(items)s") % {"name": name, "items": words.items(count)},
        detail=_("hidden by policy, without a time"),
        owner=name,
        initial=name[:1].upper(),
        is_hidden=True,
    )


def verdict_of(*, told: EntryIndex, view: IncidentView) -> list[Entry]:
    """Return the verdict itself where none of the reader's own entries tells of it."""
    header, incident = view.header, view.header.incident
    is_told = bool(told.by_role.get("initiating"))
    if is_told or incident.started_at is None or incident.layer == "unknown":
        return []
    clause = naming.clause(cause_slug=incident.cause, devices=header.culprits or [])
    holding = (held.organization.name for each in view.hypotheses[:1] for held in each.held)
    holders = words.joined(list(dict.fromkeys(holding)))
    by = _("the verdict")
    if holders:
        by = _("the verdict, from evidence of %(names)s") % {"names": holders}
    entry = verdict_entry(
        title=words.sentence_case(clause),
        detail=by,
        layer=incident.layer,
        at=incident.started_at,
        holders=holders,
    )
    return [entry]


def drawing_of(
    *,
    timeline: IndexedTimeline,
    pins: Sequence[Pin],
    view: IncidentView,
    wish: PageRequest,
    zone: ZoneInfo | None,
    links: Sequence[CausalLink] = (),
) -> Drawing | None:
    """Return the timeline by layer or by party, or nothing where a list was asked for."""
    if wish.group == "list":
        return None
    failed_at = view.header.incident.started_at
    span = span_of(name=wish.span, entries=timeline, failed_at=failed_at)
    if span is None:
        return None
    elsewhere = held_elsewhere(coverage=view.header.coverage, parties=view.header.parties)
    annotated = [pin.lane for pin in pins]
    is_by_party = wish.group == "party"
    heads = (
        by_party(timeline, elsewhere=elsewhere, annotated=annotated)
        if is_by_party
        else lane_heads(
            coverage=view.header.coverage,
            timeline=timeline,
            elsewhere=elsewhere,
            annotated=annotated,
        )
    )
    return draw(
        entries=timeline,
        heads=heads,
        span=span,
        pins=pins,
        links=links,
        failed_at=failed_at,
        zone=zone,
        lane_of=OWNER if is_by_party else OWN_LANE,
    )
