"""Was it right: what is asked about a verdict, and what the parties said."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.safestring import SafeString

from apps.incidents.entries import LANE
from apps.incidents.projection.values import IncidentView, PartyOpinion
from apps.incidents.states import Judgement
from apps.incidents.words.opinions import opinion_fact
from apps.web.display.instants import Instant, instant
from apps.web.incident.hypotheses.cause_options import actual_options
from apps.wording import said


@dataclass(frozen=True, slots=True, kw_only=True)
class OpinionRow:
    """What one party says of the verdict."""

    name: str
    mark: str
    person: str
    is_reader: bool
    is_right: bool
    text: str  # right, or what it really was
    at: Instant
    is_of_earlier: bool  # the verdict has another layer or cause by now


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackCard:
    """What is asked about a verdict, and what the parties said."""

    revision: int
    rows: tuple[OpinionRow, ...]
    options: SafeString  # what it may really have been
    says_right: bool
    says_wrong: bool
    note: str  # the words that the reader's organization added
    readers: frozenset[str]  # slugs of who reads them


def card(
    *, view: IncidentView, opinions: Sequence[PartyOpinion], now: datetime, zone: ZoneInfo | None
) -> FeedbackCard:
    """Return the card of an incident as its reader sees it."""
    header = view.header
    own = next((row for row in opinions if row.organization.id == header.reader.id), None)
    told = [row for row in view.annotations if not (row.is_withdrawn or row.answers)]
    notes = [row for row in told if row.lane == LANE]
    note = next((row for row in notes if row.organization.id == header.reader.id), None)
    slugs = {party.organization.id: party.organization.slug for party in header.parties}
    really = f"{own.actual_layer}/{own.actual_cause}" if own else "/"
    return FeedbackCard(
        revision=header.incident.revision,
        rows=tuple(_row(row=row, view=view, now=now, zone=zone) for row in opinions),
        options=actual_options(
            really=really, verdict=f"{header.incident.layer}/{header.incident.cause}"
        ),
        says_right=own is not None and own.judgement == Judgement.RIGHT,
        says_wrong=own is not None and own.judgement == Judgement.WRONG,
        note=note.text if note else "",
        readers=frozenset(slugs[pk] for pk in note.audience if pk in slugs)
        if note
        else frozenset(),
    )


def _row(
    *, row: PartyOpinion, view: IncidentView, now: datetime, zone: ZoneInfo | None
) -> OpinionRow:
    incident = view.header.incident
    return OpinionRow(
        name=row.organization.name,
        mark=row.organization.mark,
        person=row.author_name,
        is_reader=row.organization.id == view.header.reader.id,
        is_right=row.judgement == Judgement.RIGHT,
        text=said(
            opinion_fact(judgement=row.judgement, layer=row.actual_layer, cause=row.actual_cause)
        ),
        at=instant(row.created_at, zone=zone, now=now),
        is_of_earlier=(row.layer, row.cause) != (incident.layer, incident.cause),
    )
