"""What rules find in a holder's metrics, and when they say that they can't tell."""

from datetime import timedelta
from typing import Any

from apps.incidents.evidence_requests.answers.values import CheckOutcome
from apps.incidents.models import Incident
from apps.telemetry.models import EvidenceBlock
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.answers import found, previewed, words
from tests.cast.evidence_requests import asked
from tests.cast.incidents import Cast
from tests.cast.kept_charts import keep

AT = make.AT
MINUTE = timedelta(minutes=1)


def test_a_series_over_the_limit_says_when_it_broke_it(cast: Cast, incident: Incident) -> None:
    keep(cast, incident)

    told = found(cast, incident, "gpu-temperature", "metrics:gpu")

    assert (told.outcome, told.count) == (CheckOutcome.FAILS, 1)
    assert told.first_at is not None
    assert told.first_at < AT


def test_a_series_within_the_limit_says_so_for_the_window_that_it_covers(
    cast: Cast, incident: Incident
) -> None:
    keep(cast, incident)
    window = {"starts_at": AT - 19 * MINUTE, "ends_at": AT - 12 * MINUTE}

    told = found(cast, incident, "gpu-temperature", "metrics:gpu", **window)

    assert told.outcome is CheckOutcome.HOLDS
    assert "stayed at 87 °C or below" in words(told)


def test_metrics_are_asked_for_as_long_as_they_are_kept(cast: Cast, incident: Incident) -> None:
    keep(cast, incident)
    request = asked(incident, cast.tenant, cast.operator, data="metrics:gpu")

    told = previewed(request, cast.operator)

    assert (told.starts_at, told.ends_at) == (AT - 20 * MINUTE, AT + 6 * MINUTE)


def test_a_window_beyond_what_is_kept_is_answered_for_the_part_that_is(
    cast: Cast, incident: Incident
) -> None:
    keep(cast, incident)
    asked_for: dict[str, Any] = {"starts_at": AT - 60 * MINUTE, "ends_at": AT - 15 * MINUTE}
    request = asked(incident, cast.tenant, cast.operator, data="metrics:gpu", **asked_for)

    (told,) = [
        each
        for each in previewed(request, cast.operator).findings
        if each.check.name == "gpu-temperature"
    ]

    assert told.outcome is CheckOutcome.PARTLY
    assert told.part is not None
    assert (told.part.hosts, told.part.ends_at) == (("gpu001",), AT - 15 * MINUTE)
    assert abs(told.part.starts_at - (AT - 20 * MINUTE)) <= MINUTE
    assert "2026-11-21 01:40:00–01:45:00 UTC" in words(told)  # noqa: RUF001
    assert "of the rest it is not known: gpu001: its series lacks samples from" in words(told)


def test_missing_samples_are_named_and_leave_it_open(cast: Cast, incident: Incident) -> None:
    keep(cast, incident)
    window = {"starts_at": AT + MINUTE, "ends_at": AT + 5 * MINUTE}

    told = found(cast, incident, "gpu-temperature", "metrics:gpu", **window)

    assert told.outcome is CheckOutcome.UNKNOWN
    assert "lacks samples from 2026-11-21 02:01:00 UTC to 2026-11-21 02:05:00 UTC" in words(told)


def test_a_signal_that_was_not_kept_leaves_it_open(cast: Cast, incident: Incident) -> None:
    keep(cast, incident)
    with organization_scope(cast.operator.pk):
        EvidenceBlock.objects.filter(family="temperature").delete()

    told = found(cast, incident, "gpu-temperature", "metrics:gpu")

    assert "gpu001: no such series was kept" in words(told)
