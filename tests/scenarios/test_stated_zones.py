"""A session's log that states no zone beside logs of its machines that print one."""

from datetime import datetime, timedelta

import pytest

from apps.diagnosis.model import Diagnosis, Stream, VerdictStatus
from apps.offline import report
from apps.wording.published import to_json
from tests.scenarios.open_zones import HOST, QUIET, XID, Line, kernel, session
from tests.scenarios.verdicts import diagnosed

HOUR, NONE = timedelta(hours=1), timedelta(0)
SEOUL = 9 * HOUR
STOP = datetime(2026, 11, 12, 13, 20, 10)  # noqa: DTZ001  in UTC; machines print local time
TARGET = "work-OST0003-osc-ffff8a11c0de0000"
LUSTRE = f"Lustre: {TARGET}: Connection to work-OST0003 (at 10.2.0.7@o2ib) was lost; in progress operations using this service will wait for recovery to complete"  # noqa: E501  a line of a log
HUNG = "INFO: task python3:6100 blocked for more than 120 seconds."


def watchdogs(*, zone: timedelta, waited: timedelta, after: timedelta) -> str:
    """Return what two ranks print when their watchdogs end a wait, so long after the stop."""
    at = STOP + after + zone
    ms = round(waited.total_seconds() * 1000)
    return "".join(
        f"[rank{rank}]:[E{at:%m%d %H:%M:%S}.103 ProcessGroupNCCL.cpp:563] [Rank {rank}] Watchdog "
        f"caught collective operation timeout: WorkNCCL(SeqNum=42, OpType=ALLREDUCE, NumelIn=8, "
        f"NumelOut=8, Timeout(ms)={ms}) ran for {ms + 31} milliseconds before timing out.\n"
        for rank in (0, 1)
    )


def lost_target(*, zone: timedelta, stated: timedelta, minutes: int) -> Diagnosis:
    """Return the diagnosis of ranks that wait so long for a file server that was lost."""
    waited = timedelta(minutes=minutes)
    after = waited + timedelta(seconds=1)
    lines = [
        Line(after=NONE, text=LUSTRE),
        Line(after=timedelta(minutes=2), text=HUNG),
        Line(after=timedelta(minutes=5), text=QUIET),
    ]
    texts = {
        f"session/{HOST}/rank0.log": watchdogs(zone=zone, waited=waited, after=after),
        f"kernel/{HOST}.log": kernel(style="short-iso", zone=stated, lines=lines, stop=STOP),
    }
    return diagnosed(texts=texts)


def text_of(found: Diagnosis) -> str:
    return " ".join(report.as_text(diagnosis=found, is_colored=False, width=100).split())


@pytest.mark.parametrize("minutes", [10, 30, 60])
@pytest.mark.parametrize("zone", [SEOUL, -7 * HOUR, 5.5 * HOUR, -3.5 * HOUR, -4 * HOUR])
def test_the_wait_of_a_watchdog_lies_between_fault_and_stop(zone: timedelta, minutes: int) -> None:
    found = lost_target(zone=zone, stated=zone, minutes=minutes)
    assert (found.verdict.status, found.verdict.cause) == (
        VerdictStatus.LIKELY,
        "nfs-unavailable",
    )
    assert found.failed_at is not None
    assert abs(found.failed_at.replace(tzinfo=None) - STOP) <= timedelta(seconds=2)
    assert found.zones == ()


@pytest.mark.parametrize("minutes", [10, 30])
@pytest.mark.parametrize("zone", [SEOUL, -4 * HOUR])
def test_no_half_hour_zone_wins_by_the_length_of_a_wait(zone: timedelta, minutes: int) -> None:
    found = lost_target(zone=zone, stated=NONE, minutes=minutes)
    assert found.verdict.cause == "nfs-unavailable"
    assert [one.offset for one in found.zones] == [zone]


