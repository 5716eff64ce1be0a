"""Moments of an incident in the words of the page, each in its lane."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from apps.diagnosis.model import statement_of
from apps.incidents.projection.own_moments import OwnMoment
from apps.incidents.projection.values import TimelineMoment
from apps.incidents.story_reading.made_once import MadeOnce
from apps.tenancy.values import OrganizationName
from apps.web import words
from apps.web.incident.timeline.lane_heads import LANE_OF, LANE_TITLES, LAYER_OF
from apps.web.incident.timeline.story_lines import LineHead, story_line
from apps.web.lanes.elements import Entry
from apps.wording import Speaker, page_speaker

# Found where a series stopped: no data, not zero.
SILENCE = "silence"
BARE = "shown-as-signal"
PORTAL = "portal"
WORDED = MadeOnce[TimelineMoment, Entry](24_000)
WORDED_STORIES = MadeOnce[tuple[TimelineMoment, ...], tuple[Entry, ...]](24_000, len)
# Told by an inventory: changes, whatever layer the part is of.
CHANGES = frozenset({"part-replaced", "part-moved", "part-renumbered"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Speakers:
    """The organizations that may appear in a story, by id."""

    by_id: Mapping[int, OrganizationName]

    def name(self, organization_id: int) -> str:
        """Return the name of an organization that the reader may know."""
        known = self.by_id.get(organization_id)
        return known.name if known else _("another party")

    def mark(self, organization_id: int) -> str:
        """Return its letter."""
        known = self.by_id.get(organization_id)
        return known.mark if known else "?"


def entries_of(*, rows: tuple[TimelineMoment, ...], speakers: Speakers) -> tuple[Entry, ...]:
    """Return the rows of a story in the words of the page, in their order."""
    how = get_language() or "", frozenset(speakers.by_id.values())
    return WORDED_STORIES.of(rows, partial(_entries, speakers=speakers), how)


def _entries(rows: tuple[TimelineMoment, ...], *, speakers: Speakers) -> tuple[Entry, ...]:
    speaker = page_speaker()
    # A whole story says the same few words thousands of times: each is translated once.
    speaker = replace(speaker, translate=cache(speaker.translate))
    make = partial(_entry, speakers=speakers, speaker=speaker)
    heads, ways = _Heads(speakers, speaker, make), _Ways(speakers)
    # What others show is redacted, as a whole; it is put into the same words once.
    return tuple(
        heads.line(row)
        if isinstance(row, OwnMoment)
        else WORDED.of(row, make, ways[row.organization_id])
        for row in rows
    )


class _Heads(dict[tuple[int, str], LineHead]):
    """By whose moment it is, and its lane, what its line has in common with others."""

    def __init__(
        self, speakers: Speakers, speaker: Speaker, word: Callable[[TimelineMoment], Entry]
    ) -> None:
        super().__init__()
        self._speakers, self._speaker, self._word = speakers, speaker, word
        self._language = get_language() or ""

    def line(self, row: OwnMoment) -> Entry:
        """Return a moment as a line whose words are made when they are asked for."""
        told = row.stored
        if told.told_kind in CHANGES:
            return self._word(row)
        return story_line(row, self[told.organization_id, told.lane])

    def __missing__(self, place: tuple[int, str]) -> LineHead:
        organization_id, name = place
        lane, is_portal = _lane(name, ""), name == PORTAL
        head = self[place] = LineHead(
            lane=lane,
            lane_title=self._speaker.translate(LANE_TITLES[lane]),
            layer=_layer(name),
            owner=_owner(organization_id, self._speakers, is_portal=is_portal),
            initial="" if is_portal else self._speakers.mark(organization_id),
            language=self._language,
            word=self._word,
        )
        return head


class _Ways(dict[int, tuple[str, str, str]]):
    """By whose moment it is what its words depend on besides: the language, and how that one is
    called.
    """

    def __init__(self, speakers: Speakers) -> None:
        super().__init__()
        self._speakers, self._language = speakers, get_language() or ""

    def __missing__(self, organization_id: int) -> tuple[str, str, str]:
        name, mark = self._speakers.name(organization_id), self._speakers.mark(organization_id)
        self[organization_id] = (self._language, name, mark)
        return self[organization_id]


def _entry(row: TimelineMoment, *, speakers: Speakers, speaker: Speaker) -> Entry:
    error, told = row.clock_error_seconds, statement_of(row.statement)
    detail, is_portal = row.detail or {}, row.lane == PORTAL
    lane = _lane(row.lane, told.kind)
    return Entry(
        key=str(row.id),
        lane=lane,
        lane_title=speaker.translate(LANE_TITLES[lane]),
        layer=_layer(row.lane),
        role=row.role or "context",
        title=speaker.headline(told),
        detail=detail_text(detail, speaker.translate),
        owner=_owner(row.organization_id, speakers, is_portal=is_portal),
        initial="" if is_portal else speakers.mark(row.organization_id),
        at=row.at,
        ends_at=row.ends_at,
        clock_error=timedelta(seconds=error) if error is not None else None,
        clock=_clock(row.organization_id, detail),
        line=int(detail.get("line") or 0),
        count=max(int(detail.get("count") or 1), 1),
        stays_in_view=told.kind in CHANGES,
        host=str(detail.get("host") or ""),
        reference=str(detail.get("reference") or "") or shared_reference(row),
        signature=str(detail.get("signature") or ""),
        ranks=tuple(each for each in detail.get("ranks") or () if isinstance(each, int)),
        is_no_data=told.named.get("detector") == SILENCE,
        is_bare=told.kind == BARE,
    )


def shared_reference(row: TimelineMoment) -> str:
    """Return by what a moment that another party shows is the same as its evidence.

    Keys of rows stay with their holder: the instant and the signature are shown of both.
    """
    if row.shared is None or row.at is None or not (row.detail or {}).get("signature"):
        return ""
    return shown_reference(holder=row.organization_id, at=row.at, told=str(row.detail["signature"]))


def shown_reference(*, holder: int, at: datetime, told: str) -> str:
    """Return the same for a moment and a piece of evidence that another party shows of one line."""
    return f"shown:{holder}:{at.isoformat()}:{told}"


def _owner(organization_id: int, speakers: Speakers, *, is_portal: bool) -> str:
    # What the portal says is stored with the incident's owner, who did not say it.
    return _("The portal") if is_portal else speakers.name(organization_id)


def _layer(name: str) -> str:
    return name if name in words.LAYERS else LAYER_OF.get(name, "quiet")


def _lane(name: str, told: str) -> str:
    if told in CHANGES:
        return "changes"
    return name if name in LANE_TITLES else LANE_OF.get(name, "application")


def detail_text(detail: Mapping[str, Any], _: Callable[[str], str]) -> str:
    """Return where it was said and by whom, in one line."""
    ranks: Sequence[Any] = detail.get("ranks") or ()
    parts: list[str] = []
    if host := detail.get("host"):
        parts.append(str(host))
    if (gpu := detail.get("gpu")) is not None:
        parts.append(f"GPU {gpu}")
    if len(ranks) < 2 and (count := int(detail.get("count") or 1)) > 1:
        parts.append(_("%(n)s times") % {"n": count})
    if len(ranks) > 1:
        parts.append(_("%(n)s ranks, first rank %(first)s") % {"n": len(ranks), "first": ranks[0]})
    elif ranks:
        parts.append(_("rank %(n)s") % {"n": ranks[0]})
    if place := _place(detail, _):
        parts.append(place)
    return ", ".join(parts)


def _clock(organization_id: int, detail: Mapping[str, Any]) -> str:
    """Return whose clock stamped a line, "" where that is not one."""
    source, host = detail.get("source"), detail.get("host")
    return f"{organization_id} {host} {source}" if source and host and detail.get("line") else ""


def _place(detail: Mapping[str, Any], _: Callable[[str], str]) -> str:
    source, line = detail.get("source"), detail.get("line")
    if source and line:
        return _("%(file)s line %(n)s") % {"file": source, "n": line}
    return str(source or "")


def verdict_entry(*, title: str, detail: str, layer: str, at: datetime, holders: str) -> Entry:
    """Return the verdict as a moment, for a reader who holds nothing that tells of it.

    `holders` names who does, and knows how exact its time is.
    """
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
        error_holders=holders,
    )


def told_in_order(*, entries: Sequence[Entry], added: Entry) -> list[Entry]:
    """Return the entries with one more in its place by time."""
    at = added.at
    index = next(
        (i for i, entry in enumerate(entries) if at and entry.at and entry.at > at), len(entries)
    )
    return [*entries[:index], added, *entries[index:]]
