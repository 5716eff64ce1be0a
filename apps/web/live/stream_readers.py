"""Who still reads a stream, and what of the changes exists for them: asked again at each event."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.fleet.facade.sessions import session_names
from apps.incidents.facade.live import incident_names
from apps.tenancy.access import Actor
from apps.tenancy.changes.replay import OrderedChange
from apps.tenancy.models import Topic
from apps.tenancy.scope import organization_scope
from apps.tenancy.sign_in.signed_in import actors_of_sessions
from apps.web.live.stream_events import LiveEvent

Names = Mapping[int, str]
# Of what has a row of its own, who may read which; what has none is the organization's own.
DOORS: Final[Mapping[Topic, Callable[..., Names]]] = {
    Topic.INCIDENT: incident_names,
    Topic.ANNOTATION: incident_names,
    Topic.SESSION: session_names,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveDelivery:
    """Which browsers may be told, and of what."""

    readers: frozenset[str]
    events: tuple[LiveEvent, ...] = ()


def delivery_of(
    *, organization_id: int, keys: Collection[str], changes: Sequence[OrderedChange], now: datetime
) -> LiveDelivery:
    """Return who of these browsers still reads for the organization, and what of the changes.

    What the organization may not read any more is no event: all its members read the same.
    """
    actors = actors_of_sessions(keys=keys, organization_id=organization_id, now=now)
    if not actors or not changes:
        return LiveDelivery(readers=frozenset(actors))
    reader = next(iter(actors.values()))
    with organization_scope(organization_id):
        events = events_for(actor=reader, changes=changes)
    return LiveDelivery(readers=frozenset(actors), events=events)


def events_for(*, actor: Actor, changes: Sequence[OrderedChange]) -> tuple[LiveEvent, ...]:
    """Return those changes that the actor may know of, each thing once, as it stands last."""
    newest = {(each.topic, each.subject): each for each in changes}
    wanted: dict[Topic, set[int]] = {}
    for topic, subject in newest:
        if subject is not None:
            wanted.setdefault(topic, set()).add(subject)
    names = {topic: DOORS[topic](actor=actor, ids=ids) for topic, ids in wanted.items()}
    told = sorted(newest.values(), key=lambda each: each.number)
    return tuple(
        _event(each, "" if each.subject is None else names[each.topic][each.subject])
        for each in told
        if each.subject is None or each.subject in names[each.topic]
    )


def _event(change: OrderedChange, subject: str) -> LiveEvent:
    return LiveEvent(number=change.number, code=change.code, topic=change.topic, subject=subject)
