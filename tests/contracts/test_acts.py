"""Every act of people and tokens stands in the record; so does what was refused to them."""

from copy import deepcopy
from typing import Any

import pytest

from apps.fleet.models import ParticipationRole
from apps.tenancy.models import AuditEntry, MemberRole, Organization, TokenScope, User
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.leaving import leave
from tests.cast.clients import Asking, member, token
from tests.cast.standing import standing
from tests.contracts import acts
from tests.contracts.acts import Act, writing_routes
from tests.contracts.agreement_requests import AGREEMENT_ACTS, AGREEMENT_FORMS
from tests.contracts.bundle_requests import BUNDLE_ACTS, BUNDLE_FORMS
from tests.contracts.change_acts import CHANGE_FORMS
from tests.contracts.evidence_request_acts import REQUEST_ACTS, REQUEST_FORMS
from tests.contracts.report_acts import REPORT_ACTS, REPORT_FORMS
from tests.contracts.route_matrix import inside
from tests.contracts.single_sign_on_acts import SINGLE_SIGN_ON_FORMS
from tests.contracts.world import World, build

ACTS = (*acts.ACTS, *AGREEMENT_ACTS, *BUNDLE_ACTS, *REPORT_ACTS, *REQUEST_ACTS)
FORMS = (
    *acts.FORMS,
    *AGREEMENT_FORMS,
    *BUNDLE_FORMS,
    *CHANGE_FORMS,
    *REPORT_FORMS,
    *REQUEST_FORMS,
    *SINGLE_SIGN_ON_FORMS,
)
FOR_MACHINES = tuple(act for act in ACTS if not act.by_person_alone)


built = standing(build)


@pytest.fixture
def world(built: World, db: None, settings: Any) -> World:
    """One of each."""
    settings.PORTAL_SMTP = "smtp://127.0.0.1:2525"
    return deepcopy(built)


def entries(organization: Organization, actor: str) -> list[tuple[str, str]]:
    """Return (action, subject) of what somebody did, as the organization's record has it."""
    with organization_scope(organization.pk):
        rows = AuditEntry.objects.for_organization(organization).filter(actor=actor)
        return list(rows.order_by("sequence").values_list("action", "subject"))


def _label(asking: Asking) -> str:
    header = asking.client.defaults.get("HTTP_AUTHORIZATION", "")
    if header:
        return f"token:{header.removeprefix('Bearer ')[:12]}"
    return User.objects.get(pk=asking.client.session["_auth_user_id"]).label


def _done(act: Act, world: World, asking: Asking) -> None:
    for each in act.before:
        before = member(each.organization(world), MemberRole.ADMIN)
        assert each.send(before.client, world).status_code < 400, each.name
    if act.prepare:
        act.prepare(world)
    label = _label(asking)
    # Else there is no address to ask about.
    User.objects.filter(email="").update(email="somebody@party.example")
    known = len(entries(asking.organization, label))
    answer = act.send(asking.client, world)
    assert answer.status_code < 400, answer.content[:2000]
    assert len(entries(asking.organization, label)) > known, act.name


# What a person has seen is nobody's business: it changes nothing that anybody else reads.
# How a person looks at lists neither: a view that it shares is an address, and shows nobody more.
VIEWS = "api/v1/o/<str:organization>/saved-views/"
UNRECORDED = {
    ("post", "api/v1/o/<str:organization>/incidents/<str:public_id>/annotations/read/"),
    ("post", VIEWS),
    ("patch", f"{VIEWS}<str:public_id>/"),
    ("delete", f"{VIEWS}<str:public_id>/"),
}
UNRECORDED_FORMS = {"o/<slug:org>/saved-views/", "o/<slug:org>/saved-views/<str:public_id>/"}


def test_every_route_that_changes_something_has_its_act() -> None:
    assert {(act.method, act.pattern) for act in ACTS} | UNRECORDED == writing_routes()


@pytest.mark.django_db
def test_every_page_that_takes_a_form_has_its_act(world: World) -> None:
    known = {act.pattern for act in FORMS} | UNRECORDED_FORMS
    person = member(world.cast.operator, MemberRole.ADMIN)
    for route in inside():
        if not route.is_page or route.pattern in known:
            continue
        path = route.path(world.cast.operator.slug, world.ids)
        assert person.client.post(path).status_code == 405, route.pattern


