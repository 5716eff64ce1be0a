"""A job's number → a tar: its scheduler's record, what it printed, and what its nodes say."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from apps.collect import bundle, jobs, nodes
from apps.collect.asking import Ask, ProgramAnswer, ask
from apps.collect.bundle import ABOUT, BundleItem
from apps.collect.jobs import Job
from apps.collect.nodes import NodeAnswer
from apps.collect.redact import Hide, Redaction, hosts_in

FORMAT: Final = 1
MOST_LINES: Final = 2_000_000  # that are looked at for names of hosts
PLACES: Final = {nodes.KERNEL: "kernel/{}.log", nodes.GPUS: "nvidia-smi/{}.txt"}


class NothingToCollect(ValueError):
    """Neither a scheduler nor a file nor a node told anything, with what to do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectRequest:
    """What somebody asks for. `starts_at` and `ends_at` count before what Slurm says."""

    job_id: str = ""
    node_names: tuple[str, ...] = ()
    outputs: tuple[Path, ...] = ()
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    way: nodes.Way = nodes.Way.AUTO
    hides: frozenset[Hide] = frozenset({Hide.SECRETS})


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionResult:
    """What is in the tar, and what could not be had."""

    into: Path
    names: Path | None
    entries: list[dict[str, Any]]

    def counts(self) -> Counter[str]:
        """Return how many files are in the tar, by their first folder."""
        return Counter(_folder(one["path"]) for one in self.entries if "bytes" in one)

    def missing(self) -> list[tuple[str, str]]:
        """Return what is not there, and why."""
        return [(one["path"], one["missing"]) for one in self.entries if "missing" in one]


def collect(
    *, wanted: CollectRequest, into: Path, now: datetime, ask: Ask = ask
) -> CollectionResult:
    """Ask, copy, hide, pack. Raises NothingToCollect, OSError where nothing can be written."""
    with TemporaryDirectory(prefix="faultline-collect-") as made:
        folder = Path(made)
        job, tables = _job(wanted, ask, folder)
        told = _told(wanted, job, now, ask, folder)
        redaction = Redaction(hides=wanted.hides, hosts=(*job.nodes, *_hosts_said(wanted, job)))
        outputs = _of_outputs(wanted, job, redaction)
        items = [*_of_job(tables, folder), *outputs, *_of_nodes(told, redaction)]
        if not any(item.path for item in items):
            raise NothingToCollect(_nothing(items))
        entries = bundle.write(
            into=into,
            items=items,
            redaction=redaction,
            about=_about(wanted, job, told, redaction, now),
            at=now,
        )
    return CollectionResult(into=into, names=_names(into, redaction), entries=entries)


def _job(wanted: CollectRequest, ask: Ask, folder: Path) -> tuple[Job, dict[str, ProgramAnswer]]:
    """Return the job as Slurm tells of it, corrected by what was said at the command."""
    hosts_of = jobs.HostsOf(ask=ask, folder=folder)
    tables: dict[str, ProgramAnswer] = {}
    job = Job(job_id=wanted.job_id)
    if wanted.job_id:
        tables = dict(jobs.slurm_tables(job_id=wanted.job_id, ask=ask, folder=folder))
        job = jobs.job_of(job_id=wanted.job_id, folder=folder, hosts_of=hosts_of)
    return Job(
        job_id=job.job_id,
        is_running=job.is_running,
        starts_at=wanted.starts_at or job.starts_at,
        ends_at=wanted.ends_at or job.ends_at,
        nodes=hosts_of(wanted.node_names) or job.nodes,
        outputs=tuple(dict.fromkeys([*wanted.outputs, *job.outputs])),
        owner=job.owner,
    ), tables


def _told(
    wanted: CollectRequest, job: Job, now: datetime, ask: Ask, folder: Path
) -> list[NodeAnswer]:
    route = nodes.Route(way=wanted.way, job_id=job.job_id, is_running=job.is_running)
    return nodes.ask_nodes(
        nodes=job.nodes, route=route, span=jobs.span(job=job, now=now), ask=ask, folder=folder
    )


