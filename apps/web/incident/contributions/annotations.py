"""What people wrote beside an incident."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.incidents.projection.values import AnnotationVersion, IncidentView
from apps.web import words
from apps.web.display.instants import Instant, instant
from apps.web.incident.query_params import PageReader
from apps.web.incident.timeline.lane_heads import LANE_TITLES


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteVersion:
    """What a note said before it was edited."""

    text: str
    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRow:
    """What a person wrote, and who reads it."""

    public_id: str
    text: str
    author: str
    organization: str
    mark: str
    audience: str
    at: Instant
    concerns: str = ""
    earlier: tuple[NoteVersion, ...] = ()
    is_own: bool = False
    is_withdrawn: bool = False


def note_row(
    *,
    row: AnnotationVersion,
    view: IncidentView,
    histories: Mapping[str, Sequence[AnnotationVersion]],
    reader: PageReader,
) -> NoteRow:
    """Return one note with its former versions and who reads it."""
    names = {party.organization.id: party.organization.name for party in view.header.parties}
    others = [names[pk] for pk in row.audience if pk in names and pk != row.organization.id]
    is_own = row.organization.id == view.header.reader.id
    earlier = [
        NoteVersion(text=old.text, at=instant(old.created_at, zone=reader.zone, now=reader.now))
        for old in histories.get(row.public_id, ())
        if old.version < row.version
    ]
    return NoteRow(
        public_id=row.public_id,
        text=row.text,
        author=row.author_name,
        organization=row.organization.name,
        mark=row.organization.mark,
        audience=_("read by %(names)s") % {"names": ", ".join(others)}
        if others
        else _("read by this organization only"),
        at=instant(row.created_at, zone=reader.zone, now=reader.now),
        concerns=_concerns(row),
        earlier=tuple(earlier),
        is_own=is_own,
        is_withdrawn=row.is_withdrawn,
    )


def _concerns(row: AnnotationVersion) -> str:
    lane = words.said(LANE_TITLES, row.lane)
    span = f"{row.starts_at:%H:%M:%S}" if row.starts_at else ""
    if row.starts_at and row.ends_at:
        span = f"{row.starts_at:%H:%M:%S}–{row.ends_at:%H:%M:%S}"  # noqa: RUF001  a span
    about = " ".join(
        part for part in (span, _("%(name)s lane") % {"name": lane} if lane else "") if part
    )
    return _("about %(what)s") % {"what": about} if about else ""
