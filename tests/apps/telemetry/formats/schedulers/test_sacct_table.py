"""Tables of sacct tell when a job was submitted, could run, ran and ended."""

from collections.abc import Sequence

import pytest

from apps.telemetry.formats.lines.complaints import NothingUsable, TooBig
from apps.telemetry.formats.schedulers import sacct_table
from apps.telemetry.formats.schedulers.json_values import BadReport
from apps.telemetry.formats.schedulers.session_event import SessionEvent
from tests.cast.sacct_tables import COLUMNS, FAILED, RUNS


def events(*lines: str, zone: str = "Asia/Seoul") -> Sequence[SessionEvent]:
    """Return the events of a table in which nothing is wrong."""
    found = list(sacct_table.read("\n".join(lines).encode(), zone))
    told = [each for each in found if isinstance(each, SessionEvent)]
    assert told == found
    return told


def test_a_job_goes_through_queue_run_and_end_in_the_zone_that_was_said() -> None:
    told = events(COLUMNS, FAILED)
    assert [(each.scheduler_state, each.at, each.reason) for each in told] == [
        ("PENDING", "2026-11-21T01:00:00+00:00", "submitted"),
        ("PENDING", "2026-11-21T01:05:00+00:00", "eligible"),
        ("RUNNING", "2026-11-21T02:00:00+00:00", ""),
        ("NODE_FAIL", "2026-11-21T03:00:00+00:00", "1:0"),
    ]
    assert {each.session for each in told} == {"4711"}
    assert told[2].hosts == ("gpu017", "gpu018")
    assert (told[0].job, told[0].project, told[0].hosts) == ("solar", "llm", ())


def test_a_requeued_job_has_an_attempt_for_each_row_in_any_order() -> None:
    told = events(COLUMNS, RUNS, FAILED)
    assert [(each.attempt, each.scheduler_state) for each in told] == [
        *((1, word) for word in ("PENDING", "PENDING", "RUNNING", "NODE_FAIL")),
        *((2, word) for word in ("PENDING", "PENDING", "RUNNING")),
    ]


def test_a_column_of_restarts_says_which_attempt_a_row_is() -> None:
    (*_, last) = events(f"{COLUMNS}|Restarts", f"{RUNS}|6")
    assert last.attempt == 7


def test_steps_and_other_components_are_no_sessions_and_a_cancel_has_no_run() -> None:
    none = "2026-11-21T10:00:00|2026-11-21T10:00:00|2026-11-21T10:30:00"
    told = events(
        COLUMNS,
        FAILED.replace("4711", "4711.batch"),
        FAILED.replace("4711", "812+1"),
        f"813_2|solar|llm|{none}|2026-11-21T10:30:00|CANCELLED by 1000|None assigned|0:0",
    )
    assert [(each.session, each.scheduler_state) for each in told] == [
        ("813_2", "PENDING"),
        ("813_2", "CANCELLED"),
    ]


def test_printed_zones_and_unix_seconds_need_no_zone() -> None:
    told = events("JobID|Start|End|State", "1|1795222800|2026-11-21T12:00:00+0900|FAILED", zone="")
    assert [each.at for each in told] == ["2026-11-21T01:00:00+00:00", "2026-11-21T03:00:00+00:00"]


@pytest.mark.parametrize(
    ("row", "zone", "words"),
    [
        (FAILED, "", "sacct prints local time"),
        (FAILED, "Asia/Soul", "Asia/Seoul"),
        (FAILED.replace("T11:00:00", "T25:00:00"), "UTC", "is no time"),
        (FAILED.replace("NODE_FAIL", "?"), "UTC", "is no state"),
    ],
)
def test_what_is_wrong_with_a_row_is_said_and_the_next_row_is_taken(
    row: str, zone: str, words: str
) -> None:
    good = "4712|1795222800|1795222900|FAILED"
    names = "JobID|Start|End|State"
    (wrong, *_) = sacct_table.read(f"{COLUMNS}\n{row}".encode(), zone)
    assert isinstance(wrong, BadReport)
    assert words in str(wrong)
    assert len(events(names, good, zone=zone if zone != "Asia/Soul" else "")) == 2


@pytest.mark.parametrize("body", [b"", b"JobID|State\n1|FAILED", b"{}"])
def test_a_body_without_the_columns_is_refused_with_the_command(body: bytes) -> None:
    with pytest.raises(NothingUsable, match="sacct -P -D -X"):
        list(sacct_table.read(body, "UTC"))


def test_rows_of_a_few_letters_that_name_thousands_of_nodes_each_are_refused() -> None:
    rows = [f"{at}|1795222800|1795222900|FAILED|n[0-19999]" for at in range(200)]
    with pytest.raises(TooBig, match="500000 nodes"):
        list(sacct_table.read("\n".join(["JobID|Start|End|State|NodeList", *rows]).encode(), ""))


def test_a_refusal_says_no_credential_back() -> None:
    token = "ghp_" + "a1B2" * 9
    row = f"1|1795222800|1795222900|{token}"
    (wrong,) = sacct_table.read(f"JobID|Start|End|State\n{row}".encode(), "")
    assert token not in str(wrong)
