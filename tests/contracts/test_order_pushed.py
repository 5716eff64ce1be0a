"""What came first is the same for what was pushed as for the files: who finished stays finished."""

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import EndState, VerdictStatus
from apps.fleet.models import Attempt
from apps.incidents.correlate import Correlated, correlate_attempt
from apps.tenancy.scope import organization_scope
from tests.api.receivers.pushing import NOW, cast, drain_all, push_text
from tests.contracts.test_pushed_equals_offline import stored
from tests.scenarios.told_in_order import AFTER, BEFORE, DONE, STEPS, TRAINED, TRAINER


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
