"""A session's log that states no zone, beside a kernel log of one host: nothing is ruled out by a
zone that was assumed, and nobody is sure of what rests on one."""

from datetime import datetime, timedelta
from itertools import product

import pytest

from apps.diagnosis.model import Diagnosis, Stream, VerdictStatus
from apps.offline import report
from apps.wording import in_english
from apps.wording.published import to_json
from tests.scenarios.open_zones import HOST, LOST, QUIET, XID, Line, kernel, session
from tests.scenarios.verdicts import blamed_hosts, diagnosed, reason_of

KERNEL_PATH = f"kernel/{HOST}.log"
HOUR, NONE = timedelta(hours=1), timedelta(0)
SEOUL, KOLKATA, DENVER = 9 * HOUR, 5.5 * HOUR, -7 * HOUR
ZONES = (NONE, SEOUL, KOLKATA, DENVER)
SESSIONS = ("nccl", "c10d", "torchrun")
KERNELS = ("short-iso", "short-iso-basic", "syslog", "dmesg-T", "uptime")
DIALECTS = tuple(product(SESSIONS, KERNELS))
STATED = {"short-iso", "short-iso-basic"}
OTHER_GPU = LOST.replace("3b", "9a")
DAYS_OLD = tuple(
    Line(after=-timedelta(days=each, minutes=17), text=OTHER_GPU) for each in (3, 2, 1)
)
TALK = tuple(Line(after=HOUR * each, text=QUIET) for each in (2, 4.7))


def told(
    lines: tuple[Line, ...],
    *,
    styles: tuple[str, str] = ("torchrun", "short-iso"),
    zones: tuple[timedelta, timedelta] = (NONE, NONE),
) -> Diagnosis:
    """Return the diagnosis of a session's log and a kernel log, each in a style and zone."""
    ordered = sorted(lines, key=lambda one: one.after)
    texts = {
        "session.log": session(style=styles[0], zone=zones[0]),
        KERNEL_PATH: kernel(style=styles[1], zone=zones[1], lines=ordered),
    }
    return diagnosed(texts=texts)


@pytest.mark.parametrize("around", [(), (*DAYS_OLD, *TALK)], ids=["alone", "among-days"])
@pytest.mark.parametrize("styles", DIALECTS, ids="-".join)
def test_the_true_cause_is_named_whatever_the_zones(
    styles: tuple[str, str], around: tuple[Line, ...]
) -> None:
    found = {
        zones: told((Line(after=XID), *around), styles=styles, zones=zones)
        for zones in product(ZONES, ZONES)
    }
    wrong = {
        zones: one.verdict.status
        for zones, one in found.items()
        if (one.verdict.cause, blamed_hosts(one)) != ("gpu-off-bus", {HOST})
    }
    assert wrong == {}
    culprits = {one.verdict.culprits[0].pci for one in found.values()}
    assert culprits == {"0000:3b:00.0"}


@pytest.mark.parametrize("zone", [one for one in ZONES if one != SEOUL])
@pytest.mark.parametrize("style", sorted(STATED))
def test_a_zone_that_is_taken_for_the_session_is_said_and_makes_nobody_sure(
    style: str, zone: timedelta
) -> None:
    found = told((Line(after=XID),), styles=("torchrun", style), zones=(SEOUL, zone))
    assert found.verdict.status is VerdictStatus.POSSIBLE
    (one,) = found.zones
    assert (one.stream, one.offset, one.host, one.is_taken) == (
        Stream.SESSION,
        SEOUL,
        HOST,
        True,
    )
    assert (round(one.gap.total_seconds()), round(one.printed_gap / HOUR)) == (-3, -9)
    assert (
        "The session log states no time zone: taken as UTC+09:00, what speaks for gpu-off-bus on "
        "gpu07 comes 3 s before the stop; taken as UTC, 9 h before the stop. `--tz` says which it "
        "is."
    ) in " ".join(report.as_text(diagnosis=found, is_colored=False, width=100).split())
    first, second = (in_english(each.statement) for each in found.hypotheses[0].opposing)
    assert first == (
        "The session log states no time zone: taken as UTC+09:00, this comes 3 s before the stop; "
        "taken as UTC, 9 h before the stop"
    )
    assert second == "The session log states no time zone: its times are taken as UTC+09:00"
    said = to_json(diagnosis=found)["zones"]
    assert [(each["stream"], each["minutes_east"], each["is_taken"]) for each in said] == [
        ("session", 540, True)
    ]


@pytest.mark.parametrize("zones", [(NONE, SEOUL), (SEOUL, NONE)])
def test_of_two_logs_without_a_zone_the_distance_is_said(
    zones: tuple[timedelta, timedelta],
) -> None:
    found = told((Line(after=XID),), styles=("nccl", "syslog"), zones=zones)
    assert found.verdict.status is VerdictStatus.POSSIBLE
    side = "ahead of" if zones[1] else "behind"
    text = " ".join(report.as_text(diagnosis=found, is_colored=False, width=100).split())
    assert f"The kernel log states no time zone: taken as 9 h {side} the session log" in text


