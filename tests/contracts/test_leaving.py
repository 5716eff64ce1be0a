"""Who left a cluster: every route before and after new facts, compared byte by byte."""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from apps.fleet.models import Attempt, ParticipationRole, SessionParty
from apps.incidents.correlation.incident_rows.incident_parties import set_parties
from apps.incidents.models import Annotation, Incident
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.leaving import (
    LATER,
    act_on,
    change,
    find_otherwise,
    leave,
    write_to_all,
)
from tests.cast import make
from tests.cast.clients import Asking, member, token
from tests.cast.incidents import Cast, assemble, attempt_of, stop_of
from tests.contracts.route_matrix import FOLDERS, Route, inside

pytestmark = pytest.mark.sweep
# What is new whenever a page is asked for.
PASSING = re.compile(rb'"X-CSRFToken": "[^"]*"|csrfmiddlewaretoken" value="[^"]*"|nonce="[^"]*"')
READ_AT = make.AT + timedelta(hours=1)
SOON_AFTER = make.AT + timedelta(minutes=2)
# Lists are asked by what changed, too: nothing may be found by its new state.
LISTS = ("", "?status=resolved", "?status=open", "?layer=network", "?layer=gpu")
QUERIES = {
    "o/<slug:org>/incidents/": LISTS,
    "api/v1/o/<str:organization>/incidents/": LISTS,
    "api/v1/o/<str:organization>/incidents/export": (*LISTS, "?format=csv"),
    "api/v1/o/<str:organization>/incidents/<str:public_id>/export": ("", "?format=csv"),
}
HOME = "o/<slug:org>/"
LEAVERS = {
    "operator": ParticipationRole.OPERATOR,
    "vendor": ParticipationRole.GPU_VENDOR,
    "tenant": ParticipationRole.TENANT,
}
Scene = tuple[Cast, Attempt, Incident, Annotation]


@pytest.fixture
def scene(db: None) -> Scene:
    """A stop, a second operator, so that one may leave, and its note to all parties."""
    cast = assemble()
    make.participation(
        organization=cast.stranger,
        cluster=cast.cluster,
        part=ParticipationRole.OPERATOR,
        layers=["gpu", "network", "host"],
    )
    attempt = attempt_of(cast, cast.tenant, ended_at=make.AT + timedelta(minutes=1))
    incident = stop_of(cast, attempt)
    with organization_scope(*cast.ids, cast.stranger.pk):
        set_parties(incident=incident, tenant_ids=[cast.tenant.pk])
        incident.save(update_fields=["parties"])
        SessionParty.objects.create(organization=cast.stranger, session=attempt.session)
    note = write_to_all(cast.stranger, incident, "a note of before", SOON_AFTER)
    return cast, attempt, incident, note


def _read(organization: Organization, scene: Scene, clients: Mapping[bool, Client]) -> Any:
    cast, attempt, incident, note = scene
    ids = dict.fromkeys(FOLDERS, "absent") | {
        "clusters": cast.cluster.slug,
        "sessions": attempt.session.public_id,
        "incidents": incident.public_id,
        "annotations": note.public_id,
        "parts": "operator",
    }
    return {
        route.pattern + query: _answer(clients[route.is_page], route, organization, ids, query)
        for route in inside()
        for query in QUERIES.get(route.pattern, ("",))
        if "audit" not in route.pattern  # the record of what it asked for grows, of course
    }


def _answer(
    client: Client, route: Route, organization: Organization, ids: dict[str, str], query: str
) -> tuple[int, bytes]:
    answer: Any = client.get(route.path(organization.slug, ids) + query)
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, PASSING.sub(b"", body)


@pytest.fixture(autouse=True)
def _clock() -> Iterator[None]:
    """Let the hands stand still: pages say how long ago things were."""
    with time_machine.travel(READ_AT, tick=False):
        yield


# What is counted of one's own sessions, wherever they run.
OWN_RUNS = ("session", "reliability", "retries", "retry-chains")


@pytest.mark.parametrize("who", LEAVERS)
def test_nothing_new_reaches_who_left_on_any_route(who: str, scene: Scene) -> None:
    cast, attempt, incident, note = scene
    leaver: Organization = getattr(cast, who)
    clients = {True: member(leaver, MemberRole.ADMIN).client, False: token(leaver).client}
    leave(leaver, cast, LEAVERS[who])
    before = _read(leaver, scene, clients)

    find_otherwise(cast, attempt, incident, LATER)
    write_to_all(cast.stranger, incident, "NEW-NOTE", LATER)
    change(note, "NEW-VERSION", LATER)
    act_on(cast.stranger, incident, LATER)
    with organization_scope(attempt.organization_id):
        Attempt.objects.filter(pk=attempt.pk).update(state="NEW-STATE", exit_codes={"0": 77})
        Attempt.objects.create(
            organization=attempt.organization, session=attempt.session, number=2, started_at=LATER
        )
    after = _read(leaver, scene, clients)

    # A session is its tenant's own, wherever it takes part.
    own = {
        name
        for name in before
        if who == "tenant" and (name == HOME or any(word in name for word in OWN_RUNS))
    }
    changed = {name for name in before if before[name] != after[name]} - own
    assert changed == set()
    assert not [name for name, (_, body) in after.items() if b"NEW-" in body and name not in own]


