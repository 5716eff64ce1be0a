"""Where there is no room a push is refused in time, says why, and comes through once there is."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from apps.telemetry.limits import storage_limits
from apps.telemetry.logs import accept
from apps.telemetry.models import Batch
from apps.telemetry.retention import usage
from apps.telemetry.retention.classes import RetentionClass
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import Series, snapped, v1, write
from tests.cast import make
from tests.cast.pushes import (
    NOW,
    Answer,
    Cast,
    cast,
    drain_all,
    push_json,
    push_loki,
    push_text,
)

LINE = "2026-11-21T02:00:00+00:00 gpu001 kernel: NVRM: Xid (PCI:0000:10:00): 79, GPU has fallen off"
Push = Callable[[Cast, str], Answer]
PUSHES: dict[str, Push] = {
    "logs": lambda people, token: push_text(token, LINE, host="gpu001", stream="kernel"),
    "loki": lambda people, token: push_loki(token, [(1, LINE)], {"host": "gpu001"}),
    "remote_write": lambda people, token: write(
        token, snapped(v1([Series(labels={"__name__": "up"}, samples=[(1, 1.0)])]))
    ),
    "session-events": lambda people, token: push_json(
        "/api/v1/session-events", token, {"session": "run-1"}
    ),
    "inventory": lambda people, token: push_json("/api/v1/inventory", token, {"nodes": []}),
}


def measured(organization: Organization) -> int:
    """Measure what an organization keeps and return it."""
    with organization_scope(organization.pk):
        usage.measure(organization_id=organization.pk, now=NOW)
        return usage.stored_bytes(organization_id=organization.pk)


@pytest.mark.django_db
@pytest.mark.parametrize("push", PUSHES.values(), ids=PUSHES)
def test_a_disk_that_fills_refuses_every_push_before_anything_breaks(
    push: Push, settings: LazySettings
) -> None:
    people = cast()
    # Any disk is fuller than that.
    settings.PORTAL_MAX_DISK_PERCENT = 0

    answer = push(people, people.token(people.operator))

    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert answer.json()["code"] == "disk_full"
    assert "PORTAL_MAX_DISK_PERCENT" in answer.json()["detail"]
    with organization_scope(people.operator.pk):
        assert not Batch.objects.exists()


@pytest.mark.django_db
def test_pushes_come_through_again_once_there_is_room(settings: LazySettings) -> None:
    people = cast()
    settings.PORTAL_MAX_DISK_PERCENT = 0
    assert PUSHES["logs"](people, people.token(people.operator)).status_code == 503
    settings.PORTAL_MAX_DISK_PERCENT = 101

    answer = PUSHES["logs"](people, people.token(people.operator))

    assert (answer.status_code, answer.json()["accepted"]) == (200, 1)


@pytest.mark.django_db
def test_a_full_disk_tells_nothing_to_who_has_no_token(settings: LazySettings) -> None:
    settings.PORTAL_MAX_DISK_PERCENT = 0

    assert push_text("flt_wrong", LINE).status_code == 401


def test_the_disk_is_counted_as_df_does() -> None:
    disks = {disk.name: disk for disk in storage_limits.disks()}

    assert set(disks) == {"storage", "database"}
    assert all(0 < disk.used < disk.size for disk in disks.values())


@pytest.mark.django_db
def test_a_server_s_database_is_held_against_the_size_that_was_told(
    settings: LazySettings,
) -> None:
    settings.PORTAL_EMBEDS_DATABASE = False
    settings.PORTAL_DATABASE_DISK_BYTES = 2**20

    (_, database) = storage_limits.disks()

    assert database.percent > 500


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["logs", "loki", "remote_write"])
def test_over_its_quota_an_organization_is_told_which_and_the_others_go_on(
    name: str, settings: LazySettings
) -> None:
    people = cast()
    push_text(people.token(people.operator), LINE, host="gpu002", stream="kernel")
    drain_all(people.operator)
    settings.PORTAL_MAX_STORED_BYTES = measured(people.operator) - 1

    answer = PUSHES[name](people, people.token(people.operator))

    assert (answer.status_code, answer["Retry-After"]) == (429, "60")
    assert answer.json()["code"] == "storage_full"
    assert "PORTAL_MAX_STORED_BYTES" in answer.json()["detail"]
    assert PUSHES[name](people, people.token(people.platform)).status_code < 300
    settings.PORTAL_MAX_STORED_BYTES = 0
    assert PUSHES[name](people, people.token(people.operator)).status_code < 300


@pytest.mark.django_db
def test_what_is_new_is_added_and_counted_whole_it_is_the_same() -> None:
    people, added = cast(), 0
    for number in range(3):
        push_text(people.token(people.operator), LINE, host=f"gpu{number}", stream="kernel")
        drain_all(people.operator)
        added = measured(people.operator)
    with organization_scope(people.operator.pk):
        usage.measure(
            organization_id=people.operator.pk, now=NOW + timedelta(days=1), is_whole=True
        )
        kept = usage.kept_of(organization_id=people.operator.pk)
        assert usage.stored_bytes(organization_id=people.operator.pk) == added
    assert kept[RetentionClass.RAW].row_count == 3
    assert kept[RetentionClass.RAW].oldest_at is not None
    assert kept[RetentionClass.INCIDENTS].byte_count == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"PORTAL_MAX_DISK_PERCENT": 0}, "disk is nearly full"),
        ({"PORTAL_MAX_STORED_BYTES": 1}, "keeps as much as it may"),
    ],
)
def test_who_uploads_on_the_page_reads_why_not(
    limits: dict[str, int], says: str, client: Client, settings: LazySettings
) -> None:
    people = cast()
    push_text(people.token(people.tenant), LINE, session="run-1")
    drain_all(people.tenant)
    measured(people.tenant)
    user = make.user(organization=people.tenant, role=MemberRole.RESPONDER)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    for name, value in limits.items():
        setattr(settings, name, value)

    answer = client.post(
        f"/o/{people.tenant.slug}/upload/",
        {"files": SimpleUploadedFile("train.log", LINE.encode())},
    )

    assert says in answer.content.decode()


@pytest.mark.django_db
def test_who_sends_ever_new_labels_is_told_so_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()
    for number in range(3):
        push_text(people.token(people.operator), LINE, host=f"gpu{number}", stream="kernel")
    drain_all(people.operator)
    measured(people.operator)
    monkeypatch.setattr(storage_limits, "MOST_STREAMS", 2)
    answer = PUSHES["loki"](people, people.token(people.operator))
    assert answer.status_code == 429
    assert "3 streams of logs and may have 2" in answer.json()["detail"]
    assert PUSHES["loki"](people, people.token(people.platform)).status_code == 204


@pytest.mark.django_db
def test_who_has_too_many_small_batches_waiting_is_told_to_send_larger_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()
    monkeypatch.setattr(accept, "MOST_PENDING", 1)
    assert PUSHES["logs"](people, people.token(people.operator)).status_code == 200
    answer = PUSHES["loki"](people, people.token(people.operator))
    assert answer.status_code == 429
    assert "fewer and larger batches" in answer.json()["detail"]
    assert PUSHES["loki"](people, people.token(people.platform)).status_code == 204
