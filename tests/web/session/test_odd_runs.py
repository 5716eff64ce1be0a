"""What a log tells of a run may be odd: nobody's work stands still, and pages come soon."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from time import process_time

import pytest

from apps.diagnosis.model import PointKind, ProgressPoint
from apps.fleet.models import Session
from apps.telemetry.logs import progress_blocks
from apps.telemetry.models import ProgressBlock
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast, drain_all, push_loki
from tests.web.conftest import Browser

SECOND = 1_000_000_000
START = datetime(2026, 11, 22, 12, tzinfo=UTC)
LABELS = {"stream": "session", "session": "solar-7b", "rank": "0", "attempt": "1"}


def step(number: object, *, batch: object = 64, length: object = 6000) -> str:
    """Return a line of a step as Megatron prints it; its length in milliseconds."""
    return (
        f" iteration {number:>8}/ 9900 | consumed samples: 64 | "
        f"elapsed time per iteration (ms): {length} | learning rate: 1.0E-05 | "
        f"global batch size: {batch} | lm loss: 1.0E+00 | loss scale: 1.0 |"
    )


def push(people: Cast, lines: Iterable[str], *, start: datetime = START) -> None:
    """Push lines of an attempt, six seconds apart, and read them."""
    stamped = [
        (int((start + timedelta(seconds=6 * n)).timestamp()) * SECOND, text)
        for n, text in enumerate(lines)
    ]
    assert push_loki(people.token(people.tenant), stamped, LABELS).status_code == 204
    drain_all(people.tenant)


def read(people: Cast, browser: Browser) -> str:
    """Return the page of the session, with what REST says of its attempt asked for, too."""
    reader = people.tenant
    with organization_scope(reader.pk):
        public_id = Session.objects.get().public_id
    visitor = browser(reader)
    sent = visitor.get(f"/api/v1/o/{reader.slug}/sessions/{public_id}/runs/1/")
    assert sent.status_code == 200
    began = process_time()
    answer = visitor.get(f"/o/{reader.slug}/sessions/{public_id}/")
    assert answer.status_code == 200
    assert process_time() - began < 3
    return str(answer.content.decode())


@pytest.mark.django_db
@pytest.mark.parametrize("stride", [0, 2**40])
def test_steps_that_no_stride_thins_are_thinned_all_the_same(stride: int) -> None:
    people = cast()
    push(people, [step(stride * number) for number in range(5000)])
    with organization_scope(people.tenant.pk):
        assert ProgressBlock.objects.get().point_count <= 4096


@pytest.mark.django_db
@pytest.mark.parametrize(
    "values",
    [
        {"batch": 3_000_000_000},
        {"length": "9" * 30},
        {"length": "1.7E+308"},
        {"length": "1E-300"},
        {"length": "-6000"},
    ],
    ids=repr,
)
def test_odd_numbers_are_no_numbers(browser: Browser, values: dict[str, object]) -> None:
    people = cast()
    push(people, [*map(step, range(20)), step(20, **values), step(21, **values), step(22)])
    assert "0 – 22" in read(people, browser)  # noqa: RUF001


@pytest.mark.django_db
def test_a_leap_of_steps_is_drawn(browser: Browser) -> None:
    people = cast()
    push(people, [*map(step, range(20)), step(2**52)])
    assert 'id="run"' in read(people, browser)


@pytest.mark.django_db
@pytest.mark.parametrize("year", [1970, 1999, 2199])
def test_a_run_of_odd_years_comes_soon(browser: Browser, year: int) -> None:
    people = cast()
    push(people, map(step, range(20)))
    at = datetime(year, 1, 2, tzinfo=UTC)
    push(people, map(step, range(20, 40)), start=at)
    text = read(people, browser)
    assert len(text) < 300_000


def fill(people: Cast, *, blocks: int) -> None:
    """Keep so many full blocks of steps and unended saves for the log that there is."""
    with organization_scope(people.tenant.pk):
        former = ProgressBlock.objects.get()
        points = [
            ProgressPoint(
                kind=PointKind.STEP if n % 2 else PointKind.SAVE_BEGINS,
                number=n,
                step=n // 2,
                at=START + timedelta(seconds=n),
                seconds=1.0 + n // 100 % 2,
            )
            for n in range(8192)
        ]
        body = progress_blocks.packed(points)
        ProgressBlock.objects.bulk_create(
            ProgressBlock(
                organization_id=people.tenant.pk,
                stream_id=former.stream_id,
                block=block,
                point_count=len(points),
                body=body,
            )
            for block in range(1, blocks)
        )


@pytest.mark.django_db
def test_ten_million_lines_of_steps_and_saves_come_soon(browser: Browser) -> None:
    people = cast()
    push(people, map(step, range(20)))
    fill(people, blocks=150)
    assert len(read(people, browser)) < 1_000_000
