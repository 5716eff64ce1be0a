"""What a granted request shows, to whom, in which window and for how long."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from apps.fleet.models import ParticipationRole
from apps.fleet.parties.leave_cluster import leave
from apps.incidents.evidence_requests.acts import RequestMoved
from apps.incidents.evidence_requests.request_terms import BadRequestTerms
from apps.incidents.facade import evidence_requests as requests
from apps.incidents.facade.shared import shared_charts
from apps.incidents.facade.view_as import incident_as
from apps.incidents.models import EvidenceItem, Incident
from apps.incidents.projection.shared.shared_charts import SharedChart
from apps.sharing.terms import Level
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import shared, view
from tests.cast import make
from tests.cast.evidence_requests import asked, context, granted
from tests.cast.incidents import Cast, actor, attempt_of, stop_of
from tests.cast.kept_charts import keep


@pytest.fixture
def incident(cast: Cast) -> Incident:
    made = stop_of(cast, attempt_of(cast, cast.tenant))
    keep(cast, made)
    return made


def charts(incident: Incident, reader: Organization) -> list[SharedChart]:
    with organization_scope(reader.pk):
        return list(
            shared_charts(actor=actor(reader, MemberRole.VIEWER), public_id=incident.public_id)
        )


def test_a_request_alone_shows_nothing(cast: Cast, incident: Incident) -> None:
    asked(incident, cast.tenant, cast.operator)

    assert charts(incident, cast.tenant) == []


def test_granted_the_chart_is_shown_to_the_asker_alone(cast: Cast, incident: Incident) -> None:
    granted(request := asked(incident, cast.tenant, cast.operator), cast.operator)

    found = charts(incident, cast.tenant)

    assert {each.series.layer for each in found} == {"gpu"}
    assert {(each.shared.holder.slug, each.shared.request) for each in found} == {
        (cast.operator.slug, request)
    }
    assert charts(incident, cast.vendor) == []


def test_the_holder_views_as_the_asker_what_it_granted(cast: Cast, incident: Incident) -> None:
    granted(asked(incident, cast.tenant, cast.operator), cast.operator)
    with organization_scope(cast.operator.pk):
        seen = incident_as(
            actor=actor(cast.operator, MemberRole.ADMIN),
            public_id=incident.public_id,
            slug=cast.tenant.slug,
            now=make.AT,
        )

    assert len(seen.charts) == len(charts(incident, cast.tenant)) > 0


def test_another_class_stays_hidden(cast: Cast, incident: Incident) -> None:
    granted(asked(incident, cast.tenant, cast.operator, data="metrics:host"), cast.operator)

    assert charts(incident, cast.tenant) == []


def test_what_an_event_says_is_shown_by_a_request_for_it(cast: Cast, incident: Incident) -> None:
    granted(asked(incident, cast.tenant, cast.operator, data="events:gpu"), cast.operator)

    (piece,) = shared(view(incident, cast.tenant))

    assert piece.statement["values"]["text"] == "OPERATOR-WORDS"


def test_narrowed_a_chart_has_only_the_samples_of_the_window(
    cast: Cast, incident: Incident
) -> None:
    window: dict[str, Any] = {"starts_at": make.AT - timedelta(minutes=5), "ends_at": make.AT}
    request = asked(incident, cast.tenant, cast.operator)
    granted(request, cast.operator, level=Level.REDACTED, **window)

    found = charts(incident, cast.tenant)

    assert {each.shared.level for each in found} == {Level.REDACTED}
    for each in found:
        told = [datetime.fromtimestamp(float(at), tz=UTC) for at in each.series.at]
        assert told
        assert window["starts_at"] <= min(told) <= max(told) <= window["ends_at"]
        assert {len(line) for line in each.series.peers.values()} == {len(told)}


@pytest.mark.parametrize(
    "wider",
    [
        {"level": Level.FULL},
        {"starts_at": make.AT - timedelta(hours=2)},
        {"ends_at": make.AT + timedelta(hours=2)},
        {"starts_at": make.AT + timedelta(minutes=20), "ends_at": make.AT},
        {"days": 0},
    ],
)
def test_no_more_is_granted_than_was_asked_for(
    cast: Cast, incident: Incident, wider: dict[str, Any]
) -> None:
    request = asked(incident, cast.tenant, cast.operator, level=Level.REDACTED)

    with pytest.raises(BadRequestTerms):
        granted(request, cast.operator, **wider)

    assert charts(incident, cast.tenant) == []


def test_a_grant_ends_by_itself_and_not_later_than_was_asked(
    cast: Cast, incident: Incident
) -> None:
    granted(asked(incident, cast.tenant, cast.operator, days=2), cast.operator, days=9)

    with time_machine.travel(make.AT + timedelta(days=1, hours=23)):
        assert charts(incident, cast.tenant) != []
    with time_machine.travel(make.AT + timedelta(days=2)):
        assert charts(incident, cast.tenant) == []


def test_revoked_it_is_hidden_at_once(cast: Cast, incident: Incident) -> None:
    granted(request := asked(incident, cast.tenant, cast.operator), cast.operator)
    told = context(cast.operator, MemberRole.RESPONDER)

    with organization_scope(cast.operator.pk):
        requests.revoke(actor=told.actor, public_id=request, reason="a mistake", context=told)

    assert charts(incident, cast.tenant) == []


def test_an_expired_request_is_not_granted(cast: Cast, incident: Incident) -> None:
    request = asked(incident, cast.tenant, cast.operator, days=1)

    with pytest.raises(RequestMoved):
        granted(request, cast.operator, now=make.AT + timedelta(days=1))


def test_a_grant_is_given_once(cast: Cast, incident: Incident) -> None:
    granted(request := asked(incident, cast.tenant, cast.operator), cast.operator)

    with pytest.raises(RequestMoved):
        granted(request, cast.operator)


def test_who_asks_does_not_grant(cast: Cast, incident: Incident) -> None:
    request = asked(incident, cast.tenant, cast.operator)

    with pytest.raises(NotFound):
        granted(request, cast.tenant)


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_only_an_admin_lets_data_out(cast: Cast, incident: Incident, role: MemberRole) -> None:
    request = asked(incident, cast.tenant, cast.operator)

    with pytest.raises(NotFound):
        granted(request, cast.operator, role=role)


def test_a_viewer_does_not_ask(cast: Cast, incident: Incident) -> None:
    with pytest.raises(NotFound):
        asked(incident, cast.tenant, cast.operator, role=MemberRole.VIEWER)


def test_a_third_party_neither_reads_nor_grants(cast: Cast, incident: Incident) -> None:
    request = asked(incident, cast.tenant, cast.operator)

    for other in (cast.vendor, cast.stranger, cast.other_tenant):
        with pytest.raises(NotFound):
            granted(request, other)


def test_nobody_asks_on_an_incident_that_it_does_not_read(cast: Cast, incident: Incident) -> None:
    with pytest.raises(NotFound):
        asked(incident, cast.other_tenant, cast.operator)


def test_a_party_that_one_does_not_know_there_is_not_asked(cast: Cast, incident: Incident) -> None:
    for other in (cast.stranger, cast.other_tenant, cast.tenant):
        with pytest.raises(NotFound):
            asked(incident, cast.tenant, other)


def test_who_leaves_the_cluster_shows_and_reads_nothing_more(
    cast: Cast, incident: Incident
) -> None:
    granted(asked(incident, cast.tenant, cast.operator), cast.operator)
    waiting = asked(incident, cast.tenant, cast.operator, data="metrics:host")
    told = context(cast.tenant)
    with organization_scope(cast.tenant.pk):
        leave(actor=told.actor, cluster=cast.cluster, part=ParticipationRole.TENANT, context=told)

    assert charts(incident, cast.tenant) == []
    with pytest.raises(NotFound):
        granted(waiting, cast.operator)


@pytest.mark.parametrize(
    "entry",
    [
        {"data": "metrics:*"},
        {"data": "sessions:all"},
        {"data": "\x00"},
        {"level": Level.NONE},
        {"host": "gpu999"},
        {"host": "gpu001\u202e"},
        {"host": "\x1b[31mgpu001"},
        {"reason": " \x00\u200b "},
        {"reason": "x" * 501},
        {"days": 31},
        {"starts_at": make.AT, "ends_at": make.AT - timedelta(minutes=1)},
        {"starts_at": make.AT - timedelta(days=3)},
        {"ends_at": make.AT + timedelta(days=400)},
    ],
)
def test_what_can_not_be_meant_is_refused(
    cast: Cast, incident: Incident, entry: dict[str, Any]
) -> None:
    with pytest.raises(BadRequestTerms):
        asked(incident, cast.tenant, cast.operator, **entry)


def test_a_party_without_limits_asks_no_more_than_fifty_times_at_once(
    cast: Cast, incident: Incident
) -> None:
    for _ in range(50):
        asked(incident, cast.tenant, cast.operator)

    with pytest.raises(BadRequestTerms):
        asked(incident, cast.tenant, cast.operator)


def test_who_asks_and_takes_back_again_and_again_is_heard_a_hundred_times_a_day(
    cast: Cast, incident: Incident
) -> None:
    told = context(cast.tenant, MemberRole.RESPONDER)
    for _ in range(100):
        public_id = asked(incident, cast.tenant, cast.operator)
        with organization_scope(cast.tenant.pk):
            requests.take_back(actor=told.actor, public_id=public_id, context=told)

    with pytest.raises(BadRequestTerms, match="within a day"):
        asked(incident, cast.tenant, cast.operator)
    asked(incident, cast.tenant, cast.operator, now=make.AT + timedelta(days=1))


def test_who_knows_all_hosts_names_none_with_signs_that_nobody_sees(
    cast: Cast, incident: Incident
) -> None:
    with pytest.raises(BadRequestTerms, match="nobody sees"):
        asked(incident, cast.operator, cast.tenant, host="gpu001\u202e")


def test_what_has_no_time_is_shown_with_all_of_its_incident_alone(
    cast: Cast, incident: Incident
) -> None:
    """It may be of any time: a narrower window does not show it."""
    with organization_scope(*cast.ids):
        EvidenceItem.objects.for_organization(cast.operator).update(at=None)
    narrow: dict[str, Any] = {
        "starts_at": make.AT + timedelta(minutes=1),
        "ends_at": make.AT + timedelta(minutes=9),
    }
    request = asked(incident, cast.tenant, cast.operator, data="events:gpu")
    granted(request, cast.operator, **narrow)
    assert shared(view(incident, cast.tenant)) == []

    granted(asked(incident, cast.tenant, cast.operator, data="events:gpu"), cast.operator)

    assert len(shared(view(incident, cast.tenant))) == 1
