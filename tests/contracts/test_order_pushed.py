"""What came first is the same for what was pushed as for the files: who finished stays finished."""

from datetime import timedelta

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import EndState, VerdictStatus
from apps.fleet.models import Attempt
from apps.incidents.correlation.correlate import Correlated, correlate_attempt
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import NOW, cast, drain_all, push_json, push_text
from tests.contracts.pushed_conclusions import concluded
from tests.contracts.stored_diagnoses import stored
from tests.scenarios.told_in_order import AFTER, BEFORE, DONE, STEPS, TRAINED, TRAINER, gone_on
from tests.scenarios.verdicts import reason_of


@pytest.mark.django_db
def test_a_gpu_on_which_steps_were_made_since_is_ruled_out_for_every_party() -> None:
    people = cast()
    event = {"session": "run", "project": "solar", "hosts": ["gpu-n01", "gpu-n02"]}
    answer = push_json("/api/v1/session-events", people.token(people.platform), event)
    assert answer.json()["accepted"] == 1
    stop = (NOW - timedelta(hours=5)).replace(tzinfo=None, microsecond=0)
    for path, text in gone_on(stop=stop, gap=timedelta(minutes=6)).items():
        stream, host = path.split("/")[0], path.split("/")[1].removesuffix(".log")
        token = people.token(people.tenant if stream == "session" else people.operator)
        name = {"session": "run"} if stream == "session" else {}
        answer = push_text(token, text, stream=stream, host=host, filename=path, **name)
        assert answer.status_code == 200, answer.content
    found = concluded(people)
    assert (found.verdict.status, found.verdict.cause) == (VerdictStatus.LIKELY, "rank-exception")
    (gpu,) = [one for one in found.hypotheses if one.cause == "gpu-off-bus"]
    assert reason_of(gpu) == "the session made further steps after it"


@pytest.mark.django_db
@pytest.mark.parametrize("kernel", [BEFORE, AFTER], ids=["before", "after"])
@pytest.mark.parametrize("session", [STEPS + DONE, TRAINER + TRAINED], ids=["timed", "untimed"])
def test_a_session_that_finished_has_no_incident_of_an_old_fault(session: str, kernel: str) -> None:
    people = cast()
    for name, text in (("train.log", session), ("kernel.log", kernel)):
        answer = push_text(people.token(people.tenant), text, session="run", filename=name)
        assert answer.status_code == 200, answer.content
    drain_all(people.tenant)
    found = diagnose(readings=stored(people))
    assert found.verdict.status is VerdictStatus.NO_FAILURE
    assert found.end_state is EndState.FINISHED
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get(session__name="run")
    assert correlate_attempt(owner_id=people.tenant.pk, attempt_id=attempt.pk, now=NOW) == (
        Correlated()
    )
