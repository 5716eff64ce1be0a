"""What of an incident waits for its reader: answers to others, and actions of its own."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from apps.incidents.coordination.action_ids import action_id
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.states import ActionState, HandOverState, IncidentStatus


class Waits(StrEnum):
    """What kind of thing waits."""

    HAND_OVER = "hand-over"  # one that was proposed to the reader
    INFORMATION = "information"  # that somebody needs before taking over
    RESOLUTION = "resolution"  # a proposal that the reader may answer
    REPLY = "reply"  # to a verdict that blames its layer
    ACTION = "action"  # that it is asked for and has not done


ANSWERS = frozenset({Waits.HAND_OVER, Waits.INFORMATION, Waits.RESOLUTION})


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """One thing that waits, by its id."""

    kind: Waits
    id: str


def waiting_of(header: IncidentHeader, *, now: datetime) -> tuple[Waiting, ...]:
    """Return what of an open incident waits for its reader."""
    if header.incident.status != IncidentStatus.OPEN or header.left_at is not None:
        return ()
    return (*answers_of(header), *_reply(header, now), *_actions(header))


def answers_of(header: IncidentHeader) -> tuple[Waiting, ...]:
    """Return what others asked of the reader and wait for."""
    own = header.reader.id
    found = []
    for each in header.coordination.hand_overs:
        if each.state == HandOverState.PROPOSED and each.recipient.id == own:
            found.append(Waiting(kind=Waits.HAND_OVER, id=each.id))
        if each.state == HandOverState.INFORMATION_NEEDED and each.sender.id == own:
            found.append(Waiting(kind=Waits.INFORMATION, id=each.id))
    answers = any(party.answers for party in header.parties if party.is_reader)
    if answers or header.incident.owner_id == own:
        found += [
            Waiting(kind=Waits.RESOLUTION, id=each.id)
            for each in header.coordination.open_resolutions
            if each.proposer.id != own
        ]
    return tuple(found)


def _reply(header: IncidentHeader, now: datetime) -> tuple[Waiting, ...]:
    is_awaited = header.coordination.verdict.waits_for(header.reader.id, now=now)
    return (Waiting(kind=Waits.REPLY, id=header.incident.public_id),) if is_awaited else ()


def _actions(header: IncidentHeader) -> tuple[Waiting, ...]:
    progress = header.coordination.actions
    found = []
    for each in header.actions:
        name = action_id(each)
        state = progress[name].state if name in progress else ActionState.OPEN
        is_ours = any(party.is_reader for party in header.asked(str(each["owner"])))
        if is_ours and state in {ActionState.OPEN, ActionState.TAKEN}:
            found.append(Waiting(kind=Waits.ACTION, id=name))
    return tuple(found)
