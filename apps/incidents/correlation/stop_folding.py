"""Stops that lists say in one line: a session's that end of one cause in a row, and a flood's.

Each stop keeps its own incident and verdict; it knows which one followed it. The last of such a
line stands for all. Whether it had the same culprits parts the lines of those alone who see them:
else a reader's lines would tell of what is hidden. More lines of one tenant in an hour than anybody
reads are one line, too.
"""

from datetime import timedelta

from django.db.models import Q, QuerySet

from apps.fleet.models import Attempt
from apps.incidents.models import Incident
from apps.incidents.projection.stop_lines import STANDING
from apps.incidents.states import IncidentKind

LINES_AN_HOUR = 60  # of one tenant in a cluster: the others are its further stops


def place_in_line(*, incident: Incident, attempt: Attempt, is_new: bool) -> None:
    """Write which stop follows which, after the verdict of one of them. Needs all its scopes."""
    if incident.kind != IncidentKind.STOP or incident.is_further:
        return
    before, after = _neighbours(incident, attempt)
    is_again = before is not None and _is_same(before, incident) and _has_same(before, incident)
    if is_new and not is_again and _is_one_too_many(incident):
        _add_to_further(incident)
        return
    if before is not None:
        _follow(before, incident if _is_same(before, incident) else None)
    _follow(incident, after if after is not None and _is_same(incident, after) else None)


def _neighbours(incident: Incident, attempt: Attempt) -> tuple[Incident | None, Incident | None]:
    """Return the stops of the attempts before and after this one."""
    same = Incident.objects.filter(
        organization=incident.organization_id,
        kind=IncidentKind.STOP,
        attempt__session=attempt.session_id,
        status__in=STANDING,
        is_further=False,
    )
    before = same.filter(attempt__number__lt=attempt.number).order_by("-attempt__number").first()
    after = same.filter(attempt__number__gt=attempt.number).order_by("attempt__number").first()
    return before, after


def _is_same(one: Incident, other: Incident) -> bool:
    """Say whether two stops are said in one line to who does not see the culprits."""
    return (one.layer, one.cause) == (other.layer, other.cause)


def _has_same(one: Incident, other: Incident) -> bool:
    """Say whether who sees the culprits has nothing else to look at."""
    return bool(one.culprits == other.culprits)


def _follow(one: Incident, other: Incident | None) -> None:
    followed_by = other.pk if other else None
    has_same = other is None or other.is_further or _has_same(one, other)
    if (one.followed_by_id, one.has_followers_culprits) != (followed_by, has_same):
        one.followed_by_id, one.has_followers_culprits = followed_by, has_same
        one.save(update_fields=["followed_by", "has_followers_culprits"])


def _of_hour(incident: Incident) -> QuerySet[Incident]:
    hour = incident.detected_at.replace(minute=0, second=0, microsecond=0)
    return Incident.objects.filter(
        organization=incident.organization_id,
        kind=IncidentKind.STOP,
        cluster=incident.cluster_id,
        detected_at__gte=hour,
        detected_at__lt=hour + timedelta(hours=1),
    ).exclude(pk=incident.pk)


def _is_one_too_many(incident: Incident) -> bool:
    if incident.cluster_id is None:
        return False  # nobody else reads it
    is_last = Q(followed_by=None) | Q(has_followers_culprits=False)
    lines = _of_hour(incident).filter(is_last, is_further=False)
    return lines.count() >= LINES_AN_HOUR


def _add_to_further(incident: Incident) -> None:
    last = _of_hour(incident).filter(is_further=True, followed_by=None).order_by("-id").first()
    incident.is_further = True
    incident.save(update_fields=["is_further"])
    if last is not None:
        _follow(last, incident)
