"""What was sent is watched like what is read: the same findings, and proof that outlives it."""

from datetime import timedelta

import numpy as np
import pytest

from apps.telemetry.evidence import capture, captured_series
from apps.telemetry.metrics.pulls import pull
from apps.telemetry.models import Anomaly, EvidenceCapture, PushedBlock, Source
from apps.telemetry.samples.accept import KIND
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import Series, snapped, v1, write
from tests.apps.telemetry.prometheus_server import World, serving
from tests.apps.telemetry.samples.windows import drained
from tests.cast.metrics import (
    HOSTS,
    NOW,
    Cast,
    attempt,
    cast,
    healthy,
    reloaded,
    since,
    source,
)
from tests.cast.pushes import token

pytestmark = pytest.mark.django_db
STEP = 15
SPAN = 7000  # seconds of the window's two hours


def ill() -> World:
    """Return eight hosts of which one has an Xid and one clocks lower, each for a while."""
    world = World()
    healthy(world)
    for number, host in enumerate(HOSTS):
        is_ill = number == 2
        labels = {"Hostname": host, "gpu": "1", "UUID": f"GPU-{number}1"}
        world.add("DCGM_FI_DEV_XID_ERRORS", since(1800, 79.0) if is_ill else 0.0, **labels)
    slow = next(
        row
        for row in world.rows
        if row.labels["__name__"] == "DCGM_FI_DEV_SM_CLOCK" and row.labels["Hostname"] == HOSTS[5]
    )
    world.rows.remove(slow)
    labels = {name: value for name, value in slow.labels.items() if name != "__name__"}
    world.add("DCGM_FI_DEV_SM_CLOCK", since(2400, 1000.0, before=1900.0), **labels)
    return world


def push(people: Cast, organization: Organization, world: World) -> Source:
    """Send two hours of a world as remote_write does, and return the source that it becomes."""
    end = round(NOW.timestamp())
    at = np.arange(end - SPAN, end + 1, STEP, dtype=np.float64)
    credential = token(organization, people.cluster)
    for part in np.array_split(at, 4):
        series = [
            Series(
                labels=row.labels,
                samples=[
                    (round(second * 1000), value)
                    for second, value in zip(part.tolist(), row.value(part).tolist(), strict=True)
                ],
            )
            for row in world.rows
        ]
        assert write(credential, snapped(v1(series))).status_code == 204
    drained(organization, now=NOW)
    with organization_scope(organization.pk):
        return Source.objects.get(kind=KIND)


def found(made: Source) -> set[tuple[str, str, str, object]]:
    """Return what was found in a source: kind, signal, host and part."""
    with organization_scope(made.organization_id):
        return {
            (each.kind, each.signal, each.host, each.entity.get("index"))
            for each in Anomaly.objects.filter(source=made)
        }


def test_a_pushed_source_is_watched_like_one_that_is_read() -> None:
    people = cast()
    attempt(people)
    world = ill()
    pushed = push(people, people.operator, world)
    with serving(world) as url:
        read = source(people, url)
        for made in (pushed, read):
            with organization_scope(people.operator.pk):
                # Both begin where the window does.
                Source.objects.filter(pk=made.pk).update(
                    read_until=NOW - timedelta(seconds=SPAN - 600)
                )
            pulled = pull.pull_source(
                organization_id=people.operator.pk, source_id=made.pk, now=NOW
            )
            assert (pulled.state, pulled.error) == ("fresh", "")

    assert ("gpu.xid", HOSTS[2], 1) in {each[1:] for each in found(pushed)}
    assert ("gpu.clock", HOSTS[5]) in {each[1:3] for each in found(pushed)}
    assert found(pushed) == found(read)
    assert reloaded(pushed).series_count == reloaded(read).series_count


def test_nothing_sent_any_more_is_a_stale_source_and_no_finding() -> None:
    people = cast()
    attempt(people)
    world = World()
    healthy(world)
    pushed = push(people, people.operator, world)
    for minutes in (0, 30, 60):
        pull.pull_source(
            organization_id=people.operator.pk,
            source_id=pushed.pk,
            now=NOW + timedelta(minutes=minutes),
        )

    assert reloaded(pushed).state == "stale"
    assert {kind for kind, *_ in found(pushed)} <= {"silence"}


def test_evidence_of_a_pushed_source_outlives_its_window() -> None:
    people = cast()
    pushed = push(people, people.operator, ill())
    with organization_scope(people.operator.pk):
        order = EvidenceCapture.objects.create(
            organization=people.operator,
            incident_owner=people.outsider.pk,
            incident_public_id="INC-PUSH",
            source=pushed,
            capture_pass=1,
            due_at=NOW,
            request={
                "starts_at": (NOW - timedelta(minutes=50)).isoformat(),
                "ends_at": NOW.isoformat(),
                "suspects": [HOSTS[2]],
                "mounts": [],
                "attempt_hosts": list(HOSTS),
            },
        )

    state = capture.capture(organization_id=people.operator.pk, capture_id=order.pk, now=NOW)

    with organization_scope(people.operator.pk):
        PushedBlock.objects.all().delete()
        charts = captured_series.charts(
            organization_id=people.operator.pk,
            incident_owner=people.outsider.pk,
            incident_public_id="INC-PUSH",
        )
    assert state == "captured"
    (xid,) = [each for each in charts if (each.signal, each.entity.index) == ("gpu.xid", 1)]
    changed = float(xid.at[int(np.argmax(xid.values == 79))])
    assert abs(changed - (NOW.timestamp() - 1800)) <= STEP
