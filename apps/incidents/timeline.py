"""The append-only story of an incident: write moments, read what an organization may see."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Max, Q

from apps.diagnosis.model import Statement, statement_json, statement_of
from apps.diagnosis.model.statements import VALUES
from apps.incidents.models import Incident, TimelineEntry
from apps.incidents.snapshots import until_left
from apps.incidents.story_reading.kept_moments import kept
from apps.incidents.story_reading.made_once import MadeOnce
from apps.incidents.story_reading.stored_moments import TITLE_LENGTH, StoredMoment
from apps.incidents.threads import live
from apps.wording import headline_in_english

NUMBERING = frozenset({"verdict", "feedback"})  # kinds of moments that say the number of an answer
Moments = tuple[StoredMoment, ...]
CURRENT = MadeOnce[Moments, Moments](24_000, len)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineDraft:
    """A moment to be told. `identity` says which moment it is; the rest is what is said of it."""

    organization_id: int  # whose it is
    identity: tuple[object, ...]
    lane: str
    kind: str
    statement: Statement  # what is told
    role: str = ""
    at: datetime | None = None
    ends_at: datetime | None = None
    clock_error_seconds: float | None = None
    order_key: int = 0
    detail: Mapping[str, Any] = field(default_factory=dict)
    for_all_parties: bool = False
    audience: tuple[int, ...] = ()
    attempt_id: int | None = None
    is_retracted: bool = False

    @property
    def title(self) -> str:
        """Return it in English."""
        return headline_in_english(self.statement)

    @property
    def moment(self) -> bytes:
        """Return the same bytes for every telling of this moment."""
        return _digest(self.organization_id, self.attempt_id, *self.identity)

    @property
    def key(self) -> bytes:
        """Return the same bytes only for the same words about this moment."""
        return _digest(
            self.moment, self.lane, self.kind, self.title, self.role, self.at, self.ends_at,
            self.clock_error_seconds, self.order_key, sorted(self.detail.items()),
            self.for_all_parties, self.audience, self.is_retracted,
        )  # fmt: skip


def append(*, incident: Incident, tellings: Iterable[TimelineDraft], now: datetime) -> int:
    """Write the tellings that are new and return how many those are. Idempotent.

    Open pages of those who read them are let know once all is durable.
    """
    rows = [_row(incident=incident, telling=telling, now=now) for telling in tellings]
    known = {
        bytes(key)
        for key in TimelineEntry.objects.filter(incident=incident).values_list("key", flat=True)
    }
    fresh = [row for row in rows if row.key not in known]
    TimelineEntry.objects.bulk_create(fresh, ignore_conflicts=True)
    live.announce(incident=incident, readers=_readers(incident, fresh))
    return len(fresh)


def retract_missing(
    *, incident: Incident, attempt_id: int, tellings: Iterable[TimelineDraft], now: datetime
) -> None:
    """Say of moments told before for this attempt that a recomputation no longer finds them.

    Open pages of those who read them are let know once all is durable.
    """
    kept = {telling.moment for telling in tellings}
    gone = [
        entry
        for entry in current_entries(incident=incident)
        if entry.attempt_id == attempt_id
        and entry.kind in {"event", "anomaly"}
        and bytes(entry.moment) not in kept
    ]
    rows = []
    for entry in gone:
        key = _digest(bytes(entry.moment), "retracted", incident.revision)
        rows.append(
            TimelineEntry(
                organization_id=entry.organization_id,
                incident=incident,
                key=key,
                moment=entry.moment,
                is_retracted=True,
                attempt_id=attempt_id,
                revision=incident.revision,
                lane=entry.lane,
                kind=entry.kind,
                title=entry.title,
                statement=entry.statement,
                created_at=now,
            )
        )
    TimelineEntry.objects.bulk_create(rows, ignore_conflicts=True)
    live.announce(incident=incident, readers=_readers(incident, gone))


def current_entries(
    *, incident: Incident, holder_id: int | None = None, looker_id: int = 0
) -> Moments:
    """Return the newest telling of each moment that the scope may see, in order of time.

    With a holder only what that one holds, for whoever looks into its scope.

    Entries without a time stand where their order key puts them: after the timed ones before them.
    Who left the cluster is told what had been told by then; one of several tenants what has been
    told since its own session was hit.
    """
    told = TimelineEntry.objects.filter(incident=incident)
    if holder_id is not None:
        told = told.filter(organization=holder_id)
    since, former = incident.faced_since, incident.unfaced_revisions
    rows = until_left(rows=told, incident=incident)
    if since is not None:
        in_force = Q(kind="verdict", revision=former + 1)
        rows = rows.filter(Q(created_at__gte=since) | in_force)
    moments = kept(rows, looker=looker_id)
    return CURRENT.of(moments, partial(_current, incident=incident), (since, former))


def _current(told: Moments, *, incident: Incident) -> Moments:
    newest = {bytes(entry.moment): entry for entry in _faced(told, incident)}
    return tuple(sorted((each for each in newest.values() if not each.is_retracted), key=_place))


def newest_entry(*, incident: Incident) -> int:
    """Return the id of the newest telling that the scope may see; 0 where there is none."""
    rows = until_left(rows=TimelineEntry.objects.filter(incident=incident), incident=incident)
    return rows.aggregate(newest=Max("id"))["newest"] or 0


def told_alike(entry: StoredMoment) -> object:
    """Return the same for entries that two sessions of one shared fault tell of one moment."""
    if not entry.at:
        return entry.id
    return (entry.organization_id, entry.kind, entry.title, entry.at, entry.host)


def _faced(told: Moments, incident: Incident) -> Iterator[StoredMoment]:
    """Yield the entries in the order they were written, as they face one of several tenants: the
    verdict that was in force when its session was hit is its first, of then.
    """
    since, former = incident.faced_since, incident.unfaced_revisions
    if since is None:
        yield from told
        return
    for entry in told:
        faced = entry
        if entry.created_at < since:
            faced = faced._replace(at=since, order_key=milliseconds(since))
        if former:
            revision = incident.faced_revision(entry.revision)
            faced = _renumbered(faced, incident)._replace(revision=revision)
        yield faced


def _renumbered(entry: StoredMoment, incident: Incident) -> StoredMoment:
    """Number an answer, given or judged, as it faces a reader who was told fewer."""
    told = entry.statement if entry.kind in NUMBERING else {VALUES: {}}
    if "number" not in told[VALUES]:
        return entry
    number = incident.faced_revision(told[VALUES]["number"])
    statement = {**told, VALUES: {**told[VALUES], "number": number}}
    title = headline_in_english(statement_of(statement))
    return entry._replace(statement_text=json.dumps(statement), title=title)


def milliseconds(at: datetime) -> int:
    """Return the place of an instant among the order keys of a timeline."""
    return int(at.timestamp() * 1000)


def _place(entry: StoredMoment) -> tuple[int, int]:
    # What people do has a time and no order key.
    return (milliseconds(entry.at) if entry.at else entry.order_key, entry.id)


def _row(*, incident: Incident, telling: TimelineDraft, now: datetime) -> TimelineEntry:
    return TimelineEntry(
        organization_id=telling.organization_id,
        incident=incident,
        key=telling.key,
        moment=telling.moment,
        is_retracted=telling.is_retracted,
        attempt_id=telling.attempt_id,
        revision=incident.counted_revision,
        lane=telling.lane,
        kind=telling.kind,
        role=telling.role,
        at=telling.at,
        ends_at=telling.ends_at,
        clock_error_seconds=telling.clock_error_seconds,
        order_key=telling.order_key,
        title=telling.title[:TITLE_LENGTH],
        statement=statement_json(telling.statement),
        detail=dict(telling.detail),
        for_all_parties=telling.for_all_parties,
        audience=sorted(telling.audience),
        created_at=now,
    )


def _readers(incident: Incident, rows: Iterable[TimelineEntry | StoredMoment]) -> set[int]:
    """Return who reads any of these moments."""
    told = list(rows)
    readers = {pk for row in told for pk in (row.organization_id, *row.audience)}
    if any(row.for_all_parties for row in told):
        readers.update(party["organization"] for party in incident.parties)
    return readers


def _digest(*parts: object) -> bytes:
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()
