"""Checks that fail on healthy nodes: told by sessions that finished, with n and interval."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.telemetry.models import Source
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.clients import member, token
from tests.cast.incidents import Cast, attempt_of
from tests.cast.warnings import warn
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db


def _now() -> datetime:
    return timezone.now().replace(microsecond=0)  # noqa: TID251  pages look at the clock


def _runs(cast: Cast, *, count: int, state: str = "finished", host: str = "gpu001") -> None:
    """Record sessions of an hour each, on as many days before today."""
    for number in range(1, count + 1):
        begin = _now() - timedelta(days=1, hours=2 * number)
        attempt_of(
            cast,
            cast.tenant,
            hosts=[host],
            started_at=begin,
            ended_at=begin + timedelta(hours=1),
            state=state,
        )


def _warned(cast: Cast, *, number: int, host: str = "gpu001", **fields: object) -> None:
    """Warn in the middle of the session of that number."""
    at = _now() - timedelta(days=1, hours=2 * number) + timedelta(minutes=30)
    told: dict[str, object] = {
        "raised_at": at,
        "told_at": at,
        "starts_at": at,
        "ends_at": at + timedelta(minutes=5),
    }
    told["public_id"] = f"EP-{host}-{number}"
    warn(cast, host=host, hosts=[host], **{"causes": ["gpu-nvlink"], **told, **fields})


@pytest.fixture
def measured(cast: Cast) -> Cast:
    """An operator whose metrics were read for a month."""
    with organization_scope(*cast.ids):
        Source.objects.create(
            organization=cast.operator,
            public_id="SRC-1",
            cluster=cast.cluster,
            kind="prometheus",
            name="metrics",
            url="https://metrics.example",
            created_at=_now() - timedelta(days=30),
            last_success_at=_now(),
        )
    return cast


def _page(cast: Cast, who: Organization) -> str:
    answer = member(who).client.get(f"/o/{who.slug}/offenders/{cast.cluster.slug}/", {"days": "28"})
    assert answer.status_code == 200, answer.content
    return one_line(answer.content.decode())


def _rest(cast: Cast, who: Organization) -> dict[str, Any]:
    found = token(who).get(f"clusters/{cast.cluster.slug}/offenders/", days=28).json()
    told: dict[str, Any] = found["health_checks"]
    return told


def test_a_check_is_counted_in_finished_and_in_failed_sessions_with_its_interval(
    measured: Cast,
) -> None:
    _runs(measured, count=9)
    _runs(measured, count=2, state="failed", host="gpu002")
    _warned(measured, number=3)
    _warned(measured, number=1, host="gpu002")
    (row,) = _rest(measured, measured.operator)["checks"]
    assert (row["check"], row["high"], row["within"]) == ("gpu-nvlink", True, False)
    assert (row["in_successful"]["hits"], row["in_successful"]["n"]) == (1, 9)
    assert (row["in_failed"]["hits"], row["in_failed"]["n"]) == (1, 2)
    page = _page(measured, measured.operator)
    assert "A warning stood on a node of 1 of 9 sessions that finished" in page
    assert "2.0 to 43.5 %" in page
    assert "it takes out good nodes" in page


@pytest.mark.parametrize(
    "fields",
    [
        {"host": "gpu009"},
        {"number": 40},
    ],
    ids=["another node", "when nothing ran"],
)
def test_what_was_raised_elsewhere_or_at_another_time_is_no_failure_of_a_session(
    measured: Cast, fields: dict[str, object]
) -> None:
    _runs(measured, count=9)
    _warned(measured, **{"number": 3, **fields})  # type: ignore[arg-type]
    told = _rest(measured, measured.operator)
    assert (told["any_high"]["hits"], told["checks"]) == (0, [])
    assert "No check failed." in _page(measured, measured.operator)


def test_a_signal_is_counted_and_is_none_of_high_severity(measured: Cast) -> None:
    _runs(measured, count=9)
    _warned(measured, number=3, is_page=False)
    told = _rest(measured, measured.operator)
    assert told["any_high"]["hits"] == 0
    assert [each["high"] for each in told["checks"]] == [False]


def test_sessions_that_were_cancelled_or_began_before_the_metrics_count_for_nothing(
    measured: Cast,
) -> None:
    _runs(measured, count=3, state="cancelled")
    attempt_of(
        measured,
        measured.tenant,
        started_at=_now() - timedelta(days=40),
        ended_at=_now() - timedelta(days=1),
        state="finished",
    )
    assert _rest(measured, measured.operator)["any_high"]["n"] == 0
    assert "No session of these days finished" in _page(measured, measured.operator)


def test_who_has_no_metrics_is_told_that_nothing_is_known_and_reads_none_of_others(
    measured: Cast,
) -> None:
    _runs(measured, count=9)
    _warned(measured, number=3)
    told = _rest(measured, measured.tenant)
    assert (told["measured_since"], told["any_high"]["n"], told["checks"]) == (None, 0, [])
    page = _page(measured, measured.tenant)
    assert "Your organization has no metrics of this cluster" in page
    assert "gpu-nvlink" not in page
    path = f"/o/{measured.stranger.slug}/offenders/{measured.cluster.slug}/"
    assert member(measured.stranger).client.get(path).status_code == 404
