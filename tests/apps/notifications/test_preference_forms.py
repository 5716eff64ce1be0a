"""What people and admins choose, and what is refused with a sentence."""

from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import override_settings

from apps.notifications.delivery.delivery_log import send_test
from apps.notifications.models import Delivery, Subscription, Webhook
from apps.notifications.notification_kinds import Channel
from apps.notifications.preferences.preference_forms import (
    BadChoice,
    ChosenPace,
    PreferenceInput,
    choose,
    wish_of,
)
from apps.notifications.preferences.preferences import DEFAULT_KINDS
from apps.notifications.webhook import webhook_settings
from apps.notifications.webhook.webhook_delivery import secrets_of
from apps.notifications.webhook.webhook_settings import WantedHook
from apps.tenancy.access import NotFound
from apps.tenancy.credentials import unseal
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor

NOW = make.AT
ALL = PreferenceInput(kinds=DEFAULT_KINDS)


@pytest.mark.parametrize(
    ("role", "count"), [(MemberRole.ADMIN, 7), (MemberRole.RESPONDER, 7), (MemberRole.VIEWER, 0)]
)
def test_who_chose_nothing_is_told_by_what_one_may_do(
    cast: Cast, role: MemberRole, count: int
) -> None:
    with organization_scope(cast.tenant.pk):
        assert len(wish_of(actor=actor(cast.tenant, role)).kinds) == count


def test_what_was_chosen_holds_and_belongs_to_the_person_alone(cast: Cast) -> None:
    one, other = actor(cast.tenant), actor(cast.tenant)
    pace = ChosenPace(
        rhythm="daily", zone="Asia/Seoul", quiet_from="22:00", quiet_until="07:00",
        at_night=["incident.opened", "nonsense"],
    )  # fmt: skip
    with organization_scope(cast.tenant.pk):
        chosen = PreferenceInput(kinds=["incident.opened", "nonsense"], clusters=[cast.cluster])
        choose(actor=one, chosen=chosen, pace=pace, now=NOW)
        choose(actor=one, chosen=chosen, pace=pace, now=NOW)
        wish = wish_of(actor=one)
        assert Subscription.objects.count() == 1
        assert wish_of(actor=other).kinds == DEFAULT_KINDS
    assert wish.kinds == wish.at_night == {"incident.opened"}
    assert wish.clusters == frozenset({cast.cluster.pk})
    assert wish.pace.zone.key == "Asia/Seoul"


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("zone", {"zone": "Mars/Olympus"}),
        ("zone", {"zone": "../etc/passwd"}),
        ("rhythm", {"rhythm": "never"}),
        ("quiet_until", {"quiet_from": "22:00"}),
        ("quiet_from", {"quiet_until": "07:00"}),
        ("quiet_from", {"quiet_from": "25:00", "quiet_until": "07:00"}),
        ("quiet_from", {"quiet_from": "22:00+09:00", "quiet_until": "07:00"}),
        ("quiet_until", {"quiet_from": "07:00", "quiet_until": "07:00"}),
    ],
)
def test_a_pace_that_can_not_be_meant_is_refused_and_nothing_kept(
    cast: Cast, field: str, values: dict[str, Any]
) -> None:
    with organization_scope(cast.tenant.pk):
        with pytest.raises(BadChoice) as refused:
            choose(actor=actor(cast.tenant), chosen=ALL, pace=ChosenPace(**values), now=NOW)
        assert refused.value.field == field
        assert Subscription.objects.count() == 0


@override_settings(PORTAL_OUTBOUND_NETWORKS=["10.1.0.0/16"])
@pytest.mark.parametrize(
    ("url", "networks", "says"),
    [
        ("http://hooks.example.com/x", [], "https"),
        ("ftp://hooks.example.com/x", [], "scheme"),
        ("https://user:pass@hooks.example.com/", [], "user or password"),
        ("https://127.0.0.1/", [], "not public"),
        ("https://127.0.0.1/", ["127.0.0.0/8"], "not public"),
        ("https://2130706433/", [], "not public"),
        ("https://169.254.169.254/latest", ["169.254.0.0/16"], "not public"),
        ("https://10.1.2.3/", ["10.2.0.0/16"], "not public"),
        ("https://10.2.2.3/", ["10.2.0.0/16"], "not public"),
        ("https://portal.internal/", [], "not public"),
        ("https://hooks.example.com:22x/", [], "cannot be read"),
        ("not-a-url", [], "scheme"),
        ("not a url", [], "cannot be read"),
        ("https://hooks.example.com/", ["10.1"], "is no network"),
        ("https://hooks.example.com/" + "x" * 500, [], "at most 500"),
    ],
)
def test_an_address_that_must_not_be_reached_is_refused(
    cast: Cast, url: str, networks: list[str], says: str
) -> None:
    wanted = WantedHook(url=url, chosen=ALL, networks=networks)
    with organization_scope(cast.tenant.pk):
        with pytest.raises(BadChoice, match=says):
            webhook_settings.set_webhook(
                actor=actor(cast.tenant, MemberRole.ADMIN), wanted=wanted, now=NOW
            )
        assert Webhook.objects.count() == 0


