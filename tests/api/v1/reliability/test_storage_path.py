"""The storage path by REST: values, the ledger as CSV, ratings; and who gets none of it."""

import csv
import io
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, SharingRule
from apps.telemetry.models import StoragePhase
from apps.tenancy.scope import organization_scope
from tests.cast.agreements import agreed
from tests.cast.clients import member, token
from tests.cast.storage_world import StorageWorld, build

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> StorageWorld:
    """A save of all nodes, two hours ago."""
    return build(now=timezone.now())  # noqa: TID251  the view reads the clock


def _path(world: StorageWorld, tail: str = "") -> str:
    return f"clusters/{world.cluster.slug}/storage-path/{tail}"


def test_the_operator_gets_the_save_with_its_detail(world: StorageWorld) -> None:
    answer = token(world.operator).get(_path(world)).json()
    (phase,) = answer["phases"]
    assert phase["kind"] == "save"
    assert phase["bytes"] == pytest.approx(8 * 5e9 * 300, rel=0.01)
    assert phase["queue_share"] == pytest.approx(0.931, abs=0.001)
    assert phase["shared"] is None
    assert len(answer["detail"]["hosts"]) == 8


def test_slots_explain_the_save_only_near_their_bound(world: StorageWorld) -> None:
    # 128 slots allow 1.2 GB/s a node, and it moved 5: something else, or other slots.
    found = token(world.operator).get(_path(world)).json()["detail"]["slots"]
    assert (found["reading"], found["near_bound"], found["queueing"]) == ("queueing", False, True)
    told = {"kind": "slots", "value": 512, "valid_from": "2025-01-01T00:00:00Z"}
    assert member(world.operator).post(_path(world, "ratings/"), told).status_code == 201
    found = token(world.operator).get(_path(world)).json()["detail"]["slots"]
    assert (found["reading"], found["has_backlog"]) == ("slot-limit", True)
    assert found["bound_bytes_per_second"] == pytest.approx(512 * 2**20 / 0.1118, rel=0.01)


def test_an_adapter_is_judged_once_somebody_rated_it(world: StorageWorld) -> None:
    # It carried 5.3 GB/s a node: 88 % of 48 Gbit/s, and a fifth of 200.
    found = token(world.operator).get(_path(world)).json()["detail"]["adapter"]
    assert found["carried_bytes_per_second"] == pytest.approx(1.06 * 5e9, rel=0.01)
    assert (found["rated_bytes_per_second"], found["near_rated"]) == (None, None)
    assert not found["bound"]
    for value, is_bound in ((48e9, True), (200e9, False)):
        told = {"kind": "adapter", "value": value, "valid_from": "2025-01-01T00:00:00Z"}
        assert member(world.operator).post(_path(world, "ratings/"), told).status_code == 201
        found = token(world.operator).get(_path(world)).json()["detail"]["adapter"]
        assert (found["bound"], found["most_of_it"]) == (is_bound, True)


def test_what_adapters_carry_is_not_shown_by_a_rule_for_storage(world: StorageWorld) -> None:
    now = timezone.now()  # noqa: TID251  the view reads the clock
    rule = SharingRule(data="metrics:storage", level=Level.FULL)
    agreed(
        world.operator, world.vendor, world.cluster, terms={world.operator.slug: [rule]}, now=now
    )
    detail = token(world.vendor).get(_path(world)).json()["detail"]
    assert detail["slots"] is not None
    assert detail["adapter"] is None


def test_no_span_tells_the_second_of_a_save_that_is_shown_as_a_signal(world: StorageWorld) -> None:
    now = timezone.now()  # noqa: TID251  the view reads the clock
    rule = SharingRule(data="metrics:storage", level=Level.SIGNAL)
    agreed(
        world.operator, world.vendor, world.cluster, terms={world.operator.slug: [rule]}, now=now
    )
    with organization_scope(world.operator.pk):
        (row,) = StoragePhase.objects.all()
        minute = row.starts_at.replace(second=0, microsecond=0)
        StoragePhase.objects.update(starts_at=minute + timedelta(seconds=30))

    def is_told(until: datetime) -> bool:
        asked = {"since": (minute - timedelta(days=1)).isoformat(), "until": until.isoformat()}
        return bool(token(world.vendor).get(_path(world), **asked).json()["phases"])

    # It began at 30 s, and its reader is shown the minute.
    told = [is_told(minute + timedelta(seconds=each)) for each in (0, 20, 40)]
    assert told == [False, True, True]


def test_the_tenant_gets_its_own_saves_and_no_phase(world: StorageWorld) -> None:
    answer = token(world.tenant).get(_path(world)).json()
    assert answer["phases"] == []
    (row,) = answer["ledger"]
    assert (row["step"], row["gpus"], row["bytes"]) == (1200, 32, None)
    assert row["idled_gpu_hours"] == pytest.approx(32 * 300 / 3600)
    (total,) = answer["sums"]
    assert (total["count"], total["without_bytes"]) == (1, 1)


def test_the_ledger_comes_as_a_table_and_the_export_is_recorded(world: StorageWorld) -> None:
    now = timezone.now()  # noqa: TID251  the view reads the clock
    rule = SharingRule(data="metrics:storage", level=Level.FULL)
    terms = {world.operator.slug: [rule]}
    agreed(world.operator, world.tenant, world.cluster, terms=terms, now=now)
    answer = token(world.tenant).get(_path(world, "ledger.csv"))
    text = b"".join(answer.streaming_content).decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["kind"], row["session"], row["step"]) == ("save", world.session.public_id, "1200")
    assert float(row["bytes"]) == pytest.approx(4 * 5e9 * 300, rel=0.01)
    with organization_scope(world.operator.pk):
        assert LedgerEntry.objects.get().channel == "export"


@pytest.mark.parametrize("tail", ["", "ledger.csv", "ratings/"])
def test_an_organization_outside_of_the_cluster_finds_nothing(
    world: StorageWorld, tail: str
) -> None:
    assert token(world.outsider).get(_path(world, tail)).status_code == 404
    assert token(world.operator).get(f"clusters/nowhere/storage-path/{tail}").status_code == 404


def test_a_rating_is_entered_once_and_read_by_all_parties(world: StorageWorld) -> None:
    told = {"kind": "load", "value": 700e9, "valid_from": "2025-01-01T00:00:00Z"}
    made = member(world.operator).post(_path(world, "ratings/"), told)
    assert made.status_code == 201
    for reader in (world.tenant, world.vendor):
        (row,) = token(reader).get(_path(world, "ratings/")).json()
        assert (row["kind"], row["value"], row["organization"]) == (
            "load",
            700e9,
            world.operator.slug,
        )


def test_a_tenant_and_an_outsider_enter_no_rating(world: StorageWorld) -> None:
    told = {"kind": "load", "value": 700e9}
    for who in (world.tenant, world.outsider):
        assert member(who).post(_path(world, "ratings/"), told).status_code == 404
    assert token(world.operator).get(_path(world, "ratings/")).json() == []


def test_what_can_not_be_is_refused_with_its_key(world: StorageWorld) -> None:
    told = member(world.operator).post(_path(world, "ratings/"), {"kind": "load", "value": 1})
    assert (told.status_code, "value" in told.content.decode()) == (400, True)
    now = timezone.now()  # noqa: TID251  the view reads the clock
    since = (now - timedelta(days=200)).isoformat()
    assert token(world.operator).get(_path(world), since=since).status_code == 400
    assert token(world.operator).get(_path(world), sincce=since).status_code == 400
