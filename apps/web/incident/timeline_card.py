"""The card of the timeline: its lanes, its list, and what else they can show."""

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from apps.incidents.projection.values import IncidentView
from apps.web.display.choices import SegmentLink
from apps.web.incident.circumstances.read import Circumstances, with_circumstances
from apps.web.incident.contributions.annotations import NoteRow
from apps.web.incident.contributions.pins import pins_of, with_notes
from apps.web.incident.query_params import GROUPS, SPAN_NAMES, PageRequest, choices_of
from apps.web.incident.timeline.causal_links import causal_links, rules_of, weights_of
from apps.web.incident.timeline.drawing import drawing_of, stubs_of, verdict_of
from apps.web.incident.timeline.folding import told_once
from apps.web.incident.timeline.moments import Speakers, entries_of, told_in_order
from apps.web.incident.timeline.story import StoryEntry, near_stop, shown_of, story_of
from apps.web.incident.timeline.window import drawn_choice
from apps.web.lanes.drawing import Drawing
from apps.web.lanes.entry_index import IndexedTimeline, index_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineCard:
    """The timeline of an incident as its page shows it."""

    public_id: str
    drawing: Drawing | None
    groups: tuple[SegmentLink, ...]
    spans: tuple[SegmentLink, ...]
    story: tuple[StoryEntry, ...]
    story_count: int  # of all entries, where the list may leave some out

    @property
    def has_more(self) -> bool:
        """Say whether the list leaves entries out."""
        return self.story_count > sum(1 for entry in self.story if not entry.is_gap)


def timeline_card(
    *,
    view: IncidentView,
    notes: Sequence[NoteRow],
    wish: PageRequest,
    zone: ZoneInfo | None,
    around: Circumstances,
) -> tuple[TimelineCard, IndexedTimeline]:
    """Return the card, and the timeline that it shows; `around` is what stood beside the story."""
    header, incident = view.header, view.header.incident
    told = told_once(
        entries=entries_of(
            rows=view.timeline,
            speakers=Speakers(by_id={p.organization.id: p.organization for p in header.parties}),
        ),
        layer=incident.layer,
        hosts={str(device["host"]) for device in header.culprits or () if device.get("host")},
        weights=weights_of(view),
    )
    story = index_of(told)
    verdict, stubs = verdict_of(told=story, view=view), stubs_of(view)
    timeline = IndexedTimeline(told, [*verdict, *stubs, *around.entries])
    links = causal_links(timeline=timeline, view=view)
    count = len(told) + len(timeline.around.entries) + len(with_notes(entries=(), notes=notes))
    limit = None if wish.shows_all else shown_of(count)
    listed = near_stop(story, verdict=verdict, limit=limit)
    for each in verdict:
        listed = told_in_order(entries=listed, added=each)
    listed = with_circumstances(entries=[*listed, *stubs], around=around.entries)
    card = TimelineCard(
        public_id=incident.public_id,
        drawing=drawing_of(
            timeline=timeline,
            pins=pins_of(notes, is_by_party=wish.group == "party"),
            view=view,
            wish=wish,
            zone=zone,
            links=links,
        ),
        groups=choices_of(GROUPS, name="group", chosen=wish.group, other=("span", wish.span)),
        spans=(
            *choices_of(SPAN_NAMES, name="span", chosen=wish.span, other=("group", wish.group)),
            *drawn_choice(span=wish.span, group=wish.group),
        ),
        story=story_of(
            entries=with_notes(entries=listed, notes=notes),
            zone=zone,
            limit=limit,
            rules=rules_of(links),
        ),
        story_count=count if limit else 0,
    )
    return card, timeline