def _of_job(tables: dict[str, ProgramAnswer], folder: Path) -> Iterator[BundleItem]:
    for table, answer in tables.items():
        name = "scheduler/sacct.txt" if table == "sacct" else f"{ABOUT}/{table}.txt"
        path = folder / table
        is_there = answer.is_given and path.stat().st_size > 0
        yield BundleItem(
            name=name,
            asked=table,
            path=path if is_there else None,
            stream="scheduler" if table == "sacct" else "",
            failed=answer.complaint or "it says nothing",
        )
    script = folder / "batch_script"
    if script.exists() and script.stat().st_size:
        yield BundleItem(
            name=f"{ABOUT}/batch_script.sh", asked="scontrol write batch_script", path=script
        )


def _of_outputs(wanted: CollectRequest, job: Job, redaction: Redaction) -> Iterator[BundleItem]:
    taken: Counter[str] = Counter()
    for number, path in enumerate(job.outputs, start=1):
        # A file may be named after its user, a model or a host.
        is_named = not redaction.hides - {Hide.SECRETS}
        stem = path.stem if is_named else f"output-{number}"
        taken[stem + path.suffix] += 1
        again = f"-{taken[stem + path.suffix]}" if taken[stem + path.suffix] > 1 else ""
        is_there = path.is_file()
        yield BundleItem(
            name=f"session/{stem}{again}{path.suffix if is_named else '.log'}",
            asked=str(path) if is_named else "",
            path=path if is_there else None,
            stream="session",
            failed="no such file",
            owner=job.owner,
            is_chosen=path not in wanted.outputs,
        )


def _hosts_said(wanted: CollectRequest, job: Job) -> tuple[str, ...]:
    """Return hosts that the outputs call so: nobody else says which names to hide."""
    if Hide.HOSTS not in wanted.hides:
        return ()
    found: dict[str, None] = {}
    for path in wanted.outputs:
        if path.is_file():
            with path.open(encoding="utf-8", errors="replace") as lines:
                for line in islice(lines, MOST_LINES):
                    found |= dict.fromkeys(hosts_in(line=line))
    return tuple(host for host in found if host not in job.nodes)


def _of_nodes(told: Sequence[NodeAnswer], redaction: Redaction) -> Iterator[BundleItem]:
    for one in told:
        host = redaction.host(one.node)
        place = PLACES.get(one.kind, ABOUT + "/hosts/{}.txt")
        is_there = one.answer.is_given and one.path.stat().st_size > 0
        yield BundleItem(
            name=place.format(host),
            asked=one.command,
            path=one.path if is_there else None,
            stream="kernel" if one.kind == nodes.KERNEL else "",
            host=host,
            failed=one.answer.complaint
            or "it says nothing; reading the kernel's log may need a group or root",
        )


def _nothing(items: Sequence[BundleItem]) -> str:
    said = "; ".join(dict.fromkeys(f"{item.name}: {item.failed}" for item in items[:4]))
    return (
        f"nothing could be collected{f' ({said})' if said else ''}; name a job that Slurm knows "
        "here (--job), nodes (--nodes) or files (--output)"
    )


def _about(
    wanted: CollectRequest,
    job: Job,
    told: Sequence[NodeAnswer],
    redaction: Redaction,
    now: datetime,
) -> dict[str, Any]:
    starts_at, ends_at = jobs.span(job=job, now=now)
    return {
        "format": FORMAT,
        "collected_at": now.isoformat(timespec="seconds"),
        "local_zone": now.astimezone().strftime("%z"),
        "job": job.job_id,
        "kernel_from": starts_at.isoformat(timespec="seconds"),
        "kernel_to": ends_at.isoformat(timespec="seconds"),
        "hidden": sorted(wanted.hides),
        "clocks": {
            redaction.host(one.node): {"ahead_s": one.clock_ahead, "error_s": one.clock_error}
            for one in told
            if one.clock_ahead is not None
        },
    }


def _names(into: Path, redaction: Redaction) -> Path | None:
    if not redaction.names:
        return None
    path = into.with_name(into.name.removesuffix(".tar.gz") + ".names.json")
    bundle.keep_names(into=path, names=redaction.names)
    return path


def _folder(path: str) -> str:
    return path.partition("/")[0]
