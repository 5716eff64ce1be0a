"""Who may be told, asked of many at once: the same answer as at the door."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from apps.incidents.models import Incident
from apps.tenancy.changes.replay import OrderedChange
from apps.tenancy.models import Membership, Organization, Topic, User
from apps.tenancy.scope import organization_scope
from apps.tenancy.sign_in.signed_in import actors_of_sessions
from apps.web.live.stream_readers import delivery_of
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser

NOW = timezone.now  # noqa: TID251  a session's end is the machine's


def _is_reader(client: Client, key: str, organization: Organization) -> bool:
    """Ask by the bulk question and at the door; both have to agree."""
    found = actors_of_sessions(keys=[key], organization_id=organization.pk, now=NOW())
    at_door = client.get(f"/o/{organization.slug}/live/changes/").status_code == 200
    assert (key in found) == at_door
    return at_door


def _deactivate(user: User, _: Organization) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def _change_password(user: User, _: Organization) -> None:
    user.set_password(f"{make.PASSWORD} anew")
    user.save()


def _end_sessions(user: User, _: Organization) -> None:
    User.objects.filter(pk=user.pk).update(session_epoch=7)


def _leave(user: User, organization: Organization) -> None:
    with organization_scope(organization.pk):
        Membership.objects.for_organization(organization).filter(user=user).delete()


def _require_factor(_: User, organization: Organization) -> None:
    Organization.objects.filter(pk=organization.pk).update(requires_second_factor=True)


@pytest.mark.parametrize(
    "act", [_deactivate, _change_password, _end_sessions, _leave, _require_factor]
)
def test_whoever_is_shut_out_at_the_door_is_told_nothing(
    cast: Cast, browser: Browser, act: Callable[[User, Organization], None]
) -> None:
    client = browser(cast.operator)
    key = str(client.session.session_key)
    assert _is_reader(client, key, cast.operator)
    assert not _is_reader(client, key, cast.vendor)
    act(User.objects.get(pk=client.session["_auth_user_id"]), cast.operator)
    assert not _is_reader(client, key, cast.operator)


def test_who_signed_out_is_told_nothing(cast: Cast, browser: Browser) -> None:
    client = browser(cast.operator)
    key = str(client.session.session_key)
    client.logout()
    assert not _is_reader(client, key, cast.operator)


def test_many_are_asked_by_as_many_queries_as_one(
    cast: Cast, browser: Browser, django_assert_max_num_queries: Callable[..., object]
) -> None:
    keys = [str(browser(cast.operator).session.session_key) for _ in range(6)]
    with django_assert_max_num_queries(10):  # type: ignore[attr-defined]
        found = actors_of_sessions(keys=keys, organization_id=cast.operator.pk, now=NOW())
    assert {*found} == {*keys}


@pytest.mark.parametrize("topic", [Topic.INCIDENT, Topic.ANNOTATION])
def test_what_one_may_not_read_is_no_event(
    cast: Cast, incident: Incident, browser: Browser, topic: Topic
) -> None:
    def told(who: Organization) -> list[tuple[str, str]]:
        change = OrderedChange(
            number=1, organization_id=who.pk, code="c", topic=topic, subject=incident.pk
        )
        key = str(browser(who).session.session_key)
        found = delivery_of(organization_id=who.pk, keys=[key], changes=[change], now=NOW())
        assert found.readers == {key}
        return [(each.topic, each.subject) for each in found.events]

    assert told(cast.operator) == [(topic, incident.public_id)]
    assert told(cast.stranger) == []


def test_a_session_is_named_to_its_tenant_and_who_runs_the_cluster_alone(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    with organization_scope(cast.tenant.pk):
        attempt = Incident.objects.get(pk=incident.pk).attempt
        assert attempt is not None
        session = attempt.session
    heard = {}
    for who in (cast.tenant, cast.operator, cast.vendor, cast.stranger):
        change = OrderedChange(
            number=1, organization_id=who.pk, code="c", topic=Topic.SESSION, subject=session.pk
        )
        key = str(browser(who).session.session_key)
        found = delivery_of(organization_id=who.pk, keys=[key], changes=[change], now=NOW())
        heard[who.pk] = [each.subject for each in found.events]
    assert heard[cast.tenant.pk] == heard[cast.operator.pk] == [session.public_id]
    assert heard[cast.vendor.pk] == heard[cast.stranger.pk] == []


@pytest.mark.parametrize("slug", ["there", "nowhere"])
def test_a_stream_of_nobody_is_over_and_fetches_no_page_to_sign_in(cast: Cast, slug: str) -> None:
    name = cast.tenant.slug if slug == "there" else slug
    address = f"/o/{name}/live/stream/"
    answer = Client().get(address, headers={"Accept": "text/event-stream"})
    assert (answer.status_code, answer.content, answer.cookies) == (204, b"", {})
    assert Client().get(address).status_code == 302
