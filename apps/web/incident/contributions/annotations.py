"""What people wrote beside an incident."""

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.utils.crypto import salted_hmac
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from apps.incidents.projection.values import AnnotationVersion, IncidentView
from apps.tenancy.values import OrganizationName
from apps.web import words
from apps.web.annotations.markdown import rendered
from apps.web.display.instants import Instant, instant
from apps.web.incident.query_params import PageReader
from apps.web.incident.timeline.lane_heads import LANE_TITLES

MARK_LENGTH: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What the reader needs to know of all annotations of an incident."""

    histories: Mapping[str, Sequence[AnnotationVersion]] = field(default_factory=dict)
    unread: Collection[int] = ()  # ids of versions
    links: Mapping[str, str] = field(default_factory=dict)  # word → a page of the reader's


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteVersion:
    """What a note said before it was edited."""

    html: SafeString
    at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRecipient:
    """A party that may read a reply."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRow:
    """What a person wrote, and who reads it."""

    public_id: str
    version: int
    text: str
    html: SafeString
    author: str
    organization: str
    mark: str
    audience: str
    at: Instant
    lane: str = ""
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    concerns: str = ""
    earlier: tuple[NoteVersion, ...] = ()
    answers: str = ""
    recipients: tuple[ReplyRecipient, ...] = ()  # others, of a reply to it
    share: str = ""  # what the button says that sends the reply to all of these
    is_own: bool = False
    is_unread: bool = False
    is_withdrawn: bool = False

    @property
    def digest(self) -> str:
        """Return what changes when anything of it is shown otherwise."""
        shown = (self.version, self.html, self.audience, self.is_withdrawn, self.earlier)
        return f"{zlib.crc32(repr(shown).encode()):08x}"


def note_rows(*, view: IncidentView, written: Written, reader: PageReader) -> tuple[NoteRow, ...]:
    """Return the annotations with their former versions and who reads them, in threads."""
    return tuple(
        _row(row=row, view=view, written=written, reader=reader) for row in view.annotations
    )


def mark_of(annotations: Iterable[AnnotationVersion]) -> str:
    """Return what changes when any of these does, and when one comes or goes.

    Under the portal's key: readers whom the page does not name can't be guessed from it.
    """
    shown = [(each.id, each.audience) for each in annotations]
    return salted_hmac("annotations", repr(shown), algorithm="sha256").hexdigest()[:MARK_LENGTH]


def _row(
    *, row: AnnotationVersion, view: IncidentView, written: Written, reader: PageReader
) -> NoteRow:
    names = {party.organization.id: party.organization for party in view.header.parties}
    own = view.header.reader.id
    others = [names[pk].name for pk in row.audience if pk in names and pk != row.organization.id]
    earlier = [
        NoteVersion(
            html=_html(old, names, written),
            at=instant(old.created_at, zone=reader.zone, now=reader.now),
        )
        for old in written.histories.get(row.public_id, ())
        if old.version < row.version and old.organization.id == row.organization.id
    ]
    recipients = [
        ReplyRecipient(slug=names[pk].slug, name=names[pk].name)
        for pk in dict.fromkeys((row.organization.id, *row.audience))
        if pk in names and pk != own and pk in view.present
    ]
    return NoteRow(
        public_id=row.public_id,
        version=row.version,
        text=row.text,
        html=_html(row, names, written),
        author=row.author_name,
        organization=row.organization.name,
        mark=row.organization.mark,
        audience=_("read by %(names)s") % {"names": ", ".join(others)}
        if others
        else _("read by this organization only"),
        at=instant(row.created_at, zone=reader.zone, now=reader.now),
        lane=row.lane,
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        concerns=_concerns(row),
        earlier=tuple(earlier),
        answers=row.answers,
        recipients=tuple(recipients),
        share=_("Share with %(names)s") % {"names": words.joined([r.name for r in recipients])},
        is_own=row.organization.id == own,
        is_unread=row.id in written.unread,
        is_withdrawn=row.is_withdrawn,
    )


def _html(
    row: AnnotationVersion, names: Mapping[int, OrganizationName], written: Written
) -> SafeString:
    mentioned = [names[pk].slug for pk in row.mentioned_parties if pk in names]
    return rendered(row.text, links=written.links, mentioned=mentioned)


def _concerns(row: AnnotationVersion) -> str:
    lane = words.said(LANE_TITLES, row.lane)
    span = f"{row.starts_at:%H:%M:%S}" if row.starts_at else ""
    if row.starts_at and row.ends_at:
        span = f"{row.starts_at:%H:%M:%S}–{row.ends_at:%H:%M:%S}"  # noqa: RUF001  a span
    about = " ".join(
        part for part in (span, _("%(name)s lane") % {"name": lane} if lane else "") if part
    )
    return _("about %(what)s") % {"what": about} if about else ""
