"""What had another name before answers under it as well, and the description leaves that out."""

import pytest

from apps.api.openapi import document
from apps.telemetry.models import EarlyWarning
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import Asking, member
from tests.cast.incidents import Cast

NAMES = {"episodes/": "warnings/", "notices/wishes/": "notifications/preferences/"}


@pytest.fixture
def admin(cast: Cast) -> Asking:
    """An admin of the operator, who has a warning."""
    with organization_scope(cast.operator.pk):
        EarlyWarning.objects.create(
            organization=cast.operator,
            public_id="EP-1",
            cluster=cast.cluster,
            entity={"kind": "node", "host": "gpu001"},
            entity_key="node:gpu001/",
            host="gpu001",
            layer="host",
            score=0.9,
            is_page=True,
            starts_at=make.AT,
            raised_at=make.AT,
            told_at=make.AT,
        )
    return member(cast.operator, MemberRole.ADMIN)


@pytest.mark.parametrize("former", NAMES)
def test_a_former_name_answers_the_same_and_is_described_no_more(
    admin: Asking, former: str
) -> None:
    asked = admin.get(NAMES[former])
    assert (asked.status_code, admin.get(former).json()) == (200, asked.json())
    described = {path.partition("{organization}/")[2] for path in document()["paths"]}
    assert NAMES[former] in described
    assert not any(path.startswith(former) for path in described)


@pytest.mark.parametrize("former", NAMES)
def test_a_former_name_without_its_slash_is_led_on_like_any_other(
    admin: Asking, former: str
) -> None:
    at = f"/api/v1/o/{admin.organization.slug}/"
    for name in (former, NAMES[former]):
        answer = admin.client.get(at + name.removesuffix("/"))
        assert (answer.status_code, answer["Location"]) == (301, at + name)
    assert admin.client.get(at + former.removesuffix("/"), follow=True).status_code == 200


def test_one_warning_is_found_under_both_names(admin: Asking) -> None:
    (listed,) = admin.get("warnings/").json()["results"]
    for name in ("warnings/EP-1/", "episodes/EP-1/"):
        assert admin.get(name).json() == listed


def test_what_is_put_under_the_former_name_is_kept(admin: Asking) -> None:
    wanted = {"kinds": ["incident.opened"], "zone": "Asia/Seoul"}
    assert admin.send("PUT", "notices/wishes/", wanted).status_code == 200
    assert admin.get("notifications/preferences/").json()["zone"] == "Asia/Seoul"
