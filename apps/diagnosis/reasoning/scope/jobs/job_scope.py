"""Before the steps: a scheduler's log tells of many jobs; a line that names one speaks of that job.

Which job a session is, its own log, the names it is known by and its nodes tell. What a scheduler
says of a job that nothing ties to the session ends nothing and blames nobody.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from apps.diagnosis.model import Event, Mark, Reading, Stream
from apps.diagnosis.observed import canonical
from apps.diagnosis.reasoning.scope.jobs.node_lists import NodeLists
from apps.diagnosis.signatures.marks import marked

# The first that a line names is the one it is about: a preempted one stands before its successor.
NAMED = re.compile(
    r"(?:\b(?:JobId|StepId|job_id|jobid)=|\b(?:JOB|STEP|[Jj]ob|step)[ :]+|^)"
    r"(\d{1,12})(?=[.+_|\s,:(]|$)(?:_(\d{1,9}))?",
    re.ASCII,
)
# A task of an array and a component of a heterogeneous job, with the number that it goes by within
# Slurm: 812_3(815), 812+1(813).
NUMBERED = re.compile(r"\bJobId=(\d{1,12})(?:_(\d{1,9})|\+\d{1,6})(?:\((\d{1,12})\))?", re.ASCII)
FIELD = re.compile(r"(\d{1,12})(?:_(\d{1,9}))?", re.ASCII)
TOKEN = re.compile(r"\d{2,12}", re.ASCII)
TASK = re.compile(r"(?<!\d)\d{1,12}_\d{1,9}(?!\d)", re.ASCII)
CANCELS = marked(Mark.KILL_REQUEST)  # the only line that names an array and means each of its tasks
QUEUED = marked(Mark.REQUEUED)
STARTS = marked(Mark.ALLOCATED)
ACCOUNTING = marked(Mark.ACCOUNTING)


def of_this_job(
    *, readings: Sequence[Reading], names: Collection[str], hosts: Collection[str]
) -> list[Reading]:
    """Return the readings without what schedulers say of other jobs.

    `names` are what the session is called; `hosts` are its nodes, as far as known.
    """
    schedulers = _schedulers(readings)
    numbers = _numbers_of(readings, schedulers)
    told = _told(readings, schedulers, numbers)
    if not told:
        return list(readings)
    sessions = [one for one in readings if one.origin.source not in schedulers]
    called = frozenset(token for name in names for token in _tokens(name))
    known = called | _printed(sessions)
    own = frozenset(told) & (known | {numbers.get(one, one) for one in known})
    lists = NodeLists()
    given = _nodes(told, lists)
    own = own or _on_nodes(given, hosts)
    if (
        not own
        and len(told) == 1
        and any(e.signature in ACCOUNTING for e in next(iter(told.values())))
    ):
        own = frozenset(told)  # somebody asked the accounting about this one job
    ours = frozenset[str]().union(*(given[job] for job in own)) | frozenset(hosts)
    foreign = frozenset[str]().union(*given.values()) - ours
    return [
        _without_others(one, own, foreign, (numbers, lists))
        if one.origin.source in schedulers
        else one
        for one in readings
    ]


def job_of(event: Event) -> str | None:
    """Return the job that a scheduler's line is about, None where it names none: 812, or 812_3."""
    said = event.fields.get("job") or event.fields.get("step") or ""
    text = event.line.text
    found = FIELD.search(said) if said else NAMED.search(text)
    if found is None:
        return None
    tasks = (match[2] for match in NUMBERED.finditer(text) if match[1] == found[1])
    task = found[2] or next(tasks, None)
    number = found[1].lstrip("0")
    return f"{number}_{task}" if task else number


def _schedulers(readings: Sequence[Reading]) -> frozenset[str]:
    """Return the sources in which nobody but a scheduler speaks."""
    spoke: dict[str, set[Stream]] = defaultdict(set)
    for one in readings:
        told = (event.line.stream for event in (*one.events, *one.progress))
        heard = (extent.stream for extent in one.extents)
        own = {one.origin.stream} if one.origin.stream else {*told, *heard}
        spoke[one.origin.source] |= {stream for stream in own if stream is not None}
    return frozenset(source for source, kinds in spoke.items() if kinds == {Stream.SCHEDULER})


