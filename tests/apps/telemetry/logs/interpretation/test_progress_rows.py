"""Steps and saves of pushed lines are kept once, however the lines came, for their owner alone."""

import pytest

from apps.fleet.models import Session
from apps.telemetry.facade.progress import StreamProgress, progress_of
from apps.telemetry.logs.interpretation import interpret
from apps.telemetry.models import LogStream, ProgressBlock
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import actor
from tests.cast.pushes import NOW, Cast, cast, drain_all, push_loki, push_text

SECOND = 1_000_000_000
START = 1_795_226_400 * SECOND
LABELS = {"stream": "session", "session": "solar-7b", "rank": "0"}


def line(step: int) -> str:
    """Return the line of a step."""
    return f"step: {step} loss: 2.0 grad_norm: 1.0 memory: 1.0GiB(1.0%) tps: 7 tflops: 4 mfu: 4.0%"


STAMPED = [(START + number * SECOND, line(number)) for number in range(60)]
STAMPED[30:30] = [(START + 29 * SECOND + 1, "saving checkpoint at iteration 30 to /a")]


def told(people: Cast, reader: Organization | None = None) -> list[StreamProgress]:
    """Return what a party reads of every attempt."""
    reader = reader or people.tenant
    with organization_scope(people.tenant.pk):
        sessions = list(Session.objects.order_by("id").values_list("id", flat=True))
    with organization_scope(reader.pk):
        who = actor(reader)
        found = [progress_of(actor=who, session_id=pk) for pk in sessions]
    return [log for each in found for logs in each.values() for log in logs]


def push(people: Cast, part: list[tuple[int, str]]) -> None:
    """Push stamped lines as the tenant, and read them."""
    assert push_loki(people.token(people.tenant), part, LABELS).status_code == 204
    drain_all(people.tenant)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "parts",
    [
        [STAMPED],
        [STAMPED[:20], STAMPED[20:]],
        [STAMPED[40:], STAMPED[:20], STAMPED[20:40]],
        [STAMPED[::2], STAMPED[1::2], STAMPED],
    ],
    ids=["at once", "in two", "late", "every other, then all again"],
)
def test_steps_and_saves_are_kept_once(parts: list[list[tuple[int, str]]]) -> None:
    people = cast()
    for part in parts:
        push(people, part)
    (found,) = told(people)
    assert [point.step for point in found.points] == [*range(30), 30, *range(30, 60)]
    assert [point.number for point in found.points] == list(range(1, 62))
    assert found.points[30].kind == "save-begins"
    assert found.rank == 0


@pytest.mark.django_db
def test_a_stream_that_is_read_again_keeps_them_once() -> None:
    people = cast()
    push(people, STAMPED)
    before = told(people)
    with organization_scope(people.tenant.pk):
        interpret.read_stream_again(
            organization_id=people.tenant.pk, stream_id=LogStream.objects.get().pk, now=NOW
        )
        assert ProgressBlock.objects.count() == 1
    assert told(people) == before


@pytest.mark.django_db
def test_nobody_else_reads_them() -> None:
    people = cast()
    push(people, STAMPED)
    assert told(people)
    for other in (people.operator, people.platform, people.other):
        assert told(people, other) == []
        with organization_scope(other.pk):
            assert not ProgressBlock.objects.exists()


@pytest.mark.django_db
def test_a_file_without_times_tells_its_steps_too() -> None:
    people = cast()
    text = "\n".join(line(step) for step in range(10))
    push_text(people.token(people.tenant), text, **LABELS)
    drain_all(people.tenant)
    (found,) = told(people)
    assert [(point.step, point.at) for point in found.points] == [(n, None) for n in range(10)]
