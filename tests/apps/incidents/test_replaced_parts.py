"""An incident names the part that sat there when it broke, whatever was put there since."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from apps.fleet.models import Attempt
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.models import Incident, TimelineEntry
from apps.tenancy.scope import organization_scope
from tests.cast.make import AT
from tests.cast.pushes import Cast, cast, drain_all, push_json, push_loki

SECOND = 1_000_000_000
XID = "gpu017 kernel: NVRM: Xid (PCI:0000:1b:00): 79, pid=1, GPU has fallen off the bus."
GPUS = {"0000:1b:00.0": 3, "0000:2b:00.0": 4}


def inventory(people: Cast, at: datetime, *uuids: str, host: str = "gpu017") -> None:
    """Tell which boards sat in a host at some time."""
    devices = [
        {"kind": "gpu", "index": index, "uuid": f"GPU-{uuid}", "pci": pci}
        for uuid, (pci, index) in zip(uuids, GPUS.items(), strict=True)
    ]
    said = {"at": at.isoformat(), "nodes": [{"name": host, "devices": devices}]}
    answer = push_json("/api/v1/inventory", people.token(people.operator), said)
    assert answer.status_code == 200, answer.content


def fail(people: Cast) -> None:
    """Let a session run on two hosts until the kernel of one reports Xid 79."""
    base = {
        "session": "s1",
        "scheduler": "slurm",
        "project": "solar",
        "hosts": ["gpu017", "gpu018"],
    }
    for state, at in (("running", AT - timedelta(hours=2)), ("failed", AT + timedelta(seconds=30))):
        said = base | {"state": state, "at": at.isoformat()}
        push_json("/api/v1/session-events", people.token(people.platform), said)
    stamp = int(AT.timestamp()) * SECOND
    push_loki(people.token(people.operator), [(stamp, XID)], {"stream": "kernel", "host": "gpu017"})
    drain_all(people.operator)


def correlated(people: Cast) -> tuple[Incident, list[TimelineEntry]]:
    """Look at the attempt, and return its incident and story."""
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get()
    now = AT + timedelta(minutes=10)
    correlate_attempt(owner_id=people.tenant.pk, attempt_id=attempt.pk, now=now)
    with organization_scope(people.tenant.pk, people.operator.pk):
        incident = Incident.objects.get()
        return incident, list(TimelineEntry.objects.filter(incident=incident).order_by("id"))


def culprit(incident: Incident) -> dict[str, Any]:
    """Return the GPU to blame."""
    (one,) = incident.culprits
    return dict(one["gpu"])


@pytest.mark.django_db
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_board_that_sat_there_then_is_named_after_it_was_replaced(
    order: tuple[int, int],
) -> None:
    people = cast()
    told = (
        (people, AT - timedelta(hours=5), "old3", "old4"),
        (people, AT + timedelta(hours=3), "new3", "old4"),
    )
    inventory(*told[order[0]])
    fail(people)
    inventory(*told[order[1]])
    incident, _ = correlated(people)
    assert culprit(incident) == {"index": 3, "uuid": "old3", "pci": "0000:1b:00.0"}


@pytest.mark.django_db
def test_a_board_that_was_replaced_the_day_before_is_told_as_circumstance() -> None:
    people = cast()
    inventory(people, AT - timedelta(hours=50), "old3", "old4")
    inventory(people, AT - timedelta(hours=20), "new3", "old4")
    fail(people)
    incident, story = correlated(people)
    assert culprit(incident)["uuid"] == "new3"
    (told,) = [entry for entry in story if "replaced" in entry.title]
    assert told.title == (
        "GPU 3 of gpu017 was replaced: GPU-old3 was seen there last at 2026-11-19 00:00 UTC"
    )
    assert (told.role, told.organization_id) == ("context", people.operator.pk)
    assert told.at == AT - timedelta(hours=20)


@pytest.mark.django_db
def test_a_part_that_was_replaced_is_no_cause_by_itself() -> None:
    people = cast()
    inventory(people, AT - timedelta(hours=50), "old3", "old4")
    inventory(people, AT - timedelta(hours=20), "new3", "old4")
    fail(people)
    with_change, _ = correlated(people)
    others = cast()
    inventory(others, AT - timedelta(hours=50), "new3", "old4")
    fail(others)
    without, _ = correlated(others)
    assert with_change.probability == without.probability
    assert with_change.coverage == without.coverage


@pytest.mark.django_db
def test_a_kernel_that_names_its_boards_tells_which_one_sat_at_an_address() -> None:
    people = cast()
    said = {
        "at": (AT - timedelta(hours=5)).isoformat(),
        "nodes": [
            {"name": "gpu017", "devices": [{"kind": "gpu", "index": 3, "pci": "0000:1b:00.0"}]}
        ],
    }
    push_json("/api/v1/inventory", people.token(people.operator), said)
    for hours, uuid in ((-4, "a" * 8), (4, "b" * 8)):
        at = AT + timedelta(hours=hours)
        line = (
            f"{at:%Y-%m-%dT%H:%M:%S}+00:00 gpu017 kernel: NVRM: GPU at PCI:0000:1b:00: "
            f"GPU-{uuid}-0000-0000-0000-000000000000"
        )
        stamp = int(at.timestamp()) * SECOND
        labels = {"stream": "kernel", "host": "gpu017"}
        push_loki(people.token(people.operator), [(stamp, line)], labels)
    fail(people)
    incident, _ = correlated(people)
    assert culprit(incident) == {
        "index": 3,
        "uuid": "aaaaaaaa-0000-0000-0000-000000000000",
        "pci": "0000:1b:00.0",
    }