def _numbers_of(readings: Sequence[Reading], schedulers: frozenset[str]) -> dict[str, str]:
    """Return what tasks and components are called, by the number that they go by within Slurm."""
    found: dict[str, str] = {}
    for one in readings:
        for event in one.events if one.origin.source in schedulers else ():
            for array, task, number in NUMBERED.findall(event.line.text):
                if number:
                    found[number] = f"{array}_{task}" if task else array
    return found


def _named(event: Event, numbers: Mapping[str, str]) -> str | None:
    """Return the job of a scheduler's line; a daemon of a node knows the number within Slurm."""
    job = job_of(event)
    name = numbers.get(job or "", job)
    # The last task of an array goes by the array's own number, which also means all of it.
    return job if job and name and name.startswith(f"{job}_") else name


def _told(
    readings: Sequence[Reading], schedulers: frozenset[str], numbers: Mapping[str, str]
) -> dict[str, list[Event]]:
    """Return what schedulers say of each job."""
    told: dict[str, list[Event]] = defaultdict(list)
    for one in readings:
        for event in one.events if one.origin.source in schedulers else ():
            job = _named(event, numbers)
            if job is not None:
                told[job].append(event)
    return told


def _printed(sessions: Sequence[Reading]) -> frozenset[str]:
    """Return the job numbers that the session's own logs print, or are called after."""
    found: set[str] = set()
    for one in sessions:
        found |= {job for event in (*one.events, *one.progress) if (job := job_of(event))}
        found |= _tokens(one.origin.source)
    return frozenset(found)


def _tokens(name: str) -> set[str]:
    """Return what of a name may be a job: slurm-812_3.out is of one task, not of all of 812."""
    tasks = TASK.findall(name)
    others = TASK.sub("", name)
    return {*tasks, *(token.lstrip("0") for token in TOKEN.findall(others))}


def _on_nodes(given: Mapping[str, frozenset[str]], hosts: Collection[str]) -> frozenset[str]:
    """Return the jobs that were given exactly these nodes, or the one that holds them all."""
    wanted = {canonical(host, {}) for host in hosts} - {None}
    same = frozenset(job for job, nodes in given.items() if nodes and nodes == wanted)
    wider = frozenset(job for job, nodes in given.items() if wanted and wanted <= nodes)
    return same or (wider if len(wider) == 1 else frozenset())


def _nodes(told: Mapping[str, Sequence[Event]], lists: NodeLists) -> dict[str, frozenset[str]]:
    """Return the nodes that each job was given."""
    return {
        job: frozenset(
            node.split(".", 1)[0]
            for e in events
            for node in lists.nodes_of(e.fields.get("nodes", ""))
        )
        for job, events in told.items()
    }


def _without_others(
    reading: Reading,
    own: frozenset[str],
    foreign: frozenset[str],
    known: tuple[Mapping[str, str], NodeLists],
) -> Reading:
    numbers, lists = known
    ran = _while_it_ran(reading.events, numbers)
    kept = tuple(
        event for event in ran if _is_ours(event, own, _named(event, numbers), foreign, lists)
    )
    return reading if len(kept) == len(reading.events) else replace(reading, events=kept)


def _while_it_ran(events: Sequence[Event], numbers: Mapping[str, str]) -> list[Event]:
    """Leave out what cancelled a job that waited in the queue again: it ended no run."""
    queued: set[str | None] = set()
    kept = []
    for event in events:
        job = _named(event, numbers) if event.signature in CANCELS | QUEUED | STARTS else None
        if event.signature in QUEUED:
            queued.add(job)
        elif event.signature in STARTS:
            queued.discard(job)
        if event.signature not in CANCELS or job not in queued:
            kept.append(event)
    return kept


def _is_ours(
    event: Event,
    own: frozenset[str],
    job: str | None,
    foreign: frozenset[str],
    lists: NodeLists,
) -> bool:
    if job is not None:
        arrays = {one.partition("_")[0] for one in own if "_" in one}
        return job in own or (event.signature in CANCELS and job in arrays)
    nodes = {node.split(".", 1)[0] for node in lists.nodes_of(event.fields.get("host", ""))}
    return not nodes or not nodes <= foreign