@override_settings(PORTAL_OUTBOUND_NETWORKS=["10.1.0.0/16"])
@pytest.mark.parametrize(
    ("url", "networks"),
    [("https://hooks.example.com/x?y=1", []), ("http://10.1.2.3:8080/", ["10.1.0.0/16"])],
)
def test_an_address_that_may_be_reached_is_kept(cast: Cast, url: str, networks: list[str]) -> None:
    admin = actor(cast.tenant, MemberRole.ADMIN)
    wanted = WantedHook(url=url, chosen=ALL, networks=networks)
    with organization_scope(cast.tenant.pk):
        assert webhook_settings.set_webhook(actor=admin, wanted=wanted, now=NOW)
        assert webhook_settings.set_webhook(actor=admin, wanted=wanted, now=NOW) is None
        assert Webhook.objects.get().url == url


def _made(cast: Cast) -> tuple[Any, str]:
    admin = actor(cast.tenant, MemberRole.ADMIN)
    wanted = WantedHook(url="https://hooks.example.com/", chosen=ALL)
    secret = webhook_settings.set_webhook(actor=admin, wanted=wanted, now=NOW)
    assert secret is not None
    return admin, secret


def test_the_secret_is_kept_sealed_and_the_former_one_fades(cast: Cast) -> None:
    with organization_scope(cast.tenant.pk):
        admin, former = _made(cast)
        secret = webhook_settings.rotate(actor=admin, now=NOW)
        row = Webhook.objects.get()
        assert former.encode() not in bytes(row.secret)
        assert secrets_of(row, NOW) == [secret, former]
        assert secrets_of(row, NOW + webhook_settings.BOTH_SIGN_FOR) == [secret]


def test_secrets_are_sealed_anew_with_the_other_credentials(cast: Cast, settings: Any) -> None:
    with organization_scope(cast.tenant.pk):
        admin, former = _made(cast)
        secret = webhook_settings.rotate(actor=admin, now=NOW)
    keys = settings.PORTAL_SECRET_KEYS
    settings.PORTAL_SECRET_KEYS = ["n" * 50, *keys]
    call_command("reseal", stdout=StringIO())
    settings.PORTAL_SECRET_KEYS = ["n" * 50]
    with organization_scope(cast.tenant.pk):
        row = Webhook.objects.get()
        assert unseal(sealed=row.secret) == secret
        assert row.former_secret is not None
        assert unseal(sealed=row.former_secret) == former


def test_what_waits_for_a_removed_webhook_is_dropped_and_says_so(cast: Cast) -> None:
    with organization_scope(cast.tenant.pk):
        admin, _ = _made(cast)
        send_test(actor=admin, channel=Channel.WEBHOOK, now=NOW)
        webhook_settings.remove(actor=admin, now=NOW)
        assert Delivery.objects.get().state == "dropped"
        with pytest.raises(NotFound):
            webhook_settings.rotate(actor=admin, now=NOW)


def test_one_that_was_paused_goes_on_when_an_admin_says_so(cast: Cast) -> None:
    with organization_scope(cast.tenant.pk):
        admin, _ = _made(cast)
        Webhook.objects.for_organization(cast.tenant).update(
            pause={"kind": "webhook-gone", "values": {}},
            rests_until=NOW + timedelta(days=1),
            failing_since=_long_ago(),
        )
        webhook_settings.resume(actor=admin, now=NOW)
        row = Webhook.objects.get()
    assert (row.pause, row.rests_until, row.failing_since) == (None, None, None)


def _long_ago() -> datetime:
    return NOW - timedelta(days=9)


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_only_admins_touch_the_webhook(cast: Cast, role: MemberRole) -> None:
    member = actor(cast.tenant, role)
    wanted = WantedHook(url="https://hooks.example.com/", chosen=ALL)
    with organization_scope(cast.tenant.pk):
        _made(cast)
        for refused in (
            lambda: webhook_settings.webhook_of(actor=member),
            lambda: webhook_settings.set_webhook(actor=member, wanted=wanted, now=NOW),
            lambda: webhook_settings.rotate(actor=member, now=NOW),
            lambda: webhook_settings.resume(actor=member, now=NOW),
            lambda: webhook_settings.remove(actor=member, now=NOW),
            lambda: send_test(actor=member, channel=Channel.WEBHOOK, now=NOW),
        ):
            with pytest.raises(NotFound):
                refused()