@pytest.mark.parametrize("act", [*ACTS, *FORMS], ids=lambda act: act.name)
def test_what_a_person_does_stands_in_the_record(act: Act, world: World) -> None:
    _done(act, world, member(act.organization(world), MemberRole.ADMIN))


@pytest.mark.parametrize("act", FOR_MACHINES, ids=lambda act: act.name)
def test_what_a_token_does_stands_in_the_record(act: Act, world: World) -> None:
    _done(act, world, token(act.organization(world)))


@pytest.mark.parametrize("act", [*ACTS, *FORMS], ids=lambda act: act.name)
def test_what_is_refused_to_a_person_stands_in_the_record(act: Act, world: World) -> None:
    _refused(act, world, member(world.cast.stranger, MemberRole.ADMIN))


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name)
def test_what_is_refused_to_a_token_stands_in_the_record(act: Act, world: World) -> None:
    _refused(act, world, token(world.cast.stranger))
    reading = token(act.organization(world), TokenScope.READ)
    _refused(act, world, reading)


def _refused(act: Act, world: World, asking: Asking) -> None:
    answer = act.send(asking.client, world)
    assert answer.status_code == 404
    path = act.path(world)
    assert entries(asking.organization, _label(asking)) == [("access.refused", path[:120])]


SHARED = [act for act in (*ACTS, *FORMS) if "/incidents/<" in act.pattern]


@pytest.mark.parametrize("act", SHARED, ids=lambda act: act.name)
def test_the_owner_of_an_incident_reads_what_another_party_did_and_was_refused(
    act: Act, world: World
) -> None:
    cast = world.cast
    slug = f"organization:{cast.vendor.slug}"
    person = member(cast.vendor, MemberRole.ADMIN)
    path = act.path(world).replace(f"/{act.organization(world).slug}/", f"/{cast.vendor.slug}/")
    if act.prepare:
        act.prepare(world)
    answer = act.send(person.client, world, path=path)

    told = entries(cast.tenant, slug)
    known = entries(cast.vendor, _label(person))
    # A note of the vendor's own is nobody else's, nor that it was written; one that the vendor
    # does not read, and an opinion that it never gave, are absent. What one party asks another is
    # between these two.
    is_private = "/annotations/" in act.pattern or "evidence-requests/" in act.pattern
    is_absent = act.method == "delete" and act.pattern.endswith("/feedback/")
    assert known
    assert told == ([] if is_private or is_absent else [known[0]])
    assert (answer.status_code == 404) is (known[0][0] == "access.refused")


@pytest.mark.parametrize(("method", "body"), [("PATCH", {"text": "forged"}), ("DELETE", None)])
def test_the_author_of_a_note_reads_who_wanted_to_change_it(
    method: str, body: dict[str, str] | None, world: World
) -> None:
    cast, incident = world.cast, world.ids["incidents"]
    tenant, vendor = member(cast.tenant), member(cast.vendor)
    path = f"incidents/{incident}/annotations/"
    note = tenant.post(path, {"text": "for all", "all_parties": True}).json()["id"]
    answer = vendor.send(method, f"{path}{note}/", body)

    assert answer.status_code == 404
    refused = ("access.refused", f"/api/v1/o/{cast.vendor.slug}/{path}{note}/")
    assert entries(cast.tenant, f"organization:{cast.vendor.slug}") == [refused]


def test_the_owner_reads_of_a_note_that_it_may_read(world: World) -> None:
    cast, incident = world.cast, world.ids["incidents"]
    path = f"incidents/{incident}/annotations/"
    vendor = member(cast.vendor)
    note = vendor.post(path, {"text": "for you", "audience": [cast.tenant.slug]}).json()["id"]
    vendor.send("DELETE", f"{path}{note}/")

    assert entries(cast.tenant, f"organization:{cast.vendor.slug}") == [
        ("annotation.written", f"{incident} {note}"),
        ("annotation.withdrawn", f"{incident} {note}"),
    ]


def test_what_is_refused_to_who_left_stands_in_both_records(world: World) -> None:
    cast, incident = world.cast, world.ids["incidents"]
    vendor = member(cast.vendor)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    assert vendor.post(f"incidents/{incident}/acknowledge/").status_code == 404

    path = f"/api/v1/o/{cast.vendor.slug}/incidents/{incident}/acknowledge/"
    assert entries(cast.vendor, _label(vendor)) == [("access.refused", path)]
    assert entries(cast.tenant, f"organization:{cast.vendor.slug}") == [("access.refused", path)]