def test_what_is_taken_and_by_whose_word_is_said() -> None:
    found = lost_target(zone=SEOUL, stated=SEOUL, minutes=30)
    assert found.printed_zone is not None
    assert (found.printed_zone.offset, found.printed_zone.stated_by) == (SEOUL, Stream.KERNEL)
    assert (
        f"The session log states no time zone: its times are taken as UTC+09:00, which the kernel "
        f"log of {HOST} prints."
    ) in text_of(found)
    assert to_json(diagnosis=found)["printed_zone"] == {
        "streams": ["session"],
        "minutes_east": 540,
        "stated_by": "kernel",
        "host": HOST,
    }


def test_a_container_in_utc_on_a_host_that_is_not_stays_in_utc() -> None:
    found = lost_target(zone=NONE, stated=SEOUL, minutes=30)
    assert (found.verdict.status, found.verdict.cause) == (
        VerdictStatus.LIKELY,
        "nfs-unavailable",
    )
    assert found.printed_zone is not None
    assert (found.printed_zone.offset, found.printed_zone.stated_by) == (NONE, None)


@pytest.mark.parametrize("hours", [(-5, 30), (-0.4, 0.2)], ids=["days", "minutes"])
def test_a_quiet_kernel_log_states_the_zone_too(hours: tuple[float, float]) -> None:
    lines = [Line(after=HOUR * each, text=QUIET) for each in hours]
    texts = {
        f"session/{HOST}/rank0.log": session(style="nccl", zone=SEOUL, stop=STOP),
        f"kernel/{HOST}.log": kernel(style="short-iso", zone=SEOUL, lines=lines, stop=STOP),
    }
    found = diagnosed(texts=texts)
    assert found.printed_zone is not None
    assert found.printed_zone.offset == SEOUL
    assert found.failed_at is not None
    assert abs(found.failed_at.replace(tzinfo=None) - STOP) <= timedelta(minutes=1)


def test_two_hosts_that_print_different_zones_state_none() -> None:
    lines = [Line(after=-HOUR, text=QUIET), Line(after=HOUR, text=QUIET)]
    texts = {"session/a/rank0.log": session(style="nccl", zone=SEOUL, stop=STOP)}
    for host, zone in (("a", SEOUL), ("b", -7 * HOUR)):
        said = kernel(style="short-iso", zone=zone, lines=lines, stop=STOP)
        texts[f"kernel/{host}.log"] = said.replace(HOST, host)
        texts[f"session/{host}/rank1.log"] = session(style="nccl", zone=SEOUL, stop=STOP)
    found = diagnosed(texts=texts)
    assert found.printed_zone is None or found.printed_zone.stated_by is None


def test_utc_that_nobody_stated_is_said_to_be_assumed() -> None:
    texts = {
        f"session/{HOST}/rank0.log": session(style="nccl", zone=NONE, stop=STOP),
        f"kernel/{HOST}.log": kernel(
            style="dmesg-T", zone=NONE, lines=[Line(after=XID)], stop=STOP
        ),
    }
    found = diagnosed(texts=texts)
    assert found.verdict.cause == "gpu-off-bus"
    assert (
        "The kernel and session logs state no time zone: their times are taken as UTC. `--tz` "
        "says otherwise."
    ) in text_of(found)


def test_times_that_name_their_zone_need_no_word() -> None:
    texts = {
        "session.log": "2026-11-12T13:20:10Z n1 trainer[7]: RuntimeError: CUDA out of memory\n"
    }
    assert diagnosed(texts=texts).printed_zone is None


def test_a_log_that_says_nothing_while_watchdogs_wait_states_the_zone_too() -> None:
    west, waited = -8 * HOUR, timedelta(minutes=30)
    texts = {"slurm-1.out": watchdogs(zone=west, waited=waited, after=waited)}
    for host, last in (("a", 20 * HOUR), ("b", 16 * HOUR), ("c", timedelta(minutes=5))):
        lines = [Line(after=-at, text=QUIET) for at in (50 * HOUR, last)]
        said = kernel(style="short-iso", zone=west, lines=lines, stop=STOP)
        texts[f"kernel/{host}.log"] = said.replace(HOST, host)
    found = diagnosed(texts=texts)
    assert found.printed_zone is not None
    assert found.printed_zone.offset == west
