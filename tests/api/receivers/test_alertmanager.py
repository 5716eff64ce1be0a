"""POST /api/v1/alertmanager: what the webhook sends, is told, and what becomes of its alerts."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.conf import LazySettings
from hypothesis import HealthCheck, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from apps.fleet.models import Attempt
from apps.telemetry.attempts.readings import readings_of_attempt
from apps.telemetry.models import Event, LogStream, TouchedWindow
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import NOW, Answer, Cast, cast, drain_all, push_json

pytestmark = pytest.mark.django_db
PATH = "/api/v1/alertmanager"
NEVER = "0001-01-01T00:00:00Z"  # what Alertmanager writes where there is no end yet
XID = {
    "alertname": "GpuXidError",
    "severity": "critical",
    "Hostname": "gpu017",
    "instance": "gpu017:9400",
    "gpu": "3",
    "UUID": "GPU-5c2f0a11-9d5e-4a6b-8f1e-0123456789ab",
    "job": "dcgm",
}
Document = dict[str, Any]


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


def alert(
    labels: Mapping[str, str] = XID, *, ago: int = 60, over: int | None = None, **more: str
) -> Document:
    """Return an alert that began some seconds ago, and perhaps was over some seconds ago."""
    ended = NEVER if over is None else (NOW - timedelta(seconds=over)).isoformat()
    return {
        "status": "firing" if over is None else "resolved",
        "labels": {**labels, **more},
        "annotations": {"summary": "value 79, and the GPU has fallen off the bus"},
        "startsAt": (NOW - timedelta(seconds=ago)).isoformat().replace("+00:00", "Z"),
        "endsAt": ended,
        "generatorURL": "http://prometheus:9090/graph?g0.expr=up",
        "fingerprint": "7e6a2f0c11b3d4a5",
    }


def notification(*alerts: Any, **more: object) -> Document:
    """Return a notification of the webhook, as documented for version 4."""
    return {
        "version": "4",
        "groupKey": '{}/{severity="critical"}:{alertname="GpuXidError"}',
        "truncatedAlerts": 0,
        "status": "firing",
        "receiver": "faultline",
        "groupLabels": {"alertname": "GpuXidError"},
        "commonLabels": {"severity": "critical"},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager:9093",
        "alerts": list(alerts),
        **more,
    }


def push(people: Cast, said: Any, path: str = PATH) -> Answer:
    """Notify as the operator's Alertmanager."""
    return push_json(path, people.token(people.operator), said)


def events(people: Cast) -> list[Event]:
    """Interpret everything of the operator; return its events."""
    drain_all(people.operator)
    with organization_scope(people.operator.pk):
        return list(Event.objects.select_related("stream").order_by("at", "id"))


def test_an_alert_becomes_an_event_of_its_host_with_its_part(people: Cast) -> None:
    answer = push(people, notification(alert()))

    assert answer.json() == {
        "accepted": 1,
        "duplicates": 0,
        "left_out_by_sender": 0,
        "rejected": [],
    }
    (event,) = events(people)
    assert (event.signature, event.role, event.host) == ("alert-gpu-xid", "confirmation", "gpu017")
    assert event.at == NOW - timedelta(seconds=60)
    assert event.stream.kind == "alerts"
    said = event.body["fields"]
    assert (said["alert"], said["level"], said["gpu"]) == ("GpuXidError", "critical", "3")
    assert said["uuid"] == XID["UUID"].removeprefix("GPU-")


def test_words_of_annotations_and_labels_are_no_lines_of_a_kernel(people: Cast) -> None:
    labels = {"alertname": "Custom", "reason": "NVRM: Xid (PCI:0000:18:00): 79, pid=1, GPU lost"}

    push(people, notification(alert(labels)))

    (event,) = events(people)
    assert (event.signature, event.role) == ("alert-firing", "context")
    assert "fallen off the bus" not in event.body["text"]


def test_told_again_an_alert_is_the_same_and_resolved_it_is_another(people: Cast) -> None:
    again = alert() | {"annotations": {"summary": "value 80"}}
    firing = notification(alert())
    repeated = notification(again, alert({"alertname": "Other", "instance": "gpu018:9100"}, ago=30))

    for said in (firing, firing, repeated, notification(alert(over=5))):
        assert push(people, said).status_code == 200

    assert [(e.signature, e.host) for e in events(people)] == [
        ("alert-gpu-xid", "gpu017"),
        ("alert-firing", "gpu018"),
        ("alert-resolved", "gpu017"),
    ]


