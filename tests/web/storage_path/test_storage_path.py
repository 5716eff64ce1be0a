"""The page of a cluster's storage path: who reads what of a save, and what it says of it."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from apps.fleet.models import ParticipationRole
from apps.reliability.prices import set_price
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, Place, SharingRule
from apps.telemetry.models import LoggedCheckpoints, StorageRating
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import clients, make
from tests.cast.agreements import agreed
from tests.cast.incidents import actor
from tests.cast.storage_world import OURS, THEIRS, StorageWorld, build
from tests.web.conftest import Browser
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> StorageWorld:
    """A save of all nodes, two hours ago."""
    return build(now=timezone.now())  # noqa: TID251  the page reads the clock


def _page(world: StorageWorld, browser: Browser, reader: Organization, query: str = "") -> str:
    address = f"/o/{reader.slug}/clusters/{world.cluster.slug}/storage-path/{query}"
    answer = browser(reader).get(address)
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def _shows(world: StorageWorld, reader: Organization, rule: SharingRule) -> None:
    now = timezone.now()  # noqa: TID251  the page reads the clock
    terms = {world.operator.slug: [rule]}
    agreed(world.operator, reader, world.cluster, terms=terms, now=now)


def test_the_operator_sees_where_the_save_waited(world: StorageWorld, browser: Browser) -> None:
    text = _page(world, browser, world.operator)
    assert "93.1 %" in text
    assert "12 TB" in text
    assert "gpu001" in text
    assert "your sources" in text


def test_both_readings_stand_with_their_conditions_and_none_is_the_cause(
    world: StorageWorld, browser: Browser
) -> None:
    text = _page(world, browser, world.operator)
    assert "Slot limit" in text
    assert "Queueing and transport backlog" in text
    assert "that it is the cause is not shown" in text
    assert "caused by" not in text


def test_an_adapter_that_nobody_rated_is_not_judged(world: StorageWorld, browser: Browser) -> None:
    text = _page(world, browser, world.operator)
    assert "Not judged: what the adapters carry at most is not known." in text
    address = f"/o/{world.operator.slug}/clusters/{world.cluster.slug}/storage-path/ratings/"
    sent = {"kind": "adapter", "value": "50", "valid_from": "2025-01-01"}
    assert browser(world.operator, MemberRole.ADMIN).post(address, sent).status_code == 302
    text = _page(world, browser, world.operator)
    assert "Not judged" not in text
    assert "the busiest adapter carries 84.8 % of the 6.25 GB/s it is rated at" in text


def test_an_organization_outside_of_the_cluster_finds_nothing(
    world: StorageWorld, browser: Browser
) -> None:
    answer = browser(world.outsider).get(
        f"/o/{world.outsider.slug}/clusters/{world.cluster.slug}/storage-path/"
    )
    assert answer.status_code == 404


def test_a_vendor_without_an_agreement_sees_no_save_and_whom_to_ask(
    world: StorageWorld, browser: Browser
) -> None:
    text = _page(world, browser, world.vendor)
    assert "12 TB" not in text
    assert "gpu001" not in text
    assert "hidden by policy" in text
    assert f"counterpart={world.operator.slug}" in text


def test_a_vendor_sees_its_layer_as_the_agreement_says(
    world: StorageWorld, browser: Browser
) -> None:
    _shows(world, world.vendor, SharingRule(data="metrics:storage", level=Level.FULL))
    text = _page(world, browser, world.vendor)
    assert "12 TB" in text
    assert "gpu001" in text
    with organization_scope(world.operator.pk):
        look = LedgerEntry.objects.get()
    assert (look.subject_kind, look.subject) == ("storage", world.cluster.slug)


def test_redacted_hides_the_names_of_hosts(world: StorageWorld, browser: Browser) -> None:
    _shows(world, world.vendor, SharingRule(data="metrics:storage", level=Level.REDACTED))
    text = _page(world, browser, world.vendor)
    assert "12 TB" in text
    assert "gpu001" not in text


def test_a_signal_tells_that_there_was_a_save_and_no_value(
    world: StorageWorld, browser: Browser
) -> None:
    _shows(world, world.vendor, SharingRule(data="metrics:storage", level=Level.SIGNAL))
    text = _page(world, browser, world.vendor)
    assert "no values" in text
    assert "TB" not in text
    assert "93.1" not in text


def test_a_rule_for_other_layers_shows_no_storage(world: StorageWorld, browser: Browser) -> None:
    _shows(world, world.vendor, SharingRule(data="metrics:gpu", level=Level.FULL))
    assert "12 TB" not in _page(world, browser, world.vendor)


def test_a_tenant_sees_what_its_own_hosts_moved_and_nothing_of_the_others(
    world: StorageWorld, browser: Browser
) -> None:
    rule = SharingRule(data="metrics:storage", level=Level.FULL, where=Place.OWN_SESSIONS)
    _shows(world, world.tenant, rule)
    text = _page(world, browser, world.tenant)
    assert "6 TB" in text
    assert "12 TB" not in text
    assert all(host in text for host in OURS)
    assert not any(host in text for host in THEIRS)


def test_a_tenant_has_its_own_saves_in_the_ledger_without_any_agreement(
    world: StorageWorld, browser: Browser
) -> None:
    text = _page(world, browser, world.tenant, "?view=ledger")
    assert "1,200" in text
    assert "2.7" in text  # 32 GPUs for 300 s
    other = _page(world, browser, world.other, "?view=ledger")
    assert "1,200" not in other


def test_the_ledger_joins_the_log_with_the_share_of_its_hosts(
    world: StorageWorld, browser: Browser
) -> None:
    _shows(world, world.tenant, SharingRule(data="metrics:storage", level=Level.FULL))
    text = _page(world, browser, world.tenant, "?view=ledger")
    assert "logs and metrics" in text
    assert "6 TB" in text


def test_the_price_of_the_settings_makes_a_cost(world: StorageWorld, browser: Browser) -> None:
    before = _page(world, browser, world.tenant, "?view=ledger")
    assert "Enter what a GPU-hour costs" in before
    assert '<td class="number" data-label="Cost">8</td>' not in before
    with organization_scope(world.tenant.pk):
        set_price(
            actor=actor(world.tenant, MemberRole.ADMIN),
            per_gpu_hour="3",
            currency="EUR",
            now=world.saved_at,
        )

    text = _page(world, browser, world.tenant, "?view=ledger")
    assert "Cost at 3 EUR a GPU-hour" in text
    assert '<td class="number" data-label="Cost">8</td>' in text
    assert "EUR" not in _page(world, browser, world.operator, "?view=ledger")


def test_an_instant_opens_the_save_at_that_time(world: StorageWorld, browser: Browser) -> None:
    at = world.saved_at.astimezone(UTC).isoformat().replace("+", "%2B")
    assert "gpu001" in _page(world, browser, world.operator, f"?at={at}")
    early = datetime(2025, 1, 1, tzinfo=UTC).isoformat().replace("+", "%2B")
    assert "gpu001" not in _page(world, browser, world.operator, f"?at={early}")


def test_every_view_answers(world: StorageWorld, browser: Browser) -> None:
    for view in ("ledger", "scale", "ratings"):
        assert "Storage path" in _page(world, browser, world.operator, f"?view={view}")


def _rated(
    world: StorageWorld, browser: Browser, who: Organization, role: MemberRole, **typed: str
) -> Any:
    form = {"kind": "save", "value": "250", **typed}
    return browser(who, role).post(
        f"/o/{who.slug}/clusters/{world.cluster.slug}/storage-path/ratings/", form
    )


def test_the_storage_vendor_enters_a_rating_and_every_party_reads_it(
    world: StorageWorld, browser: Browser
) -> None:
    answer = _rated(world, browser, world.vendor, MemberRole.RESPONDER, valid_from="2025-01-01")
    assert answer.status_code == 302
    with organization_scope(world.vendor.pk):
        assert StorageRating.objects.get().value == 250e9
        assert AuditEntry.objects.filter(action="storage.rated").exists()
    for reader in (world.vendor, world.operator, world.tenant):
        text = _page(world, browser, reader, "?view=ratings")
        assert "250 GB/s" in text
        assert world.vendor.name in text
    assert "16.0 %" in _page(world, browser, world.operator)


@pytest.mark.parametrize(
    ("who", "role"),
    [("tenant", MemberRole.ADMIN), ("outsider", MemberRole.ADMIN), ("vendor", MemberRole.VIEWER)],
)
def test_whoever_may_not_rate_finds_nothing(
    world: StorageWorld, browser: Browser, who: str, role: MemberRole
) -> None:
    assert _rated(world, browser, getattr(world, who), role).status_code == 404
    with organization_scope(*(each.pk for each in (world.tenant, world.outsider, world.vendor))):
        assert not StorageRating.objects.exists()


@pytest.mark.parametrize(
    "typed", [{"value": "much"}, {"value": "0"}, {"kind": "x"}, {"valid_from": "soon"}]
)
def test_what_can_not_be_a_rating_is_told(
    world: StorageWorld, browser: Browser, typed: dict[str, str]
) -> None:
    answer = _rated(world, browser, world.operator, MemberRole.RESPONDER, **typed)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()


def test_the_only_cluster_is_led_to_and_several_are_listed(
    world: StorageWorld, browser: Browser
) -> None:
    address = f"/o/{world.operator.slug}/storage-path/"
    assert browser(world.operator).get(address).status_code == 302
    make.participation(
        organization=world.operator, cluster=make.cluster(), part=ParticipationRole.OPERATOR
    )
    assert world.cluster.name in browser(world.operator).get(address).content.decode()


def test_of_a_save_whose_end_nobody_told_the_ledger_says_so(
    world: StorageWorld, browser: Browser
) -> None:
    with organization_scope(world.tenant.pk):
        row = LoggedCheckpoints.objects.get()
        attempt, kind, starts_at, _ends_at, step, is_background, _whole = row.body[0]
        row.body = [[attempt, kind, starts_at, starts_at, step, is_background, False]]
        row.save()
    text = _page(world, browser, world.tenant, "?view=ledger")
    assert "no end told" in text
    assert "of 1 no begin or end is told" in text
    address = f"clusters/{world.cluster.slug}/storage-path/"
    (told,) = clients.token(world.tenant).get(address).json()["ledger"]
    assert (told["seconds"], told["complete"]) == (None, False)
