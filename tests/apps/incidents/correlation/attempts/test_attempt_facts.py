"""What a diagnosis is told of the sources that were heard."""

import numpy as np
import pytest

from apps.diagnosis.detection.watch_memory import SignalRows
from apps.diagnosis.model import CoverageState, Device
from apps.incidents.correlation.attempts.attempt_facts import gather
from apps.telemetry.metrics.coverage import record_names
from apps.telemetry.models import Source
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of

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


def _measured(cast: Cast, owner: Organization, *hosts: str, state: str = "fresh") -> None:
    """Let an organization's source measure some hosts."""
    roster = SignalRows(
        entities=tuple(Device(kind="gpu", host=host, index=0) for host in hosts),
        details=("",) * len(hosts),
        seen=np.full(len(hosts), 7200.0),
        next=7200.0,
        step=30.0,
    )
    with organization_scope(owner.pk):
        source = Source.objects.create(
            organization=owner,
            public_id=f"SRC-{owner.pk}",
            cluster=cast.cluster,
            kind="prometheus",
            name="metrics",
            url="https://metrics.example",
            created_at=make.AT,
            state=state,
        )
        rosters = {"gpu-temperature": roster}
        record_names(source=source, names=["DCGM"], now=make.AT, rosters=rosters)


@pytest.mark.parametrize(
    ("who", "hosts", "state", "told"),
    [
        ("operator", ["gpu001", "gpu009"], "fresh", CoverageState.PRESENT),
        ("operator", ["gpu001"], "stale", CoverageState.STALE),
        ("operator", ["gpu009"], "fresh", CoverageState.ABSENT),
        ("operator", [], "fresh", CoverageState.ABSENT),
        ("vendor", ["gpu001"], "fresh", CoverageState.ABSENT),
        ("other_tenant", ["gpu001"], "fresh", CoverageState.ABSENT),
        ("tenant", ["gpu001"], "fresh", CoverageState.PRESENT),
        ("tenant", ["gpu009"], "fresh", CoverageState.ABSENT),
    ],
)
def test_metrics_are_there_where_who_runs_the_hosts_or_their_tenant_measures_one(
    cast: Cast, who: str, hosts: list[str], state: str, told: CoverageState
) -> None:
    _measured(cast, getattr(cast, who), *hosts, state=state)
    attempt = attempt_of(cast, cast.tenant)

    with organization_scope(*cast.ids):
        expected = {each.source: each.state for each in gather(attempt=attempt).expected}
    assert expected["metrics"] == told


def test_a_source_that_was_never_read_is_stale_and_hosts_that_are_claimed_join_none(
    cast: Cast,
) -> None:
    with organization_scope(cast.operator.pk):
        Source.objects.create(
            organization=cast.operator, public_id="SRC-0", cluster=cast.cluster,
            kind="prometheus", name="never", url="https://x.example", created_at=make.AT,
            state="stale",
        )  # fmt: skip
    attempts = [attempt_of(cast, cast.tenant, hosts_asserted=sure) for sure in (True, False)]
    told = []
    with organization_scope(*cast.ids):
        for attempt in attempts:
            expected = {each.source: each.state for each in gather(attempt=attempt).expected}
            told.append(expected["metrics"])
    assert told == [CoverageState.STALE, CoverageState.ABSENT]
