"""What the search finds, and for whom."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.incidents.models import Incident, IncidentParty
from apps.search.search import search
from apps.search.values import Hit, HitKind, SearchResult
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import Cast, actor, attempt_of, stop_of
from tests.cast.warnings import warn


def found(who: Organization, typed: str) -> SearchResult:
    """Search as a member of an organization."""
    asking = actor(who)
    with organization_scope(who.pk):
        return search(actor=asking, typed=typed)


def hits(who: Organization, typed: str, kind: HitKind) -> list[Hit]:
    """Return what is found of a kind."""
    groups = {group.kind: group.hits for group in found(who, typed).groups}
    return list(groups.get(kind, ()))


def ids(who: Organization, typed: str, kind: HitKind = HitKind.INCIDENT) -> list[str]:
    """Return the ids of what is found of a kind."""
    return [hit.id for hit in hits(who, typed, kind)]


def test_an_incident_is_found_by_its_id_and_by_no_stranger(cast: Cast, incident: Incident) -> None:
    for typed in (incident.public_id, incident.public_id.lower(), f"incident:{incident.public_id}"):
        assert ids(cast.tenant, typed) == [incident.public_id]
        assert found(cast.stranger, typed).groups == ()


@pytest.mark.parametrize(
    "typed", ["gpu-off-bus", "cause:gpu-off-bus", "fell off the bus", "gpu001", "host:gpu0"]
)
def test_it_is_found_by_cause_words_and_whom_it_blames(
    cast: Cast, incident: Incident, typed: str
) -> None:
    assert ids(cast.operator, typed) == [incident.public_id]
    assert ids(cast.stranger, typed) == []


def test_who_does_not_see_whom_it_blames_does_not_find_it_by_that(
    cast: Cast, incident: Incident
) -> None:
    assert ids(cast.vendor, "gpu001") == [incident.public_id]
    with organization_scope(cast.vendor.pk):
        mine = IncidentParty.objects.for_organization(cast.vendor).filter(incident=incident)
        mine.update(sees_culprit=False)

    assert ids(cast.vendor, "gpu001") == []
    assert ids(cast.vendor, "host:gpu001") == []
    assert ids(cast.vendor, "gpu-off-bus") == [incident.public_id]


def test_a_session_is_found_by_who_may_know_of_it(cast: Cast, incident: Incident) -> None:
    with organization_scope(*cast.ids):
        session = incident.attempt.session  # type: ignore[union-attr]  # a stop has one

    for who in (cast.tenant, cast.operator):
        assert ids(who, session.name, HitKind.SESSION) == [session.public_id]
        assert ids(who, f"session:{session.name}") == [incident.public_id]
    for who in (cast.vendor, cast.other_tenant, cast.stranger):
        assert found(who, session.name).groups == ()


def test_a_node_is_known_by_the_sessions_that_ran_there(cast: Cast) -> None:
    attempt_of(cast, cast.tenant, hosts=["gpu071", "gpu072"])

    assert ids(cast.tenant, "host:gpu07", HitKind.NODE) == ["gpu071", "gpu072"]
    assert ids(cast.operator, "GPU071", HitKind.NODE) == ["gpu071"]
    for who in (cast.other_tenant, cast.vendor, cast.stranger):
        assert ids(who, "gpu071", HitKind.NODE) == []


def test_warnings_are_found_by_who_owns_them(cast: Cast) -> None:
    warn(cast)

    for typed in ("EP-1", "gpu001", "host:gpu001", "cause:gpu-throttling", "warning:gpu001"):
        assert ids(cast.operator, typed, HitKind.WARNING) == ["EP-1"]
        assert ids(cast.tenant, typed, HitKind.WARNING) == []


def test_what_matches_nothing_and_what_is_hidden_answer_alike(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(*cast.ids):
        name = incident.attempt.session.name  # type: ignore[union-attr]  # a stop has one
    hidden, absent = found(cast.vendor, name), found(cast.vendor, "run-that-never-was")

    assert (hidden.groups, hidden.lines) == (absent.groups, absent.lines)


def test_the_same_questions_are_asked_of_the_database_whatever_is_hidden(
    cast: Cast, incident: Incident
) -> None:
    with organization_scope(*cast.ids):
        name = incident.attempt.session.name  # type: ignore[union-attr]  # a stop has one
    counts = []
    for typed in (name, "run-that-never-was"):
        asking = actor(cast.vendor)
        with (
            organization_scope(cast.vendor.pk),
            CaptureQueriesContext(
                connection,
            ) as asked,
        ):
            search(actor=asking, typed=typed)
        counts.append(len(asked))

    assert counts[0] == counts[1]


def test_more_than_are_shown_says_so(cast: Cast) -> None:
    for _ in range(3):
        stop_of(cast, attempt_of(cast, cast.tenant))
    asking = actor(cast.tenant)
    with organization_scope(cast.tenant.pk):
        result = search(actor=asking, typed="cause:gpu-off-bus", limit=2)
    (group,) = (each for each in result.groups if each.kind is HitKind.INCIDENT)

    assert (len(group.hits), group.has_more) == (2, True)