@pytest.mark.parametrize("who", LEAVERS)
def test_who_left_does_nothing_and_who_stays_does(who: str, scene: Scene) -> None:
    cast, _, incident, _ = scene
    leaver: Organization = getattr(cast, who)
    own = write_to_all(leaver, incident, "of the leaver", SOON_AFTER)
    askers = {each: token(each) for each in (leaver, cast.stranger)}
    leave(leaver, cast, LEAVERS[who])
    notes = f"incidents/{incident.public_id}/annotations/"

    assert askers[leaver].get(notes).status_code == 200
    for method, path, body in _acts():
        status, words = _send(
            askers[leaver], method, f"incidents/{incident.public_id}/{path}", body
        )
        absent = _send(askers[leaver], method, f"incidents/INC-ABSENT/{path}", body)
        assert (status, words) == absent, (method, path)
        assert status == 404
        status, _ = _send(
            askers[cast.stranger], method, f"incidents/{incident.public_id}/{path}", body
        )
        assert status < 300, (method, path)
    for method, body in (("PATCH", {"text": "again"}), ("DELETE", None)):
        status, _ = _send(askers[leaver], method, f"{notes}{own.public_id}/", body)
        assert status == 404


@pytest.mark.parametrize("who", LEAVERS)
def test_the_pages_offer_who_left_nothing_and_take_nothing(who: str, scene: Scene) -> None:
    cast, _, incident, _ = scene
    leaver: Organization = getattr(cast, who)
    person = member(leaver, MemberRole.ADMIN).client
    own = write_to_all(leaver, incident, "of the leaver", SOON_AFTER)
    page = f"/o/{leaver.slug}/incidents/{incident.public_id}/"
    forms = (
        "acknowledge/",
        "resolve/",
        "reopen/",
        "feedback/",
        "annotations/",
        f"annotations/{own.public_id}/",
    )
    assert f'action="{page}'.encode() in person.get(page).content
    leave(leaver, cast, LEAVERS[who])

    shown = person.get(page)
    assert shown.status_code == 200
    assert f'action="{page}'.encode() not in shown.content
    for form in forms:
        values = {"text": "late", "judgement": "right", "revision": "1", "reason": "fixed"}
        assert person.post(page + form, values).status_code == 404, form


def _acts() -> list[tuple[str, str, Any]]:
    return [
        ("POST", "acknowledge/", None),
        ("POST", "annotations/", {"text": "late", "all_parties": True}),
        ("PUT", "feedback/", {"judgement": "right"}),
        ("DELETE", "feedback/", None),
        ("POST", "resolve/", {"reason": "fixed"}),
        ("POST", "reopen/", {"reason": "came-back"}),
    ]


def _send(asking: Asking, method: str, path: str, body: Any) -> tuple[int, bytes]:
    answer = asking.send(method, path, body)
    return answer.status_code, re.sub(rb"INC-\w+", b"*", answer.content)


def test_who_stays_reads_all_of_it(scene: Scene) -> None:
    # Else the test above would pass on facts that nobody reads.
    cast, attempt, incident, note = scene
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    clients = {True: member(cast.operator).client, False: token(cast.operator).client}
    before = _read(cast.operator, scene, clients)
    find_otherwise(cast, attempt, incident, LATER)
    write_to_all(cast.stranger, incident, "NEW-NOTE", LATER)
    change(note, "NEW-VERSION", LATER)
    act_on(cast.stranger, incident, LATER)
    after = _read(cast.operator, scene, clients)

    changed = {name for name in before if before[name] != after[name]}
    wanted = {
        *("incidents/", "incidents/<str:public_id>/", "incidents/<str:public_id>/hypotheses/"),
        *("incidents/<str:public_id>/timeline/", "incidents/<str:public_id>/annotations/"),
        *("incidents/<str:public_id>/annotations/<str:note>/", "incidents/<str:public_id>/export"),
        *("incidents/<str:public_id>/feedback/", "incidents/export"),
    }
    assert {f"api/v1/o/<str:organization>/{each}" for each in wanted} <= changed
    assert {"o/<slug:org>/", "o/<slug:org>/incidents/<str:public_id>/"} <= changed
    assert any(b"NEW-NOTE" in body for _, body in after.values())
