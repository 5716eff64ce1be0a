"""Tables of `sacct -P`: a job's way through queue, start and end → session events.

`sacct -P -D -X -o JobID,JobName,Account,Submit,Eligible,Start,End,State,NodeList,Restarts`, with
more columns in any order. Steps of jobs and components of heterogeneous jobs but the first are
passed over.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from apps.diagnosis import zone_names
from apps.diagnosis.input_values import MOST_ROWS, instant, instant_of, whole_number
from apps.diagnosis.reasoning.scope.jobs.node_lists import MOST_NODES, nodes_of
from apps.diagnosis.spelling import shown
from apps.telemetry.formats.lines.complaints import NothingUsable, TooBig
from apps.telemetry.formats.schedulers.json_values import BadReport
from apps.telemetry.formats.schedulers.session_event import SessionEvent

NEEDED: Final = ("JobID", "State", "Start", "End")
JOB: Final = re.compile(r"(?P<name>\d{1,12}(?:_\d{1,9})?)(?:\+(?P<part>\d{1,4}))?", re.ASCII)
NOTHING: Final = frozenset({"", "Unknown", "None", "None assigned", "(null)", "N/A"})
# Slurm writes these behind the state of a job: who cancelled it, and that its name is cut.
STATE: Final = re.compile(r"[A-Z][A-Z_]{1,30}", re.ASCII)
CODE: Final = re.compile(r"[\w.:-]{1,60}", re.ASCII)

# Of all jobs of a table together: each row of a few letters may name thousands.
MOST_HOSTS: Final = 500_000

Row = Mapping[str, str]


def read(body: bytes, zone: str) -> Iterator[SessionEvent | BadReport]:
    """Yield the events of a table, and what is wrong with a row that says none.

    Raises NothingUsable without the names of the columns, TooBig for too many nodes.
    """
    lines = body.decode("utf-8", "replace").splitlines()
    names = [name.partition("%")[0].strip() for name in lines[0].split("|")] if lines else []
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise NothingUsable(
            f"the first line of a table of sacct names its columns, with {', '.join(missing)}; "
            "make it by sacct -P -D -X -o JobID,JobName,Account,Submit,Eligible,Start,End,State,"
            "NodeList,Restarts"
        )
    rows = [dict(zip(names, line.split("|"), strict=False)) for line in lines[1:] if line.strip()]
    starts: Counter[str] = Counter()
    room = MOST_HOSTS
    for row in sorted(rows, key=lambda row: (row.get("Start", ""), row.get("End", ""))):
        job = JOB.fullmatch(row.get("JobID", "").strip())
        if job is None or (job["part"] or "0") != "0":
            continue
        starts[job["name"]] += 1
        hosts = tuple(sorted(nodes_of(_said(row, "NodeList"), most=min(MOST_NODES, room))))
        room -= len(hosts)
        if room < 0 or (room < MOST_NODES and _is_uncounted(hosts)):
            raise TooBig(f"the table names more than {MOST_HOSTS} nodes; send it in parts")
        yield from _events(row, job["name"], starts[job["name"]], zone, hosts)


def _is_uncounted(hosts: tuple[str, ...]) -> bool:
    """Say whether there was no room for a list, which then stands for itself."""
    return len(hosts) == 1 and "[" in hosts[0]


def _events(
    row: Row, job: str, number: int, zone: str, hosts: tuple[str, ...]
) -> Iterator[SessionEvent | BadReport]:
    restarts = whole_number(row.get("Restarts", "").strip())
    try:
        states = list(_states(row, zone))
    except BadReport as error:
        yield BadReport(f"job {job}: {error}")
        return
    for word, at, reason in states:
        yield SessionEvent(
            scheduler="slurm",
            session=job,
            attempt=number if restarts is None else restarts + 1,
            job=_said(row, "JobName"),
            project=_said(row, "Account"),
            scheduler_state=word,
            at=at.isoformat(),
            reason=reason,
            hosts=hosts if word != "PENDING" else (),
        )


def _states(row: Row, zone: str) -> Iterator[tuple[str, datetime, str]]:
    """Yield (state, time, reason) of a row."""
    found = STATE.match(_said(row, "State"))
    if found is None:
        raise BadReport(f"`{shown(word=_said(row, 'State'))}` is no state")
    submit, eligible, start, end = (
        _time(row, name, zone) for name in ("Submit", "Eligible", "Start", "End")
    )
    if submit:
        yield "PENDING", submit, "submitted"
    if eligible and eligible != submit:
        yield "PENDING", eligible, "eligible"
    has_run = bool(_said(row, "NodeList")) or "NodeList" not in row
    if start and has_run:
        yield "RUNNING", start, ""
    if end and found[0] not in {"PENDING", "RUNNING"}:
        yield found[0], end, _reason(row)


def _reason(row: Row) -> str:
    said = (_said(row, name) for name in ("FailedNode", "Reason", "DerivedExitCode", "ExitCode"))
    codes = (word for word in said if word != "0:0" and CODE.fullmatch(word))
    return next(codes, "")


def _said(row: Row, name: str) -> str:
    word = row.get(name, "").strip()
    return "" if word in NOTHING else word


def _time(row: Row, name: str, zone: str) -> datetime | None:
    """Return a time, None where there is none; raise BadReport for one without a zone."""
    word = _said(row, name)
    if not word:
        return None
    seconds = whole_number(word, most=MOST_ROWS)
    if seconds is not None:
        found = instant_of(seconds)
    else:
        found = instant(word) or instant(_placed(word, zone))
    if found is None:
        raise BadReport(f"{name} `{shown(word=word)}` is no time")
    return found


def _placed(word: str, zone: str) -> str:
    if not zone:
        raise BadReport(
            "sacct prints local time: say ?tz=Asia/Seoul, or print it with a zone by "
            "SLURM_TIME_FORMAT=%FT%T%z"
        )
    if not zone_names.is_zone(name=zone):
        raise BadReport(f"`tz`: {zone_names.refusal(name=zone)}")
    try:
        return datetime.fromisoformat(word).replace(tzinfo=ZoneInfo(zone)).isoformat()
    except ValueError:
        return ""
