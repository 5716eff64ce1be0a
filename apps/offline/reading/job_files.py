"""Files of several jobs, told by the names that schedulers and people give to what a job prints."""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import combinations

from apps.diagnosis.model import Extent, Reading
from apps.diagnosis.spelling import shown
from apps.telemetry.files.unusable_input import UnusableInput

MOST_JOBS = 6
# slurm-4711.out, job_4711/rank0.log; of an array or a heterogeneous job the number before the task.
CALLED = re.compile(r"(?:^|[^a-z])(?:slurm|job|jobid)[-_.=]?(\d{3,12})(?!\d)", re.IGNORECASE)
# train-4711.out, train.o4711: what Slurm's %x-%j and other schedulers write.
PRINTED = re.compile(r"(?:^|[-_.])(\d{4,12})(?:[_+]\d{1,9})?\.(?:out|err)(?:\.[a-z0-9]{2,4})?$")
ENDED = re.compile(r"\.[oe](\d{3,12})(?:\.[a-z0-9]{2,4})?$")
DAY = re.compile(r"20\d\d[01]\d[0-3]\d$", re.ASCII)


def job_of_file(*, source: str) -> str | None:
    """Return the number of the job that a file's path names, None where it names none."""
    if found := CALLED.search(source):
        return found[1]
    found = PRINTED.search(source) or ENDED.search(source)
    return found[1] if found and not DAY.match(found[1]) else None


def several_jobs(*, readings: Sequence[Reading]) -> str | None:
    """Return a warning that files are of several jobs, None where nothing says so for sure.

    A number may be a host's: what ran at the same time is of one job where the names are alike but
    for it, unless they say `slurm` or `job` before it.
    """
    files = _files_of_jobs(readings)
    jobs = list(files)
    if len(jobs) < 2 or any(_may_be_one(files[a], files[b]) for a, b in combinations(jobs, 2)):
        return None
    return (
        f"These files are of {len(jobs)} jobs: {_listed(jobs)}. They were read as runs of one "
        "session, and one answer is given for all. Unless they are retries of one another, give "
        "one job's files, or `--job ID`"
    )


def of_job(*, readings: Sequence[Reading], job: str) -> list[Reading]:
    """Return what is of a job, and what no job's name is on. Raises UnusableInput for none."""
    files = _files_of_jobs(readings)
    if job not in files:
        there = f"; there are {_listed(list(files))}" if files else ""
        raise UnusableInput(f"--job: no file's name says job {shown(word=job)}{there}")
    return [one for one in readings if job_of_file(source=one.origin.source) in {job, None}]


def _files_of_jobs(readings: Sequence[Reading]) -> dict[str, list[Reading]]:
    files: dict[str, list[Reading]] = {}
    for one in readings:
        if job := job_of_file(source=one.origin.source):
            files.setdefault(job, []).append(one)
    return files


def _may_be_one(these: Sequence[Reading], those: Sequence[Reading]) -> bool:
    if all(CALLED.search(one.origin.source) for one in (*these, *those)):
        return False
    if _stems(these).isdisjoint(_stems(those)):
        return False
    spans = [_spans(some) for some in (these, those)]
    return any(a[0] <= b[1] and b[0] <= a[1] for a in spans[0] for b in spans[1])


def _stems(readings: Sequence[Reading]) -> set[str]:
    """Return the names of files without the numbers of their jobs."""
    sources = [one.origin.source for one in readings]
    return {each.replace(job_of_file(source=each) or "", "") for each in sources}


def _spans(readings: Sequence[Reading]) -> list[tuple[datetime, datetime]]:
    found = (_span(extent) for one in readings for extent in one.extents)
    return [span for span in found if span is not None]


def _span(extent: Extent) -> tuple[datetime, datetime] | None:
    """Return the first and last time as it is printed: of one session all print one zone's."""
    first = extent.first_local_at or extent.first_at
    last = extent.last_local_at or extent.last_at
    if first is None or last is None:
        return None
    return first.replace(tzinfo=None), last.replace(tzinfo=None)


def _listed(jobs: Sequence[str]) -> str:
    more = f" and {len(jobs) - MOST_JOBS} more" if len(jobs) > MOST_JOBS else ""
    return ", ".join(jobs[:MOST_JOBS]) + more
