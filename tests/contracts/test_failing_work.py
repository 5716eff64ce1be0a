"""Work that fails is tried a few times and set aside where it is seen; its neighbors go on."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.db import OperationalError

from apps.fleet.models import Attempt
from apps.incidents import tasks as correlating
from apps.incidents.correlation import touched_windows
from apps.incidents.correlation.correlate import Correlated
from apps.incidents.models import Correlation, IncidentSession
from apps.operations.monitoring.row_counts import rows
from apps.telemetry.models import EvidenceCapture, Source, TouchedWindow
from apps.tenancy.models import FailedWork, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.work.failed_work import ATTEMPT_LIMIT, each_organization
from portal.celery import app
from tests.cast import make
from tests.cast.clients import member, token
from tests.cast.incidents import Cast, attempt_of

pytestmark = pytest.mark.django_db
app.loader.import_default_modules()
TEXT = "CANARY-TEXT of a line"
# Task → what does its work.
UNITS = {
    "notifications.look": "apps.notifications.occasions.incident_changes.look",
    "notifications.listen_to": "apps.notifications.silence.silence_detection.listen",
    "notifications.retire_of": "apps.notifications.retention.retire",
    "telemetry.enter_refusals": "apps.fleet.parties.cross_party_audit.enter_refusals",
    "telemetry.pull_source": "apps.telemetry.metrics.pulls.pull.pull_source",
    "telemetry.fuse_source": "apps.telemetry.metrics.warnings.fuse_source",
    "telemetry.capture_evidence": "apps.telemetry.evidence.capture.capture",
    "telemetry.forward_pushed": "apps.telemetry.samples.forward.forward",
    "telemetry.roll_window": "apps.telemetry.samples.retire.roll",
    "telemetry.measure_organization": "apps.telemetry.retention.usage.measure",
    "reliability.issue_reports_of": "apps.reliability.reports.due_reports.issue_due",
    "sharing.retire_of": "apps.sharing.bundles.bundle_acts.expire",
    "telemetry.retire_organization": "apps.telemetry.retention.run.retire",
}
# Those that only ask for others' work, organization by organization.
SWEEPS = {
    *("incidents.sweep", "incidents.correlate_due", "notifications.sweep", "notifications.listen"),
    *("notifications.retire", "telemetry.sweep", "telemetry.forward_due", "telemetry.roll_windows"),
    *("telemetry.retire", "telemetry.measure", "telemetry.pull_due", "tenancy.count_refusals"),
    "tenancy.retire_page_changes",
    *("sharing.retire", "sharing.seal_ledgers"),
    *("reliability.issue_reports", "reliability.sweep", "reliability.read_collectives"),
    "telemetry.work_out_checkpoints",
}
# Tried below, or where their rows are: batches, bodies and submissions are buried, deliveries
# given up.
APART = {
    *("incidents.correlate", "incidents.map_windows", "telemetry.drain_organization"),
    *("reliability.measure", "telemetry.work_out_checkpoints_of"),
    "reliability.read_collectives_of",
    *(
        "telemetry.drain_pushed",
        "telemetry.carry_out",
        "notifications.post",
        "notifications.send_mail",
    ),
}


class Done(list[None]):
    """What any of them gives when it went well."""

    state, new, is_more = "stale", (), False


class Failing:
    """Work that fails for one organization, and is counted."""

    def __init__(self, bad: Organization, error: Exception) -> None:
        self.bad, self.error = bad.pk, error
        self.asked: list[int] = []

    def __call__(self, *, organization_id: int, **_: Any) -> Any:
        """Do it, or fail."""
        self.asked.append(organization_id)
        if organization_id == self.bad:
            raise self.error
        return Done()


@pytest.fixture
def source(cast: Cast) -> Callable[[Organization], Source]:
    """Make a source of metrics of a party."""

    def made(owner: Organization) -> Source:
        with organization_scope(owner.pk):
            return Source.objects.create(
                organization=owner,
                public_id=f"SRC-{owner.pk}",
                cluster=cast.cluster,
                kind="prometheus",
                name="metrics",
                url="https://metrics.example",
                created_at=make.AT,
            )

    return made


def test_every_task_is_in_one_of_these_lists() -> None:
    # Other tests make tasks of their own.
    names = {name for name in app.tasks if not name.startswith(("celery.", "portal."))}

    assert names == UNITS.keys() | SWEEPS | APART


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_that_fails_is_set_aside_and_its_neighbor_is_done(
    name: str,
    cast: Cast,
    source: Callable[[Organization], Source],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    work = Failing(cast.operator, ValueError(TEXT))
    monkeypatch.setattr(UNITS[name], work)
    for _ in range(ATTEMPT_LIMIT + 2):
        for owner in (cast.operator, cast.tenant):
            app.tasks[name](**_arguments(name, owner, source))

    assert work.asked.count(cast.operator.pk) == ATTEMPT_LIMIT
    assert work.asked.count(cast.tenant.pk) == ATTEMPT_LIMIT + 2
    listed = token(cast.operator).get("failed-work/").json()["results"]
    assert [row["attempt_count"] for row in listed] == [ATTEMPT_LIMIT]
    assert listed[0]["error"].startswith("ValueError")
    assert token(cast.tenant).get("failed-work/").json()["results"] == []
    page = member(cast.operator, MemberRole.ADMIN).client.get(
        f"/o/{cast.operator.slug}/settings/retention/"
    )
    assert b"ValueError" in page.content
    assert TEXT not in page.content.decode() + caplog.text + str(listed)


@pytest.mark.parametrize("name", UNITS)
def test_a_lost_database_is_nobodys_fault(
    name: str,
    cast: Cast,
    source: Callable[[Organization], Source],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(UNITS[name], Failing(cast.operator, OperationalError("away")))
    for _ in range(ATTEMPT_LIMIT + 1):
        with pytest.raises(Exception, match=r"away|Retry"):
            app.tasks[name](**_arguments(name, cast.operator, source))

    with organization_scope(cast.operator.pk):
        assert set(FailedWork.objects.values_list("attempt_count", flat=True)) == {0}


def test_the_operator_of_the_machine_counts_what_rests(cast: Cast) -> None:
    for owner in (cast.operator, cast.tenant):
        _set_aside(owner, kind="retention")

    samples = [each for family in rows(now=make.AT) for each in family.samples]
    found = [(each.labels, each.value) for each in samples if each.name == "portal_work_set_aside"]
    assert found == [({"kind": "retention"}, 2)]


def test_a_diagnosis_that_fails_hides_no_session_and_stops_no_other(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = (attempt_of(cast, cast.tenant, state="failed") for _ in range(2))
    asked = _diagnosed(monkeypatch, bad)
    for round_ in range(ATTEMPT_LIMIT + 2):
        with time_machine.travel(make.AT + timedelta(hours=round_), tick=False):
            _correlated(bad, good)

    assert asked.count(bad.pk) == ATTEMPT_LIMIT
    assert asked.count(good.pk) == ATTEMPT_LIMIT + 2
    for reader in (cast.tenant, cast.operator):
        asking = member(reader)
        page = asking.client.get(f"/o/{reader.slug}/sessions/{bad.session.public_id}/")
        assert b"The diagnosis of attempt 1 failed" in page.content
        session = asking.get(f"sessions/{bad.session.public_id}/").json()
        assert session["attempts"][0]["undiagnosed_at"]
    incidents = member(cast.tenant).get("incidents/").json()["results"]
    assert [row["verdict_status"] for row in incidents] == ["unknown"]
    other = member(cast.tenant).get(f"sessions/{good.session.public_id}/").json()
    assert other["attempts"][0]["undiagnosed_at"] is None


def test_what_was_set_aside_is_tried_again_by_hand_and_says_no_more_that_it_fails(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = attempt_of(cast, cast.tenant, state="failed")
    _diagnosed(monkeypatch, attempt)
    for round_ in range(ATTEMPT_LIMIT):
        with time_machine.travel(make.AT + timedelta(hours=round_), tick=False):
            _correlated(attempt)
    monkeypatch.setattr(correlating, "correlate_attempt", lambda **_: Correlated())
    call_command("retry", "--organization", cast.tenant.slug)
    with organization_scope(cast.tenant.pk):
        due = Correlation.objects.get()
    correlating.correlate(organization_id=cast.tenant.pk, attempt_id=attempt.pk)

    with organization_scope(cast.tenant.pk):
        assert due.claimed_until is None
        assert Attempt.objects.get(pk=attempt.pk).undiagnosed_at is None
        assert not FailedWork.objects.exists()


def test_what_was_concluded_before_stays(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = attempt_of(cast, cast.tenant, state="failed")
    with organization_scope(*cast.ids):
        before = list(IncidentSession.objects.filter(attempt=attempt))
    _diagnosed(monkeypatch, attempt)
    _correlated(attempt)
    _correlated(attempt)

    with organization_scope(*cast.ids):
        assert before == []
        assert IncidentSession.objects.filter(attempt=attempt).count() == 1


def test_a_window_that_cannot_be_mapped_stops_no_other(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = [attempt_of(cast, cast.tenant) for _ in range(3)]
    owner = cast.tenant.pk
    with organization_scope(owner):
        for attempt in attempts:
            TouchedWindow.objects.create(
                organization_id=owner,
                cluster=cast.cluster,
                session_id=attempt.session_id,
                attempt=attempt,
                is_telling=True,
                created_at=make.AT,
            )
    mapped = touched_windows._attempts

    def failing(*, cluster_id: int | None, windows: list[TouchedWindow]) -> list[Attempt]:
        if any(window.attempt_id == attempts[1].pk for window in windows):
            raise ValueError(TEXT)
        return mapped(cluster_id=cluster_id, windows=windows)

    monkeypatch.setattr(touched_windows, "_attempts", failing)
    for _ in range(ATTEMPT_LIMIT + 1):
        correlating.map_windows(organization_id=owner)

    with organization_scope(owner):
        due = set(Correlation.objects.values_list("attempt_id", flat=True))
        row = FailedWork.objects.get()
    assert due == {attempts[0].pk, attempts[2].pk}
    assert (row.kind, row.attempt_count, bool(row.set_aside_at)) == ("window", ATTEMPT_LIMIT, True)
    assert not touched_windows.has_windows(organization_id=owner)


def test_an_organization_that_cannot_be_asked_stops_no_other(cast: Cast) -> None:
    asked = []

    def ask(organization_id: int) -> None:
        asked.append(organization_id)
        if organization_id == cast.operator.pk:
            raise ValueError(TEXT)

    each_organization(ask)

    assert asked == sorted(Organization.objects.values_list("id", flat=True))


def _arguments(
    name: str, owner: Organization, source: Callable[[Organization], Source]
) -> dict[str, int]:
    known = {"organization_id": owner.pk}
    if "source" in name or name == "telemetry.forward_pushed":
        return known | {"source_id": _source(owner, source).pk}
    if name == "telemetry.capture_evidence":
        return known | {"capture_id": _capture(owner, _source(owner, source)).pk}
    return known


def _source(owner: Organization, source: Callable[[Organization], Source]) -> Source:
    with organization_scope(owner.pk):
        found = Source.objects.for_organization(owner).first()
    return found or source(owner)


def _capture(owner: Organization, source: Source) -> EvidenceCapture:
    with organization_scope(owner.pk):
        return EvidenceCapture.objects.get_or_create(
            organization=owner,
            source=source,
            defaults={
                "incident_owner": owner.pk,
                "incident_public_id": "INC-1",
                "source_name": "metrics",
                "capture_pass": 1,
                "due_at": make.AT,
                "request": {},
            },
        )[0]


def _set_aside(owner: Organization, *, kind: str) -> None:
    with organization_scope(owner.pk):
        FailedWork.objects.create(
            organization=owner,
            kind=kind,
            subject="",
            attempt_count=ATTEMPT_LIMIT,
            began_at=make.AT,
            tried_at=make.AT,
            set_aside_at=make.AT,
            edition="",
        )


def _diagnosed(monkeypatch: pytest.MonkeyPatch, bad: Attempt) -> list[int]:
    """Let the diagnosis of one attempt fail; return the list of attempts that were looked at."""
    asked: list[int] = []

    def correlate(*, attempt_id: int, **_: Any) -> Correlated:
        asked.append(attempt_id)
        if attempt_id == bad.pk:
            raise OverflowError(TEXT)
        return Correlated()

    monkeypatch.setattr(correlating, "correlate_attempt", correlate)
    return asked


def _correlated(*attempts: Attempt) -> None:
    for attempt in attempts:
        owner = attempt.organization_id
        with organization_scope(owner):
            Correlation.objects.get_or_create(
                organization_id=owner,
                attempt=attempt,
                defaults={"due_at": make.AT, "touched_at": make.AT},
            )
        correlating.correlate(organization_id=owner, attempt_id=attempt.pk)
