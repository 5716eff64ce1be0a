"""NCCL's health reports and measured times ↔ lines of text."""

from collections.abc import Iterable
from typing import Any

from apps.diagnosis.dumps.line_encoding import BAD, compact, number, said
from apps.diagnosis.dumps.nccl.inspector import CollectiveTimes
from apps.diagnosis.dumps.nccl.ras import CommunicatorMember, RasReport

REPORT = "faultline.nccl-ras "
TIMES = "faultline.nccl-inspector "
# The heading of ranks that did not answer in a report in words.
INCOMPLETE = f"#0-0 ({'0' * 16}) INCOMPLETE"


def report_line(*, report: RasReport) -> str:
    """Return a report of NCCL's health service as a line."""
    told = {"size": report.size, "session": int(report.is_session)}
    named = {"absent": report.absent, "behind": report.behind}
    rows = {
        name: [[one.rank, one.host, one.pid, one.gpu] for one in members]
        for name, members in named.items()
    }
    return REPORT + compact(value=told | rows)


def place_lines(*, report: RasReport) -> list[str]:
    """Return what a report in words says of the ranks that did not answer."""
    places = [
        f"  Rank {one.rank} -- GPU {one.gpu} managed by process {one.pid} on node {one.host}"
        for one in report.absent
    ]
    return [INCOMPLETE, *places] if places else []


def reports_of(*, texts: Iterable[str]) -> list[RasReport]:
    """Return the reports that lines stand for."""
    return [one for text in texts if (one := _report(text)) is not None]


def times_lines(*, times: Iterable[CollectiveTimes]) -> list[str]:
    """Return what the Inspector measured as lines, one for each member of a communicator."""
    rows = (
        {
            "group": one.group,
            "size": one.size,
            "member": one.member,
            "rank": one.rank,
            "host": one.host,
            "calls": one.calls,
        }
        for one in times
    )
    return [TIMES + compact(value=row) for row in rows]


def times_of(*, texts: Iterable[str]) -> list[CollectiveTimes]:
    """Return the measured times that lines stand for."""
    return [one for text in texts if (one := _times(text)) is not None]


def _report(text: str) -> RasReport | None:
    found = said(text=text, mark=REPORT)
    if found is None:
        return None
    try:
        return RasReport(
            size=number(value=found["size"]),
            is_session=bool(found["session"]),
            absent=tuple(_member(row) for row in found["absent"]),
            behind=tuple(_member(row) for row in found["behind"]),
        )
    except BAD:
        return None


def _member(row: list[Any]) -> CommunicatorMember:
    rank, host, pid, gpu = row
    return CommunicatorMember(rank=number(value=rank), host=str(host), pid=pid, gpu=gpu)


def _times(text: str) -> CollectiveTimes | None:
    found = said(text=text, mark=TIMES)
    if found is None:
        return None
    try:
        return CollectiveTimes(
            group=str(found["group"]),
            size=number(value=found["size"]),
            member=str(found["member"]),
            rank=None if found["rank"] is None else number(value=found["rank"]),
            host=str(found["host"]),
            calls=tuple((str(call), float(lasted)) for call, lasted in found["calls"]),
        )
    except BAD:
        return None
