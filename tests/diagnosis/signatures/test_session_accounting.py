"""Tables of sacct tell the state of jobs, whatever stands inside their fields."""

from datetime import datetime

import pytest

from apps.diagnosis.model import Event, Origin, Reading, Role, Stream
from apps.diagnosis.signatures.read import StreamReader, read_source

ORIGIN = Origin(source="sacct.txt")
HEAD = "JobID|JobName|State|ExitCode|Start|End|NodeList"
ROWS = [
    "501|pretrain|TIMEOUT|0:0|2026-11-08T03:12:44|2026-11-09T03:12:44|n[01-08]",
    "501.batch|batch|CANCELLED|0:15|2026-11-08T03:12:44|2026-11-09T03:12:50|n01",
    "501.extern|extern|COMPLETED|0:0|2026-11-08T03:12:44|2026-11-09T03:12:44|n[01-08]",
    "502|tune|CANCELLED by 1004|0:0|2026-11-08T03:12:44|Unknown|n09",
]


def rows(text: str) -> list[Event]:
    return [
        one
        for one in read_source(origin=ORIGIN, text=text).events
        if one.signature == "slurm-accounting"
    ]


def table(*lines: str, head: str = HEAD) -> str:
    return "\n".join((head, *lines))


def test_each_job_has_a_state_and_its_steps_have_none() -> None:
    found = rows(table(*ROWS))
    assert [(one.fields["job"], one.fields["state"]) for one in found] == [
        ("501", "TIMEOUT"),
        ("502", "CANCELLED"),
    ]
    assert found[0].line.local_at == datetime(2026, 11, 9, 3, 12, 44)  # noqa: DTZ001  as printed
    assert (found[1].line.at, found[1].line.local_at) == (None, None)
    assert {one.line.stream for one in found} == {Stream.SCHEDULER}


def test_a_table_is_a_schedulers_voice() -> None:
    (extent,) = read_source(origin=ORIGIN, text=table(*ROWS)).extents
    assert extent.stream is Stream.SCHEDULER


def test_a_line_break_inside_a_field_does_not_end_a_row() -> None:
    torn = "501|pre\ntrain\n of May|FAILED|1:0|2026-11-08T03:12:44|2026-11-09T03:12:44|n01"
    found = rows(table(torn, ROWS[3]))
    assert [one.fields["state"] for one in found] == ["FAILED", "CANCELLED"]


def test_a_torn_row_does_not_swallow_the_next() -> None:
    assert [one.fields["job"] for one in rows(table("499|torn|FAI", *ROWS))] == ["501", "502"]


def test_a_separator_of_two_characters_leaves_bars_in_fields() -> None:
    text = table(*ROWS, head=HEAD).replace("|", "|#").replace("pretrain", "run || true")
    assert [one.fields["job"] for one in rows(text)] == ["501", "502"]


def test_a_table_of_fixed_width_is_read_by_its_rule() -> None:
    text = """JobID           JobName  Partition      State ExitCode
------------ ---------- ---------- ---------- --------
501            pretrain        gpu  NODE_FAIL      1:0
501.batch         batch             CANCELLED     0:15"""
    (row,) = rows(text)
    assert (row.fields["job"], row.fields["state"], row.fields["exit"]) == (
        "501",
        "NODE_FAIL",
        "1:0",
    )


@pytest.mark.parametrize(
    ("state", "signature", "role"),
    [
        ("NODE_FAIL", "slurm-job-lost", Role.INITIATING),
        ("OUT_OF_MEMORY", "slurm-job-oom", Role.CONFIRMATION),
    ],
)
def test_the_only_job_of_a_table_speaks_for_itself(state: str, signature: str, role: Role) -> None:
    only = ROWS[0].replace("TIMEOUT", state)
    events = read_source(origin=ORIGIN, text=table(only)).events
    assert {(one.signature, one.role) for one in events} == {
        ("slurm-accounting", Role.CONTEXT),
        (signature, role),
    }
    events = read_source(origin=ORIGIN, text=table(only, ROWS[3])).events
    assert {one.signature for one in events} == {"slurm-accounting"}


def test_what_the_only_job_says_stands_in_its_row_at_its_end() -> None:
    only = ROWS[0].replace("TIMEOUT", "NODE_FAIL")
    events = read_source(origin=ORIGIN, text=table(only)).events
    (lost,) = [one for one in events if one.signature == "slurm-job-lost"]
    assert (lost.line.number, lost.line.text) == (2, only)
    assert lost.line.local_at == datetime(2026, 11, 9, 3, 12, 44)  # noqa: DTZ001  as printed


@pytest.mark.parametrize(
    ("said", "host"), [("n01", "n01"), ("None assigned", None), ("", None), ("Unknown", None)]
)
def test_the_only_job_names_the_node_that_failed_where_one_did(said: str, host: str | None) -> None:
    only = ROWS[0].replace("TIMEOUT", "NODE_FAIL")
    text = table(f"{only}|{said}", head=f"{HEAD}|FailedNode")
    events = read_source(origin=ORIGIN, text=text).events
    (lost,) = [one for one in events if one.signature == "slurm-job-lost"]
    assert lost.fields.get("host") == host


def test_names_longer_than_a_stored_line_survive_a_cut() -> None:
    more = "|".join(f"Column{number}" for number in range(100))
    values = "|".join("x" for _ in range(100))
    lines = table(*(f"{values}|{row}" for row in ROWS), head=f"{more}|{HEAD}").split("\n")
    for cut in range(1, len(lines)):
        assert in_two(lines, cut) == [("501", "TIMEOUT"), ("502", "CANCELLED")]


def in_two(lines: list[str], cut: int) -> list[tuple[str, str]]:
    first = StreamReader(origin=ORIGIN)
    readings: list[Reading] = [first.feed(text="\n".join(lines[:cut]), first_number=1)]
    second = StreamReader(origin=ORIGIN, state=first.state)
    readings.append(second.feed(text="\n".join(lines[cut:]), first_number=cut + 1))
    readings.append(second.close())
    events = [one for reading in readings for one in reading.events]
    return [(one.fields["job"], one.fields["state"]) for one in events]
