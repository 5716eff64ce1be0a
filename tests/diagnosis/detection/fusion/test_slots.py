"""The slot bound of a file-system client."""

from dataclasses import replace

import pytest

from apps.diagnosis.detection.fusion.rpc_slots import MIB, SlotBound

STUDY = SlotBound(
    slots=128,
    bytes_a_request=MIB,
    service_seconds=0.126,
    observed_bytes_a_second=0.67e9,
    backlog=40,
    usual_service_seconds=0.12,
)


def test_the_bound_of_the_published_study() -> None:
    assert STUDY.bytes_a_second == pytest.approx(1.06e9, rel=0.01)
    assert STUDY.is_consistent
    assert "consistent with the slot limit" in STUDY.wording


@pytest.mark.parametrize(
    "changed",
    [
        {"observed_bytes_a_second": 0.4e9},
        {"observed_bytes_a_second": 2.5e9},
        {"backlog": 0.0},
        {"service_seconds": 0.3, "observed_bytes_a_second": 0.45e9},
        {"service_seconds": 0.0},
    ],
)
def test_nothing_is_claimed_where_a_condition_fails(changed: dict[str, float]) -> None:
    assert not replace(STUDY, **changed).is_consistent


def test_without_a_past_the_server_is_not_called_flat() -> None:
    assert replace(STUDY, usual_service_seconds=None).is_response_flat is None
