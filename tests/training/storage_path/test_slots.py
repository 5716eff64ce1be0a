"""What RPC slots allow, and what slow requests are consistent with."""

from dataclasses import replace

import pytest

from apps.training.storage_path.slots import SlotReading, SlotScene, slot_bound, slot_reading

STUDY = SlotScene(
    observed_bytes_per_second=0.67e9,
    request_seconds=1.621,
    queue_seconds=1.621 * 0.922,
    backlog_requests=40,
    response_seconds=0.1,
    quiet_response_seconds=0.09,
)


def test_128_slots_of_a_mebibyte_and_126_ms_are_a_gigabyte_a_second() -> None:
    assert slot_bound(served_seconds=0.126) == pytest.approx(1.06e9, rel=0.01)


def test_the_first_reading_needs_bound_backlog_and_a_server_that_answers_as_ever() -> None:
    assert slot_reading(STUDY).reading is SlotReading.SLOT_LIMIT


@pytest.mark.parametrize(
    "changed",
    [
        replace(STUDY, response_seconds=0.2),  # the server is slow as well
        replace(STUDY, observed_bytes_per_second=0.5e9),  # less than half of the bound
        replace(STUDY, observed_bytes_per_second=2.2e9),  # twice of it
    ],
)
def test_else_requests_queue_and_by_what_stays_open(changed: SlotScene) -> None:
    assert slot_reading(changed).reading is SlotReading.QUEUEING


def test_without_a_backlog_it_is_neither() -> None:
    assert slot_reading(replace(STUDY, backlog_requests=0)).reading is SlotReading.NEITHER


def test_requests_that_hardly_queue_are_no_queueing() -> None:
    told = replace(STUDY, request_seconds=0.2, queue_seconds=0.05, observed_bytes_per_second=1e7)
    assert slot_reading(told).reading is SlotReading.NEITHER


def test_nothing_moved_is_near_no_bound() -> None:
    assert not slot_reading(replace(STUDY, observed_bytes_per_second=0)).is_near_bound


def test_requests_that_only_queue_have_no_bound() -> None:
    with pytest.raises(ValueError, match="has no bound"):
        slot_reading(replace(STUDY, queue_seconds=STUDY.request_seconds))
