"""A session that stops again and again of one cause is told of once, and then with a number."""

from datetime import timedelta

from apps.incidents.models import Incident
from apps.notifications.models import Notification
from apps.notifications.occasions.incident_changes import look
from apps.notifications.occasions.repeated_stops import TOLD_AGAIN_AFTER
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.correlation.stopped_attempts import NFS, attempts
from tests.apps.notifications.revised_incidents import NOW, UNKNOWN, revise
from tests.cast.incidents import Cast, stop_of


def opened(who: Organization, after: timedelta = timedelta()) -> list[tuple[int, int | None]]:
    """Look, and return incident and number of stops of what was said to be new."""
    found = look(organization_id=who.pk, now=NOW + after)
    return [
        (each.incident_id or 0, each.body.get("stops"))
        for each in found
        if each.kind == "incident.opened"
    ]


def test_what_stops_again_is_told_once_an_hour_with_how_often(cast: Cast) -> None:
    first, *others = attempts(cast, cast.tenant, 5)
    told = stop_of(cast, first)
    for who in (cast.tenant, cast.operator, cast.vendor):
        assert opened(who) == [(told.pk, None)]
    again = []
    for each in others:
        again.append(stop_of(cast, each))
        assert opened(cast.vendor, timedelta(minutes=len(again))) == []

    an_hour = TOLD_AGAIN_AFTER + timedelta(minutes=1)
    assert opened(cast.vendor, an_hour - timedelta(seconds=1)) == []
    assert opened(cast.vendor, an_hour) == [(again[-1].pk, 4)]
    assert opened(cast.vendor, an_hour * 2) == []


def test_a_thousand_at_once_are_one_message(cast: Cast) -> None:
    stops = [stop_of(cast, each) for each in attempts(cast, cast.tenant, 8)]

    assert opened(cast.operator) == [(stops[-1].pk, 8)]
    assert opened(cast.operator, timedelta(minutes=6)) == []
    with organization_scope(cast.operator.pk):
        assert Notification.objects.filter(kind="incident.opened").count() == 1


def test_another_cause_is_told_at_once(cast: Cast) -> None:
    first, second, third = attempts(cast, cast.tenant, 3)
    stop_of(cast, first)
    opened(cast.operator)
    other = stop_of(cast, second, **NFS)
    assert opened(cast.operator) == [(other.pk, None)]
    back = stop_of(cast, third)
    assert opened(cast.operator) == [(back.pk, None)]


def test_what_is_not_known_yet_waits_until_it_is(cast: Cast) -> None:
    first, second, third = attempts(cast, cast.tenant, 3)
    stop_of(cast, first)
    opened(cast.operator)
    same, other = (stop_of(cast, each, **UNKNOWN) for each in (second, third))
    assert opened(cast.operator) == []

    revise(cast, same)
    assert opened(cast.operator) == []
    revise(cast, other, **NFS)
    assert opened(cast.operator) == [(other.pk, None)]


def test_an_open_question_that_stays_open_is_told_when_it_has_settled(cast: Cast) -> None:
    first, second = attempts(cast, cast.tenant, 2)
    stop_of(cast, first)
    opened(cast.operator)
    asked = stop_of(cast, second, **UNKNOWN)
    assert opened(cast.operator) == []
    late = timedelta(minutes=6)
    revise(cast, asked, at=NOW + late, **UNKNOWN)
    assert opened(cast.operator, late) == [(asked.pk, None)]


def test_another_session_is_told_at_once(cast: Cast) -> None:
    stop_of(cast, attempts(cast, cast.tenant, 1)[0])
    opened(cast.operator)
    other: Incident = stop_of(cast, attempts(cast, cast.tenant, 1)[0])
    assert opened(cast.operator) == [(other.pk, None)]
