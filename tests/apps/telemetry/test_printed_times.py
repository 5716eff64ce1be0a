"""What an agent read late is placed as the same file is, uploaded."""

from datetime import datetime, timedelta

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Moment
from apps.fleet.models import Attempt
from apps.telemetry.attempts.readings import readings_of_attempt
from apps.telemetry.formats.line_merge import nanoseconds
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import NOW, Cast, cast, drain_all, push_loki, push_text

LABELS = {"stream": "session", "session": "run", "host": "gpu017", "rank": "136"}
WARN = (
    "gpu017:2203:2300 [0] misc/socket.cc:57 NCCL WARN "
    "socketProgress: Connection closed by remote peer"
)


def _lines(printed: datetime) -> list[str]:
    each = (printed + timedelta(seconds=second) for second in (0, 2))
    return [f"[{at:%Y-%m-%d %H:%M:%S}] {WARN} gpu021<{n}>" for n, at in enumerate(each, 40161)]


def _told(people: Cast) -> list[Moment]:
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        stored = readings_of_attempt(attempt=Attempt.objects.get())
    diagnosis = diagnose(readings=stored.readings)
    return [one for one in diagnosis.timeline if one.event]


@pytest.mark.django_db
@pytest.mark.parametrize("late", [timedelta(seconds=89), timedelta(hours=3, minutes=20)])
def test_lines_read_late_stand_where_the_uploaded_file_stands(late: timedelta) -> None:
    pushed, uploaded = cast(), cast()
    lines = _lines(NOW - late)
    stamps = [nanoseconds(at=NOW) + number for number in range(len(lines))]
    push_loki(pushed.token(pushed.tenant), list(zip(stamps, lines, strict=True)), LABELS)
    push_text(uploaded.token(uploaded.tenant), "\n".join(lines), **LABELS)
    told, same = _told(pushed), _told(uploaded)
    assert [one.at for one in told] == [one.at for one in same]
    assert told[0].at == (NOW - late).replace(microsecond=0)
    doubt = told[0].clock_error
    assert doubt is not None
    assert (doubt > timedelta(hours=3)) == (late > timedelta(hours=3))


@pytest.mark.django_db
def test_lines_of_a_followed_log_keep_the_time_of_reading() -> None:
    people = cast()
    lines = _lines(NOW + timedelta(hours=9))
    stamps = [nanoseconds(at=NOW + timedelta(seconds=second)) for second in (1, 3)]
    push_loki(people.token(people.tenant), list(zip(stamps, lines, strict=True)), LABELS)
    assert _told(people)[0].at == NOW + timedelta(seconds=1)
