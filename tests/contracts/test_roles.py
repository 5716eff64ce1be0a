"""What each act takes: a viewer, a responder, a token of all scopes, who runs another cluster."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from apps.tenancy.models import MemberRole
from tests.cast.clients import member, token
from tests.cast.standing import standing
from tests.contracts import acts
from tests.contracts.acts import API, API_NOTIFICATIONS, INCIDENT, NOTIFICATIONS, PAGE, Act
from tests.contracts.agreement_requests import AGREEMENT_ACTS, AGREEMENT_FORMS
from tests.contracts.bundle_requests import BUNDLE_ACTS, BUNDLE_FORMS
from tests.contracts.change_acts import CHANGE_FORMS
from tests.contracts.evidence_request_acts import REQUEST_ACTS, REQUEST_FORMS
from tests.contracts.single_sign_on_acts import SINGLE_SIGN_ON_FORMS
from tests.contracts.world import World, build

ACTS = (*acts.ACTS, *AGREEMENT_ACTS, *BUNDLE_ACTS, *REQUEST_ACTS)
FORMS = (
    *acts.FORMS,
    *AGREEMENT_FORMS,
    *BUNDLE_FORMS,
    *CHANGE_FORMS,
    *REQUEST_FORMS,
    *SINGLE_SIGN_ON_FORMS,
)
Note = Callable[[str, object], None]
ALL = (*ACTS, *FORMS)
# What a person does for itself alone.
OWN = {
    f"put {API_NOTIFICATIONS}preferences/",
    f"post {API_NOTIFICATIONS}replay-failed/",  # its own letters
    f"post {NOTIFICATIONS}",
    f"post {NOTIFICATIONS}again/",
    f"post {PAGE}settings/account/",
    f"post {PAGE}settings/account/password/",
    f"post {PAGE}settings/account/address/",
}
# What a responder does beside that; everything else takes an admin.
RESPONDING = {
    *(f"post {API}{INCIDENT}{act}/" for act in ("acknowledge", "resolve", "reopen")),
    *(f"post {PAGE}{INCIDENT}<str:act>/{act}" for act in ("acknowledge", "resolve", "reopen")),
    *(
        f"{method} {start}{INCIDENT}{path}"
        for method, start in (("post", API), ("post", PAGE))
        for path in ("annotations/", "hand-overs/", "resolutions/")
    ),
    *(
        f"patch {API}{INCIDENT}{path}"
        for path in (
            *("annotations/<str:note>/", "hand-overs/<str:hand_over>/", "actions/<str:action>/"),
            "resolutions/<str:resolution>/",
        )
    ),
    *(
        f"post {PAGE}{INCIDENT}{path}"
        for path in (
            *("annotations/<str:annotation_id>/", "annotations/<str:annotation_id>/withdraw/"),
            *("hand-overs/<str:hand_over>/", "actions/<str:action>/"),
            *("resolutions/<str:resolution>/", "feedback/", "evidence-requests/"),
        )
    ),
    f"delete {API}{INCIDENT}annotations/<str:note>/",
    f"put {API}{INCIDENT}feedback/",
    *(f"post {API}{path}" for path in ("bundles/", "evidence-requests/")),
    f"post {PAGE}sharing/bundles/new/",
    *(
        f"post {start}evidence-requests/<str:public_id>/{path}"
        for start, acts_on in ((API, "{}/"), (f"{PAGE}sharing/", "<str:act>/{}"))
        for path in map(acts_on.format, ("decline", "revoke", "take-back"))
    ),
    f"post {PAGE}upload/",
    f"post {PAGE}sample/",
    *(
        f"post {start}/storage-path/ratings/"
        for start in (f"{API}clusters/<str:public_id>", f"{PAGE}clusters/<slug:cluster>")
    ),
    f"post {PAGE}sessions/<str:public_id>/traces/",
    *(f"post {PAGE}changes/<slug:cluster>/{act}/" for act in ("tell", "withdraw")),
    *(f"post {PAGE}nodes/<slug:cluster>/<str:host>/{act}/" for act in ("exclude", "put-back")),
}

built = standing(build)


@pytest.fixture
def world(built: World, db: None, settings: Any) -> World:
    """One of each."""
    settings.PORTAL_SMTP = "smtp://127.0.0.1:2525"
    return deepcopy(built)


def _tried(act: Act, world: World, client: Client) -> int:
    """Let somebody try an act, and undo what came of it; return the status."""
    kept = deepcopy(client.cookies)
    with transaction.atomic():
        status = int(act.send(client, world).status_code)
        transaction.set_rollback(True)
    client.cookies = kept  # of the session as it is again
    return status


def _not_refused(world: World, role: MemberRole, wanted: Iterable[Act]) -> set[str]:
    """Let members of a role try acts; return those that were not refused."""
    people: dict[str, Client] = {}
    found = set()
    for act in wanted:
        if act.who not in people:
            people[act.who] = member(act.organization(world), role).client
        if _tried(act, world, people[act.who]) != 404:
            found.add(act.name)
    return found


def test_a_viewer_does_nothing_that_others_notice(world: World, record_property: Note) -> None:
    record_property("counted", len(ALL))
    assert _not_refused(world, MemberRole.VIEWER, ALL) == OWN


def test_a_responder_does_nothing_of_an_admin_s(world: World, record_property: Note) -> None:
    record_property("counted", len(ALL))
    assert _not_refused(world, MemberRole.RESPONDER, ALL) == OWN | RESPONDING


def test_a_token_of_all_scopes_does_nothing_that_a_signed_in_person_does_alone(
    world: World, record_property: Note
) -> None:
    tried = [act for act in ACTS if act.by_person_alone]
    record_property("counted", len(tried))
    done = {
        act.name
        for act in tried
        if _tried(act, world, token(act.organization(world)).client) != 404
    }
    assert done == set()
