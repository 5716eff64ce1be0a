"""What a diagnosis is told of the sources that were heard."""

import pytest

from apps.diagnosis.model import CoverageState
from apps.incidents.gather import gather
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.cast import Cast, attempt_of

pytestmark = pytest.mark.django_db
TOLD = ["slurm", "2026-11-21T01:00:00+00:00"]


@pytest.mark.parametrize(
    ("said", "heard"),
    [(("started_at", "ended_at"), CoverageState.PRESENT), (("started_at",), None), ((), None)],
    ids=["start-and-end", "start", "nothing"],
)
def test_a_scheduler_that_told_start_and_end_is_not_lacking(
    cast: Cast, said: tuple[str, ...], heard: CoverageState | None
) -> None:
    attempt = attempt_of(cast, cast.tenant, field_sources=dict.fromkeys(said, TOLD))

    with organization_scope(*cast.ids):
        expected = {each.source: each.state for each in gather(attempt=attempt).expected}

    assert expected.get("scheduler-log") == heard
