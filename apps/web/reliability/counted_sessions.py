"""Sessions and attempts that a figure counts: names, states, when and how long they ran."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils.translation import gettext as _

from apps.fleet.facade.sessions import attempts_of, list_sessions
from apps.fleet.values import AttemptView
from apps.incidents.words import shown_name
from apps.tenancy.access import Actor
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.display.attempt_state import state_word
from apps.web.display.instants import day_text


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedSession:
    """A session or an attempt of one. What is not known of it is empty."""

    text: str  # the id, with # and the number of the attempt where it is one
    public_id: str
    query: str
    name: str
    attempt: str
    state: str
    when: str
    ran: str


def session_names(actor: Actor, ids: Collection[str]) -> Mapping[str, str]:
    """Return id → name of those of these sessions that the actor may know by name."""
    if not ids:
        return {}
    rows = list_sessions(actor=actor).filter(Q(public_id__in=ids))
    return {each.public_id: shown_name(each) for each in rows}


def counted_sessions(
    request: OrganizationRequest, ids: Sequence[str], *, now: datetime
) -> tuple[CountedSession, ...]:
    """Return what these ids name, in their order: `SES-1`, or `SES-1#2` for its second attempt."""
    names = {each.partition("#")[0] for each in ids}
    sessions = list(list_sessions(actor=request.actor).filter(Q(public_id__in=names)))
    attempts = attempts_of(actor=request.actor, sessions=sessions)
    known = {each.public_id: (shown_name(each), attempts[each.id]) for each in sessions}
    return tuple(_counted(each, known.get(each.partition("#")[0]), now=now) for each in ids)


def _counted(
    text: str, known: tuple[str, Sequence[AttemptView]] | None, *, now: datetime
) -> CountedSession:
    public_id, _sign, number = text.partition("#")
    name, attempts = known or (public_id, ())
    mine = [each for each in attempts if not number or f"{each.number}" == number]
    starts = [each.started_at for each in mine if each.started_at]
    return CountedSession(
        text=text,
        public_id=public_id,
        query=f"?attempt={number}" if number else "",
        name=name,
        attempt=number or f"{len(mine)}",
        state=state_word(mine[-1], now=now) if mine else "",
        when=day_text(min(starts), now=now) if starts else "",
        ran=_ran(mine, now=now),
    )


def _ran(attempts: Sequence[AttemptView], *, now: datetime) -> str:
    """Return how long they ran together; nothing where of one of them nobody told."""
    lengths: list[timedelta] = []
    for each in attempts:
        ends_at = now if each.is_open else each.ended_at
        if each.started_at is None or ends_at is None:
            return ""
        lengths.append(ends_at - each.started_at)
    whole = sum(lengths, timedelta())
    if not lengths:
        return ""
    told = words.duration(whole.total_seconds())
    is_running = any(each.is_open for each in attempts)
    return _("%(length)s so far") % {"length": told} if is_running else told
