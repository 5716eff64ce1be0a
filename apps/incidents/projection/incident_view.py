"""Everything of an incident that one organization may read, put together."""

from collections.abc import Iterable
from functools import partial
from typing import TypedDict

from apps.incidents.models import Incident
from apps.incidents.projection.access import present_parties
from apps.incidents.projection.annotations import read_annotations
from apps.incidents.projection.header_values import HitAttempt, IncidentHeader
from apps.incidents.projection.headers import read_header
from apps.incidents.projection.hypotheses import read_hypotheses
from apps.incidents.projection.own_moments import own_moments
from apps.incidents.projection.shared.recorded_access import recorded_access
from apps.incidents.projection.shared.shared_access import SharedAccess, shown_by, shown_now_by
from apps.incidents.projection.shared.shared_moments import in_order, shared_moments
from apps.incidents.projection.shared.shared_sessions import shared_sessions
from apps.incidents.projection.values import (
    AnnotationVersion,
    FailingDiagnosis,
    HypothesisView,
    IncidentView,
    LookFirst,
    TimelineMoment,
)
from apps.incidents.story_reading.made_once import MadeOnce
from apps.incidents.story_reading.stored_moments import StoredMoment
from apps.incidents.timeline import current_entries, told_alike
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor
from apps.tenancy.models import FailedWork

DIAGNOSIS = "diagnosis"  # of failed work, by the attempt's id
Story = tuple[TimelineMoment, ...]
OWN_STORIES = MadeOnce[tuple[StoredMoment, ...], Story](24_000, len)
IN_ORDER = MadeOnce[Story, Story](24_000, len)


def read_incident(
    *,
    actor: Actor,
    incident: Incident,
    channel: LedgerChannel | None = LedgerChannel.PAGE,
    look_first: LookFirst | None = None,
) -> IncidentView:
    """Return everything that the actor's organization may read. Needs its scope.

    Without a channel nothing that others show. `look_first` may end it. Raises LedgerUnavailable.
    """
    header = read_header(actor=actor, incident=incident)
    if look_first is not None:
        look_first(header=header, shown=shown_now_by(actor=actor, incident=incident))
    with recorded_access(actor=actor, incident=incident, channel=channel) as access:
        return _view(actor=actor, incident=incident, access=access, header=header)


def read_story(
    *, actor: Actor, incident: Incident, channel: LedgerChannel | None = LedgerChannel.PAGE
) -> IncidentView:
    """Return what a timeline shows of it: nothing of who takes part now, of a diagnosis that fails
    or of others' sessions is read. Needs its scope. Raises LedgerUnavailable.
    """
    header = read_header(actor=actor, incident=incident)
    with recorded_access(actor=actor, incident=incident, channel=channel) as access:
        return IncidentView(
            header=header,
            present=frozenset(),
            is_shared_with=access is not None,
            **_told(actor=actor, incident=incident, access=access, header=header),
        )


class _StoryTold(TypedDict):
    """What any look at an incident tells of it."""

    hypotheses: tuple[HypothesisView, ...]
    timeline: Story
    annotations: tuple[AnnotationVersion, ...]


def _told(
    *, actor: Actor, incident: Incident, access: SharedAccess | None, header: IncidentHeader
) -> _StoryTold:
    return {
        "hypotheses": read_hypotheses(actor=actor, incident=incident, access=access, header=header),
        "timeline": read_timeline(incident=incident, access=access),
        "annotations": read_annotations(incident=incident),
    }


def _view(
    *, actor: Actor, incident: Incident, access: SharedAccess | None, header: IncidentHeader
) -> IncidentView:
    return IncidentView(
        header=header,
        **_told(actor=actor, incident=incident, access=access, header=header),
        present=frozenset(
            present_parties(incident=incident, organization_id=actor.organization.pk)
        ),
        failing=failing_of(actor=actor, attempts=header.attempts),
        is_shared_with=access is not None,
        shown_by=shown_by(access),
        sessions=shared_sessions(access) if access else (),
    )


def read_timeline(
    *, incident: Incident, access: SharedAccess | None = None
) -> tuple[TimelineMoment, ...]:
    """Return the entries that the scope may see, and what others show of theirs, in order."""
    own = OWN_STORIES.of(current_entries(incident=incident), _own_story)
    if access is None:
        return own
    shared = shared_moments(access)
    # What is kept holds these moments, so that no others have their identities.
    return IN_ORDER.of(own, partial(in_order, shared=shared), tuple(map(id, shared)))


def _own_story(entries: tuple[StoredMoment, ...]) -> Story:
    # Two sessions of one shared fault tell the same moment: it is shown once.
    distinct: dict[object, StoredMoment] = {}
    for entry in entries:
        distinct.setdefault(told_alike(entry), entry)
    return own_moments(distinct.values())


def failing_of(*, actor: Actor, attempts: Iterable[HitAttempt]) -> FailingDiagnosis | None:
    """Return what fails of these attempts, the one that fails longest. Needs the actor's scope."""
    failing = [(each.undiagnosed_at, each.id) for each in attempts if each.undiagnosed_at]
    since, attempt_id = min(failing, default=(None, 0))
    if since is None:
        return None
    own = FailedWork.objects.for_organization(actor.organization)
    row = own.filter(kind=DIAGNOSIS, subject=str(attempt_id)).first()
    return FailingDiagnosis(since=since, try_count=row.attempt_count if row else None)
