"""Flight-recorder dumps pushed or uploaded say what they say as files."""

import gzip
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import FirstStopBy, FirstStopper
from apps.fleet.models import Attempt, Session
from apps.telemetry.attempts.readings import readings_of_attempt
from apps.telemetry.models import Event
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast, drain_all, push_text
from tests.diagnosis.dumps.dumping import as_json, call, dump, pickled

DUMPS: dict[int, dict[str, Any]] = {
    rank: dump(rank, call("0", 41, order=11)) for rank in (0, 1, 3)
} | {2: dump(2, call("0", 40, state="completed"))}


def _first(people: Cast) -> FirstStopper | None:
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get(session=Session.objects.get())
        readings = readings_of_attempt(attempt=attempt).readings
    return diagnose(readings=readings).first_stopper


@pytest.mark.django_db
def test_dumps_pushed_one_by_one_name_the_missing_rank() -> None:
    people = cast()
    for rank, value in DUMPS.items():
        body = pickled(value) if rank % 2 else gzip.compress(as_json(value))
        answer = push_text(
            people.token(people.tenant), body, session="run-1", filename=f"trace_{rank}"
        )
        assert answer.json()["accepted"] == 1
    assert _first(people) == FirstStopper(ranks=(2,), by=FirstStopBy.FLIGHT_RECORDER)


@pytest.mark.django_db
def test_dumps_sent_again_are_stored_once() -> None:
    people = cast()
    for _ in range(2):
        push_text(people.token(people.tenant), pickled(DUMPS[0]), session="r", filename="t_0")
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        assert [row.signature for row in Event.objects.all()] == ["flight-recorder-unfinished"]


@pytest.mark.django_db
def test_the_files_of_a_form_may_be_dumps() -> None:
    people = cast()
    form = {"session": "run-2"} | {
        f"f{rank}": SimpleUploadedFile(f"nccl_trace_rank_{rank}", pickled(value))
        for rank, value in DUMPS.items()
    }
    answer = Client().post(
        "/api/v1/logs", form, headers={"Authorization": f"Bearer {people.token(people.tenant)}"}
    )
    assert answer.json()["accepted"] == 4
    assert _first(people) == FirstStopper(ranks=(2,), by=FirstStopBy.FLIGHT_RECORDER)


@pytest.mark.django_db
def test_a_pickle_that_would_run_something_becomes_a_line_that_says_so() -> None:
    people = cast()
    body = b"\x80\x02cos\nsystem\n(U\x02idtR."
    push_text(people.token(people.tenant), body, session="run-3", filename="rank3.pkl")
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        row = Event.objects.get()
    assert row.signature == "dump-refused"
    assert "GLOBAL" in row.body["fields"]["why"]
