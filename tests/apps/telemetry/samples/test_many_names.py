"""A source of thousands of names: read within its organization's half, what is too much is said."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
import time_machine

from apps.diagnosis.detection.metrics.frames import Grid, Samples
from apps.telemetry import tasks
from apps.telemetry.metrics.pulls import pull, signal_reading
from apps.telemetry.models import Source
from apps.telemetry.samples.accept import KIND
from apps.telemetry.samples.window.window_reading import PushedWindow
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import worker_shares
from tests.api.receivers.writing import Series, snapped, v1, write
from tests.apps.telemetry.samples.windows import drained
from tests.cast.metrics import NOW, Cast, cast, reloaded
from tests.cast.pushes import token

pytestmark = pytest.mark.django_db
NAMES = 30
LATER = NOW + timedelta(minutes=1)


def pushed(people: Cast) -> Source:
    """Push a sample of each of many names, and return the source."""
    at = round((NOW - timedelta(seconds=20)).timestamp() * 1000)
    series = [
        Series(
            labels={"__name__": f"job_metric_{number:03d}", "instance": "gpu001:9400"},
            samples=[(at, 1.5)],
        )
        for number in range(NAMES)
    ]
    credential = token(people.operator, people.cluster)
    assert write(credential, snapped(v1(series))).status_code == 204
    drained(people.operator, now=NOW)
    with organization_scope(people.operator.pk):
        return Source.objects.get(kind=KIND)


def test_names_beyond_the_limit_are_left_out_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal_reading, "MOST_NAMES", 20)
    people = cast()
    made = pushed(people)

    pulled = pull.pull_source(organization_id=people.operator.pk, source_id=made.pk, now=LATER)

    assert (pulled.state, pulled.series_count) == ("fresh", 20)
    assert "left out by its limits: job_metric_020" in reloaded(made).last_error
    assert "and 5 more" in reloaded(made).last_error


def test_all_names_are_read_with_few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    made = pushed(people)
    asked = []
    matrix = PushedWindow.matrix

    def counted(self: PushedWindow, *, query: str, grid: Grid) -> list[Samples]:
        asked.append(query)
        return matrix(self, query=query, grid=grid)

    monkeypatch.setattr(PushedWindow, "matrix", counted)

    pulled = pull.pull_source(organization_id=people.operator.pk, source_id=made.pk, now=LATER)

    assert pulled.series_count == NAMES
    assert len(asked) == 1


def test_reading_what_was_pushed_is_work_of_its_organization(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()
    made = pushed(people)

    @contextmanager
    def share(organization_id: int) -> Iterator[bool]:
        held.append(organization_id)
        yield False

    held: list[int] = []
    monkeypatch.setattr(worker_shares, "of_organization", share)
    with time_machine.travel(NOW, tick=False):
        tasks.pull_source.run(organization_id=people.operator.pk, source_id=made.pk)

    assert held == [people.operator.pk]
    assert reloaded(made).last_attempt_at is None
