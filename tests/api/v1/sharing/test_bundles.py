"""Evidence bundles by REST: made with a token, sent by signed-in admins, downloaded once sent."""

import hashlib
import io
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.sharing.bundles.bundle_file import read_bundle
from apps.tenancy.models import MemberRole, TokenScope
from tests.cast import kept_charts
from tests.cast.bundles import made, sent
from tests.cast.clients import Asking, member, token
from tests.cast.incidents import Cast, attempt_of, stop_of


@pytest.fixture
def incident(cast: Cast) -> str:
    found = stop_of(cast, attempt_of(cast, cast.tenant))
    kept_charts.keep(cast, found)
    return found.public_id


@pytest.fixture
def operator(cast: Cast) -> Asking:
    """Ask as an admin of the operator."""
    return member(cast.operator, MemberRole.ADMIN)


def wish(cast: Cast, incident: str, **values: Any) -> dict[str, Any]:
    return {"incident": incident, "recipients": [cast.tenant.slug], **values}


def test_a_bundle_is_made_seen_sent_and_downloaded(
    cast: Cast, incident: str, operator: Asking
) -> None:
    answer = operator.post("bundles/", wish(cast, incident, purpose="the hot GPU"))
    assert answer.status_code == 201, answer.content
    made_one = answer.json()
    assert (made_one["state"], made_one["recipients"]) == ("made", [cast.tenant.slug])
    assert made_one["manifest"]["counts"] == {
        "evidence": 1, "lines": 0, "series": 4, "sessions": 0,
    }  # fmt: skip
    here = f"bundles/{made_one['id']}/"
    preview = operator.get(f"{here}preview/").json()
    assert preview["evidence"][0]["original"] == "OPERATOR-WORDS"
    tenant = member(cast.tenant, MemberRole.VIEWER)
    assert tenant.get(here).status_code == 404

    assert operator.post(f"{here}send/").json()["state"] == "sent"

    assert operator.post(f"{here}send/").json()["code"] == "bundle_moved"
    answer = tenant.get(f"{here}download")
    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert hashlib.sha256(answer.content).hexdigest() == made_one["sha256"]
    assert read_bundle(io.BytesIO(answer.content)).manifest["purpose"] == "the hot GPU"
    (listed,) = tenant.get("bundles/").json()["results"]
    assert listed["id"] == made_one["id"]
    assert listed["steps"][0]["by"] == ""
    assert tenant.get(f"{here}preview/").status_code == 404
    (look,) = operator.get("ledger/").json()["results"]
    assert (look["channel"], look["ground_kind"]) == ("export", "bundle")
    assert (look["ground"], look["digest"]) == (made_one["id"], made_one["sha256"])
    shown = {each["data"]: each["count"] for each in look["shown"]}
    assert shown == {"events:gpu": 1, "metrics:gpu": 3, "metrics:straggler": 1}


def test_a_token_that_writes_makes_one_and_sends_none(cast: Cast, incident: str) -> None:
    writer = token(cast.operator, TokenScope.READ, TokenScope.WRITE)
    reader = token(cast.operator, TokenScope.READ)

    answer = writer.post("bundles/", wish(cast, incident))

    assert answer.status_code == 201
    here = f"bundles/{answer.json()['id']}/"
    assert writer.post(f"{here}send/").status_code == 404
    # What is in it is answered, too.
    assert (
        token(cast.operator, TokenScope.WRITE).post("bundles/", wish(cast, incident)).status_code
        == 404
    )
    assert reader.post("bundles/", wish(cast, incident)).status_code == 404
    assert reader.get(here).json()["state"] == "made"
    assert token(cast.operator, TokenScope.INGEST).get(here).status_code == 404


def test_a_withdrawn_bundle_is_gone(cast: Cast, incident: str, operator: Asking) -> None:
    public_id = sent(cast.operator, cast.tenant)

    answer = operator.post(f"bundles/{public_id}/revoke/", {"reason": "the wrong one"})

    assert answer.json()["state"] == "revoked"
    tenant = member(cast.tenant, MemberRole.VIEWER)
    gone = tenant.get(f"bundles/{public_id}/download")
    assert (gone.status_code, gone.json()["code"]) == (410, "bundle_gone")
    told = tenant.get(f"bundles/{public_id}/").json()["steps"]
    assert [each["reason"] for each in told if each["kind"] == "revoked"] == ["the wrong one"]
    assert operator.post(f"bundles/{public_id}/revoke/", {}).json()["code"] == "bundle_moved"


def test_one_whose_time_is_over_is_gone(cast: Cast, incident: str) -> None:
    long_ago = timezone.now() - timedelta(days=15)  # noqa: TID251  the request reads the clock
    public_id = sent(cast.operator, cast.tenant, now=long_ago)

    assert member(cast.tenant).get(f"bundles/{public_id}/download").status_code == 410


def test_before_it_is_sent_it_can_t_be_downloaded(
    cast: Cast, incident: str, operator: Asking
) -> None:
    public_id = made(cast.operator, cast.tenant)

    answer = operator.get(f"bundles/{public_id}/download")

    assert (answer.status_code, answer.json()["code"]) == (409, "bundle_moved")
    assert member(cast.tenant).get(f"bundles/{public_id}/download").status_code == 404


def test_others_learn_nothing_of_it(cast: Cast, incident: str) -> None:
    public_id = sent(cast.operator, cast.tenant)

    for who in (cast.other_tenant, cast.vendor, cast.stranger):
        other = member(who, MemberRole.ADMIN)
        assert other.get("bundles/").json()["results"] == []
        for path in ("", "preview/", "download"):
            assert other.get(f"bundles/{public_id}/{path}").status_code == 404
        for path in ("send/", "revoke/"):
            assert other.post(f"bundles/{public_id}/{path}").status_code == 404


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"recipients": []}, "choose at least one recipient"),
        ({"days": 91}, "days"),
        ({"days": 0}, "days"),
        ({"level": "signal"}, "level"),
        ({"profile": "nobody"}, "profile"),
        ({"neighbours": 9}, "neighbours"),
        ({"sections": []}, "choose what goes"),
        ({"recipients": ["tenant"] * 51}, "recipients"),
    ],
)
def test_a_choice_that_cannot_be_is_told(
    cast: Cast, incident: str, operator: Asking, values: dict[str, Any], said: str
) -> None:
    answer = operator.post("bundles/", wish(cast, incident, **values))

    assert answer.status_code == 400
    assert said in answer.json()["detail"]


def test_who_is_no_party_of_the_incident_is_not_found(
    cast: Cast, incident: str, operator: Asking
) -> None:
    for slug in (cast.stranger.slug, "nobody"):
        assert operator.post("bundles/", wish(cast, incident, recipients=[slug])).status_code == 404
    stranger = member(cast.stranger, MemberRole.ADMIN)
    assert stranger.post("bundles/", wish(cast, incident)).status_code == 404