@pytest.mark.parametrize("around", [(), TALK], ids=["alone", "among-hours"])
@pytest.mark.parametrize("hours", [1, 5.5, 9, 13, -3])
def test_a_fault_so_many_hours_apart_is_never_likely(
    hours: float, around: tuple[Line, ...]
) -> None:
    found = told((Line(after=XID - HOUR * hours), *around))
    assert found.verdict.status is VerdictStatus.POSSIBLE
    assert found.zones[0].offset == HOUR * hours


@pytest.mark.parametrize("hours", [0.4, 2.3, 24, 48, 72])
def test_a_fault_that_no_zone_brings_to_the_stop_stays_ruled_out(hours: float) -> None:
    found = told((Line(after=XID - HOUR * hours),))
    assert found.verdict.status is VerdictStatus.UNKNOWN
    assert found.zones == ()
    assert "before the failure" in reason_of(found.hypotheses[0])


@pytest.mark.parametrize("hours", [1, 9])
def test_a_fault_at_the_stop_as_printed_leaves_no_doubt_about_the_zone(hours: float) -> None:
    found = told((Line(after=XID - HOUR * hours, text=OTHER_GPU), Line(after=XID)))
    assert found.verdict.status is VerdictStatus.LIKELY
    assert [one.pci for one in found.verdict.culprits] == ["0000:3b:00.0"]
    assert found.zones == ()


def test_two_zones_that_fit_alike_leave_both_explanations_open() -> None:
    ecc = LOST.replace("79", "48").replace("3b", "9a")
    found = told((Line(after=XID - HOUR, text=ecc), Line(after=XID)), zones=(SEOUL, NONE))
    assert found.verdict.status is VerdictStatus.UNKNOWN
    standing = {one.cause for one in found.hypotheses if not one.ruled_out_because}
    assert standing == {"gpu-off-bus", "gpu-ecc-uncorrectable", "unknown"}
    assert {one.offset for one in found.zones} == {SEOUL, 10 * HOUR}


def test_a_process_that_both_logs_name_settles_the_zone() -> None:
    named = "NVRM: Xid (PCI:0000:3b:00): 45, pid=2103, name=python3, Ch 00000008"
    found = told(
        (Line(after=XID), Line(after=-XID, text=named)),
        styles=("nccl", "short-iso"),
        zones=(SEOUL, NONE),
    )
    assert (found.verdict.status, found.verdict.cause) == (VerdictStatus.LIKELY, "gpu-off-bus")
    assert found.zones == ()
    text = report.as_text(diagnosis=found, is_colored=False, width=100)
    assert "times taken as 9 h earlier than printed." in " ".join(text.split())


def test_a_process_of_another_job_settles_nothing() -> None:
    named = "NVRM: Xid (PCI:0000:3b:00): 45, pid=77103, name=python3, Ch 00000008"
    lines = (Line(after=XID), Line(after=-XID, text=named))
    found = told(lines, styles=("nccl", "short-iso"), zones=(SEOUL, NONE))
    assert (found.verdict.status, found.verdict.cause) == (VerdictStatus.POSSIBLE, "gpu-off-bus")


def test_what_the_session_itself_says_stays_first_but_less_sure() -> None:
    memory = "CUDA out of memory. Tried to allocate 20.00 GiB"
    own = (
        "[rank0]: Traceback (most recent call last):\n"
        '[rank0]:   File "/app/t.py", line 3, in f\n'
        f"[rank0]: torch.OutOfMemoryError: {memory}\n"
    )
    texts = {"session.log": session(style="c10d", zone=NONE) + own}
    alone = diagnosed(texts=texts)
    texts[KERNEL_PATH] = kernel(style="short-iso", zone=NONE, lines=[Line(after=XID - 9 * HOUR)])
    found = diagnosed(texts=texts)
    assert (alone.verdict.status, found.verdict.status) == (
        VerdictStatus.LIKELY,
        VerdictStatus.POSSIBLE,
    )
    assert found.verdict.cause == alone.verdict.cause == "cuda-oom"
    beside = next(one for one in found.hypotheses if one.cause == "gpu-off-bus")
    assert beside.ruled_out_because is None
    assert beside.probability < 0.5


@pytest.mark.parametrize(
    "styles", [("c10d", "syslog"), ("torchrun", "dmesg-T"), ("nccl", "syslog")]
)
@pytest.mark.parametrize("zones", list(product((NONE, SEOUL, -8 * HOUR), repeat=2)))
def test_the_first_minutes_of_a_year_are_no_year_away(
    styles: tuple[str, str], zones: tuple[timedelta, timedelta]
) -> None:
    stop = datetime(2026, 1, 1, 0, 10)  # noqa: DTZ001  machines print local time
    lines = [Line(after=-30 * HOUR, text=QUIET), Line(after=XID)]
    texts = {
        "session.log": session(style=styles[0], zone=zones[0], stop=stop),
        KERNEL_PATH: kernel(style=styles[1], zone=zones[1], lines=lines, stop=stop),
    }
    assert diagnosed(texts=texts).verdict.cause == "gpu-off-bus"