def test_the_same_alert_that_began_anew_is_new(people: Cast) -> None:
    push(people, notification(alert(ago=600)))
    push(people, notification(alert(ago=60)))

    assert len(events(people)) == 2


def test_alerts_of_an_attempts_hosts_are_read_with_it(people: Cast) -> None:
    report = {
        "cluster": people.cluster.slug,
        "session": "run-7",
        "project": "solar",
        "hosts": ["gpu017", "gpu018"],
        "at": (NOW - timedelta(minutes=5)).isoformat(),
        "state": "running",
    }
    push_json("/api/v1/session-events", people.token(people.platform), report)
    push(people, notification(alert(), alert({"alertname": "NodeDown", "instance": "gpu099:9100"})))
    events(people)

    with organization_scope(people.operator.pk, people.tenant.pk, people.platform.pk):
        stored = readings_of_attempt(attempt=Attempt.objects.get())
        assert TouchedWindow.objects.filter(host="gpu017", is_telling=True).exists()

    told = [event.signature for reading in stored.readings for event in reading.events]
    assert told == ["alert-gpu-xid"]


def test_bad_entries_are_told_and_the_others_kept(people: Cast) -> None:
    bad: list[Any] = [
        "text",
        alert() | {"labels": None},
        alert() | {"status": "silenced"},
        alert() | {"startsAt": "yesterday"},
        alert({"severity": "page"}),
    ]

    answer = push(people, notification(*bad, alert())).json()

    assert answer["accepted"] == 1
    assert [row["line"] for row in answer["rejected"]] == [1, 2, 3, 4, 5]
    assert {row["code"] for row in answer["rejected"]} == {"bad_alert"}


@pytest.mark.parametrize(
    "said", [[], {}, {"alerts": 7}, notification("x"), notification(alert(), version="3")]
)
def test_what_will_never_be_right_is_refused_for_good(people: Cast, said: Any) -> None:
    answer = push(people, said)

    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"


def test_more_alerts_than_any_group_has_are_refused_with_what_to_do(people: Cast) -> None:
    answer = push(people, {"version": "4", "alerts": [alert()] * 10_001})

    assert answer.status_code == 413
    assert "10001 alerts, more than 10000" in answer.json()["detail"]
    assert "group_by" in answer.json()["detail"]
    assert push(people, {"version": "4", "alerts": [alert()] * 10_000}).status_code == 200


def test_an_empty_notification_is_no_fault(people: Cast) -> None:
    assert push(people, notification()).json()["accepted"] == 0


def test_what_will_be_right_later_is_503_since_429_would_drop_it(
    people: Cast, settings: LazySettings
) -> None:
    settings.PORTAL_MAX_PENDING_BYTES = 1
    push(people, notification(alert()))

    answer = push(people, notification(alert(ago=10)))

    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0


def test_a_foreign_cluster_is_not_there_unless_the_address_names_ours(people: Cast) -> None:
    foreign = notification(alert(cluster="prod-eu"))

    assert push(people, foreign).status_code == 404
    both = notification(alert(cluster="prod-eu"), alert())
    assert push(people, both).json()["rejected"][0]["code"] == "not_found"
    assert push(people, foreign, f"{PATH}?cluster={people.cluster.slug}").status_code == 200


def test_many_alerts_ask_for_their_cluster_once(
    people: Cast, django_assert_max_num_queries: Callable[[int], AbstractContextManager[None]]
) -> None:
    alerts = [alert(Hostname=f"gpu{number:03}") for number in range(200)]
    with django_assert_max_num_queries(60):
        answer = push(people, notification(*alerts))
    assert answer.json()["accepted"] == 200


def test_other_organizations_find_none_of_it(people: Cast) -> None:
    push(people, notification(alert()))
    events(people)
    with organization_scope(people.other.pk):
        assert not LogStream.objects.exists()
        assert not Event.objects.exists()


@tries(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    said=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["alerts", "labels", "status", "startsAt", "alertname", "version"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=8,
    )
)
def test_no_shape_makes_it_fail(people: Cast, said: Any) -> None:
    for each in (said, notification(said), notification(alert() | {"labels": said})):
        try:
            orjson.dumps(each)
        except TypeError:
            continue
        assert push(people, each).status_code in {200, 400}
