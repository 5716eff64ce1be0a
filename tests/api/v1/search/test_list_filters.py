"""Lists that REST narrows by cause, host, session and party."""

from apps.fleet.models import ParticipationRole
from apps.incidents.correlation.incident_rows.incident_parties import set_parties
from apps.incidents.models import Incident
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.leaving import leave
from tests.cast import make
from tests.cast.clients import Asking, token
from tests.cast.incidents import Cast, attempt_of
from tests.cast.warnings import warn


def ids(asking: Asking, what: str, **query: str) -> list[str]:
    """Return the ids of a list."""
    answer = asking.get(f"{what}/", **query)
    assert answer.status_code == 200
    return [each["id"] for each in answer.json()["results"]]


def test_incidents_are_narrowed_by_what_one_reads_of_them(cast: Cast, incident: Incident) -> None:
    with organization_scope(*cast.ids):
        name = incident.attempt.session.name  # type: ignore[union-attr]  # a stop has one
    found, asking = [incident.public_id], token(cast.operator)

    assert ids(asking, "incidents", cause="gpu-off-bus", host="gpu001", session=name) == found
    assert ids(asking, "incidents", party=cast.tenant.slug, cluster=cast.cluster.slug) == found
    assert ids(asking, "incidents", host="gpu002") == []
    assert ids(token(cast.vendor), "incidents", session=name) == []
    assert ids(token(cast.tenant), "incidents", party=cast.other_tenant.slug) == []
    assert ids(token(cast.stranger), "incidents", cause="gpu-off-bus") == []


def test_sessions_are_narrowed_for_who_may_know_them(cast: Cast, incident: Incident) -> None:
    other = attempt_of(cast, cast.tenant, state="running", hosts=["gpu071"])
    with organization_scope(*cast.ids):
        hit = incident.attempt.session.public_id  # type: ignore[union-attr]  # a stop has one
        running = other.session.public_id

    for who in (cast.tenant, cast.operator):
        assert ids(token(who), "sessions", state="running", host="gpu071") == [running]
        assert ids(token(who), "sessions", cause="gpu-off-bus") == [hit]
        assert ids(token(who), "sessions", tenant=cast.other_tenant.slug) == []
    assert ids(token(cast.vendor), "sessions", host="gpu071") == []


def test_warnings_are_narrowed_for_who_owns_them(cast: Cast) -> None:
    warn(cast, contributions=[])

    assert ids(token(cast.operator), "warnings", host="GPU001", state="on") == ["EP-1"]
    assert ids(token(cast.operator), "warnings", cause="link-down") == []
    assert ids(token(cast.tenant), "warnings", host="gpu001") == []


def test_a_word_that_is_none_is_refused_with_the_one_that_was_meant(cast: Cast) -> None:
    for what, query in (
        ("incidents", {"cause": "gpu-of-bus"}),
        ("sessions", {"state": "rynning"}),
        ("warnings", {"state": "ovr"}),
    ):
        answer = token(cast.operator).get(f"{what}/", **query)
        assert answer.status_code == 400
        assert "did you mean" in answer.json()["errors"][0]["detail"]


def test_who_left_learns_of_no_party_that_came_later(cast: Cast, incident: Incident) -> None:
    reader = token(cast.vendor)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    make.participation(
        organization=cast.stranger, cluster=cast.cluster, part=ParticipationRole.OPERATOR
    )
    with organization_scope(*cast.ids, cast.stranger.pk):
        set_parties(incident=incident, tenant_ids=[cast.tenant.pk])
        incident.save()
    found = [incident.public_id]

    assert ids(token(cast.tenant), "incidents", party=cast.stranger.slug) == found
    assert ids(reader, "incidents") == found
    assert ids(reader, "incidents", party=cast.tenant.slug) == found
    assert ids(reader, "incidents", party=cast.stranger.slug) == []
