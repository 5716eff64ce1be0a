"""A creating request that is sent again makes nothing new."""

from datetime import timedelta
from typing import Any

from apps.incidents.models import Incident
from apps.tenancy.access import RIGHTS_OF_ROLE, Actor
from apps.tenancy.idempotency_keys import LEASE, StillRunning, claim
from apps.tenancy.models import MemberRole, User
from tests.cast import make
from tests.cast.clients import Asking, member, token
from tests.cast.incidents import Cast


def _post(asking: Asking, incident: Incident, text: str, key: str) -> Any:
    at = f"incidents/{incident.public_id}/annotations/"
    return asking.post(at, {"text": text}, **{"Idempotency-Key": key})


def _count(asking: Asking, incident: Incident) -> int:
    return len(asking.get(f"incidents/{incident.public_id}/annotations/").json()["results"])


def test_the_second_answer_is_the_first(cast: Cast, incident: Incident) -> None:
    asking = member(cast.operator)
    first = _post(asking, incident, "x", "key-1")
    second = _post(asking, incident, "x", "key-1")

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert second["Idempotent-Replayed"] == "true"
    assert _count(asking, incident) == 1


def test_the_key_of_another_body_is_refused(cast: Cast, incident: Incident) -> None:
    asking = member(cast.operator)
    _post(asking, incident, "x", "key-1")
    other = _post(asking, incident, "y", "key-1")

    assert (other.status_code, other.json()["code"]) == (422, "other_request")
    assert _count(asking, incident) == 1


def test_each_credential_has_keys_of_its_own(cast: Cast, incident: Incident) -> None:
    asking = member(cast.operator)
    _post(asking, incident, "x", "key-1")
    _post(token(cast.operator), incident, "x", "key-1")
    _post(member(cast.vendor), incident, "x", "key-1")

    assert _count(asking, incident) == 2


def test_a_failed_request_gives_its_key_back(cast: Cast, incident: Incident) -> None:
    asking = member(cast.operator)

    assert _post(asking, incident, " ", "key-1").status_code == 400
    assert _post(asking, incident, "x", "key-1").status_code == 201


def test_a_key_that_is_no_key_is_refused(cast: Cast, incident: Incident) -> None:
    for key in ("", "k" * 201, "ключ"):
        answer = _post(member(cast.operator), incident, "x", key)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_idempotency_key")


def test_while_the_first_runs_the_second_waits_its_turn(cast: Cast) -> None:
    user: User = make.user(organization=cast.operator)
    actor = Actor(
        organization=cast.operator, rights=RIGHTS_OF_ROLE[MemberRole.RESPONDER], user=user
    )
    first = claim(actor=actor, key="k", digest=b"d", now=make.AT)

    def again(after: timedelta) -> int | str:
        try:
            return claim(actor=actor, key="k", digest=b"d", now=make.AT + after).row_id
        except StillRunning:
            return "running"

    assert again(timedelta(seconds=1)) == "running"
    assert again(LEASE + timedelta(seconds=1)) == first.row_id
