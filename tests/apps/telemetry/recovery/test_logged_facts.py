"""Lines of a job's log tell of lost replicas as events do; what is told goes once it is old."""

from datetime import timedelta

import pytest

from apps.fleet.models import Attempt
from apps.telemetry.models import RecoveryBlock
from apps.telemetry.recovery.run_state import settle_state, stored_run
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import EVENTS, come_in, retire
from tests.cast import make
from tests.cast.pushes import Cast, cast
from tests.cast.recovery_events import story, tell

pytestmark = pytest.mark.django_db
AT = make.AT


def quorum(number: int, *replicas: str) -> list[str]:
    """Return what replicas of torchft print as they form a group."""
    at = AT + timedelta(seconds=number * 10)
    return [
        f"{at:%Y-%m-%dT%H:%M:%S}Z INFO:torchft.manager:[{each}/{rank} - step {number}] "
        f"reconfiguring for quorum_id={number} store_prefixed_addr='n01:29500/torchft/7/0'"
        for each in replicas
        for rank in range(2)
    ]


def attempt_of(people: Cast) -> Attempt:
    """Return the tenant's only attempt. Needs its scope."""
    return Attempt.objects.select_related("session").get()


def test_a_replica_that_is_in_no_later_quorum_is_lost() -> None:
    people = cast()
    lines = [*quorum(1, "a", "b"), *quorum(2, "a")]
    come_in(people.tenant, people.cluster, lines, at=AT, session="run-1", attempt="1")
    with organization_scope(people.tenant.pk):
        attempt = attempt_of(people)
        settle_state(attempt=attempt)
        found = stored_run(attempt=attempt)
        assert attempt_of(people).lost_gpu_count == 2
        assert attempt_of(people).alive_gpu_count is None
    assert found is not None
    assert [each.replica for each in found.run.losses] == ["b"]


def test_a_job_whose_lines_tell_nothing_of_it_has_no_such_state() -> None:
    people = cast()
    come_in(people.tenant, people.cluster, ["step 1 loss 2.3"], at=AT, session="run-1", attempt="1")
    with organization_scope(people.tenant.pk):
        attempt = attempt_of(people)
        settle_state(attempt=attempt)
        assert attempt_of(people).lost_gpu_count is None


def test_another_tenant_reads_none_of_it() -> None:
    people = cast()
    tell(people, story())
    with organization_scope(people.tenant.pk):
        attempt = attempt_of(people)
    with organization_scope(people.other.pk):
        assert stored_run(attempt=attempt) is None


def test_what_was_told_goes_with_the_events() -> None:
    people = cast()
    tell(people, story())
    with organization_scope(people.tenant.pk):
        (newest,) = {row.received_at for row in RecoveryBlock.objects.all()}
    retire(people.tenant, now=newest + timedelta(days=1))
    with organization_scope(people.tenant.pk):
        assert RecoveryBlock.objects.count() == 2
    retire(people.tenant, now=newest + EVENTS + timedelta(days=1))
    with organization_scope(people.tenant.pk):
        assert not RecoveryBlock.objects.exists()
