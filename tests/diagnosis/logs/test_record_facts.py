"""What a record says of its text and its sender, alone and inside of another record."""

from datetime import UTC, datetime

import pytest

from apps.diagnosis.logs.record_facts import WrappingFacts, of_fields, text, told

STACK = 'Traceback (most recent call last):\n  File "/app/train.py", line 5\nValueError: no'
COLLECTOR = '{"time": "2026-11-09T03:12:44Z", "host": "n7", "pid": 7}'
PROGRAM = '{"ts": "2026-11-09T03:12:40Z", "host": "worker", "pid": 4242}'


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"message": "it failed", "exc_info": STACK}, "it failed"),
        ({"exc_info": STACK}, ""),
        ({"message": "it failed", "step": 3}, None),
        ({"message": "it failed", "error": "ValueError: no"}, None),
    ],
)
def test_a_record_without_level_and_time_wraps_a_text_where_it_carries_a_stack(
    entry: dict[str, object], said: str | None
) -> None:
    assert text(entry=entry) == said


def test_of_records_in_records_the_collector_names_the_host_and_the_program_the_rest() -> None:
    assert told(record=f"{COLLECTOR}\n{PROGRAM}") == WrappingFacts(
        at=datetime(2026, 11, 9, 3, 12, 40, tzinfo=UTC), host="n7", pid=4242
    )


def test_what_the_program_does_not_tell_the_collector_does() -> None:
    assert told(record=f'{COLLECTOR}\n{{"msg": "it failed"}}') == WrappingFacts(
        at=datetime(2026, 11, 9, 3, 12, 44, tzinfo=UTC), host="n7", pid=7
    )


def test_a_host_is_a_name_that_is_a_text_and_not_empty() -> None:
    fields = {"hostname": "", "host": {"name": "n8"}, "node": "n7"}
    assert of_fields(fields=fields).host == "n7"
    assert of_fields(fields={"host": {"name": "n8"}}).host is None


@pytest.mark.parametrize(
    ("counted", "at"),
    [
        (1_793_000_000, datetime(2026, 10, 26, 7, 33, 20, tzinfo=UTC)),
        (1_793_000_000_000, datetime(2026, 10, 26, 7, 33, 20, tzinfo=UTC)),
        (100_000_000_000, None),  # the last as seconds: of no log's time
        (100_000_000_001, datetime(1973, 3, 3, 9, 46, 40, 1000, tzinfo=UTC)),
    ],
)
def test_a_number_is_seconds_or_milliseconds_by_its_size(counted: int, at: datetime | None) -> None:
    assert of_fields(fields={"time": counted}).at == at
