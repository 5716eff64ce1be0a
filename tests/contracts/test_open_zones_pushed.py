"""A session's log that states no zone, and a kernel log of its host, each pushed by its holder."""

from datetime import UTC, timedelta

import pytest

from apps.diagnosis.model import VerdictStatus
from apps.telemetry.formats.line_merge import nanoseconds
from tests.cast.pushes import NOW, Cast, cast, push_json, push_loki, push_text
from tests.contracts.pushed_conclusions import concluded
from tests.scenarios.open_zones import HOST, XID, Line, kernel, session

pytestmark = pytest.mark.sweep

SEOUL, NONE, HOUR = timedelta(hours=9), timedelta(0), timedelta(hours=1)
STOP = (NOW - timedelta(hours=5)).replace(tzinfo=None, microsecond=0)
SESSION = {"stream": "session", "session": "run", "host": HOST}
KERNEL = {"stream": "kernel", "host": HOST}


def parties() -> Cast:
    """Return parties of which the platform has told that the session runs on the host."""
    people = cast()
    event = {"session": "run", "project": "solar", "hosts": [HOST]}
    answer = push_json("/api/v1/session-events", people.token(people.platform), event)
    assert answer.json()["accepted"] == 1
    return people


def kernel_text(style: str, zone: timedelta) -> str:
    return kernel(style=style, zone=zone, lines=[Line(after=XID)], stop=STOP)


@pytest.mark.django_db
@pytest.mark.parametrize("style", ["short-iso", "syslog", "dmesg-T"])
@pytest.mark.parametrize("zones", [(SEOUL, NONE), (NONE, SEOUL), (NONE, NONE), (SEOUL, SEOUL)])
def test_files_of_two_zones_are_read_in_both(
    zones: tuple[timedelta, timedelta], style: str
) -> None:
    people = parties()
    text = session(style="torchrun", zone=zones[0], stop=STOP)
    for token, body, labels in (
        (people.token(people.tenant), text, SESSION),
        (people.token(people.operator), kernel_text(style, zones[1]), KERNEL),
    ):
        assert push_text(token, body, **labels).status_code == 200
    found = concluded(people)
    assert found.verdict.cause == "gpu-off-bus"
    # What a line of the host prints for its zone is taken, or UTC: both meet the stop.
    known = {NONE, zones[1]} if style == "short-iso" else {zones[1]}
    is_open = zones[0] not in known
    status = VerdictStatus.POSSIBLE if is_open else VerdictStatus.LIKELY
    assert (found.verdict.status, bool(found.zones)) == (status, is_open)


@pytest.mark.django_db
@pytest.mark.parametrize("hours", [0.1, 0.6, 1.2, 3.3])
@pytest.mark.parametrize("zone", [SEOUL, NONE, timedelta(hours=-8)])
def test_a_session_log_that_is_read_late_rules_no_kernel_line_out(
    zone: timedelta, hours: float
) -> None:
    people = parties()
    read_at = nanoseconds(at=STOP.replace(tzinfo=UTC) + HOUR * hours)
    lines = session(style="torchrun", zone=zone, stop=STOP).splitlines()
    stamped = [(read_at + position, line) for position, line in enumerate(lines)]
    push_loki(people.token(people.tenant), stamped, SESSION)
    at = nanoseconds(at=(STOP + XID).replace(tzinfo=UTC))
    push_loki(people.token(people.operator), [(at, kernel_text("short-iso", NONE))], KERNEL)
    found = concluded(people)
    assert found.verdict.cause == "gpu-off-bus", (found.clocks, found.zones, found.hypotheses)
