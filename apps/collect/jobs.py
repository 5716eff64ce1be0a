"""A job as Slurm tells of it: when it ran, on which nodes, and which files it wrote."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from apps.collect.asking import Ask, ProgramAnswer

JOB_ID: Final = re.compile(r"\d{1,12}(?:_\d{1,9}|\+\d{1,6})?", re.ASCII)
NODE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}", re.ASCII)
MOST_NODES: Final = 4096
MOST_GUESSED: Final = 50
# Asked for where this Slurm knows them; the first ones always do.
COLUMNS: Final = (
    "JobID",
    "State",
    "UID",
    "ExitCode",
    "DerivedExitCode",
    "Submit",
    "Start",
    "End",
    "Elapsed",
    "NodeList",
    "FailedNode",
    "Reason",
    "ReqTRES",
    "AllocTRES",
    "WorkDir",
    "StdOut",
    "StdErr",
)
NEEDED: Final = 2
# They may hold blanks, and stand alone on their lines.
PATHS: Final = ("StdOut", "StdErr", "WorkDir")
NUMBERS: Final = re.compile(r"\d{1,12}(?:[_+]\d{1,9})?", re.ASCII)
# Each begins its line: elsewhere stand names that users chose, with what they like in them.
FIRST: Final = ("NodeList", "JobState", "UserId")
UID: Final = re.compile(r"(?:[^()]{0,64}\()?(\d{1,10})\)?", re.ASCII)
NOTHING: Final = frozenset(
    {"", "None", "Unknown", "(null)", "None assigned", "N/A", "/dev/null", "Nodes required"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is known of a job; times have a zone, nodes their full names as Slurm writes them."""

    job_id: str
    is_running: bool = False
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    nodes: tuple[str, ...] = ()
    outputs: tuple[Path, ...] = ()
    owner: int | None = None  # the uid of who ran it


def slurm_tables(*, job_id: str, ask: Ask, folder: Path) -> Mapping[str, ProgramAnswer]:
    """Ask Slurm's accounting and its controller; the answers stand in the folder by these names."""
    columns = _columns(ask, folder)
    told = ask(
        [
            *("sacct", "--parsable2", "--duplicates", "--jobs", job_id),
            f"--format={','.join(columns)}",
        ],
        folder / "sacct",
    )
    seen = ask(["scontrol", "show", "job", "--details", job_id], folder / "scontrol")
    ask(["scontrol", "write", "batch_script", job_id, "-"], folder / "batch_script")
    return {"sacct": told, "scontrol": seen}


def _columns(ask: Ask, folder: Path) -> list[str]:
    """Return what this version's accounting knows: one unknown column and it refuses all."""
    answer = ask(["sacct", "--helpformat"], folder / "helpformat")
    if not answer.is_given:
        return list(COLUMNS[:NEEDED])
    known = set((folder / "helpformat").read_text(errors="replace").split())
    (folder / "helpformat").unlink()
    return [column for column in COLUMNS if column in known]


def job_of(*, job_id: str, folder: Path, hosts_of: "HostsOf") -> Job:
    """Return the job that the answers in the folder tell of."""
    rows, shown = _rows(folder / "sacct"), _shown(folder / "scontrol")
    nodes = hosts_of([*(row.get("NodeList", "") for row in rows), *shown["NodeList"]])
    states = [*(row.get("State", "") for row in rows[-1:]), *shown["JobState"]]
    running = any(state.split(" ")[0] in {"RUNNING", "SUSPENDED", "COMPLETING"} for state in states)
    return Job(
        job_id=job_id,
        is_running=running,
        starts_at=_first(row.get("Start", "") for row in rows),
        ends_at=None if running else _last(row.get("End", "") for row in rows),
        nodes=nodes,
        outputs=_outputs(job_id, rows, shown),
        owner=_owner(rows, shown),
    )


class HostsOf:
    """Expands Slurm's lists of hosts (`gpu[01-04,07]`) by asking Slurm itself."""

    def __init__(self, *, ask: Ask, folder: Path) -> None:
        self._ask, self._folder = ask, folder

    def __call__(self, lists: Iterable[str]) -> tuple[str, ...]:
        """Return the hosts of all lists, each once; raise ValueError for too many."""
        found: dict[str, None] = {}
        for said in dict.fromkeys(lists):
            if said not in NOTHING:
                found |= dict.fromkeys(self._expanded(said))
        if len(found) > MOST_NODES:
            raise ValueError(f"{len(found)} nodes are more than {MOST_NODES}")
        return tuple(found)

    def _expanded(self, said: str) -> list[str]:
        names = said.split(",")
        if "[" in said:
            into = self._folder / "hostnames"
            self._ask(["scontrol", "show", "hostnames", said], into)
            names = into.read_text(errors="replace").split()
            into.unlink()
        return [name for name in names if NODE.fullmatch(name)]


def _owner(rows: list[dict[str, str]], shown: dict[str, list[str]]) -> int | None:
    said = [*(row.get("UID", "") for row in rows), *shown["UserId"]]
    return next((int(found[1]) for one in said if (found := UID.fullmatch(one))), None)


def _rows(table: Path) -> list[dict[str, str]]:
    """Return the rows of the job itself, without its steps."""
    lines = table.read_text(errors="replace").splitlines() if table.exists() else []
    names = lines[0].split("|") if lines else []
    rows = [dict(zip(names, line.split("|"), strict=False)) for line in lines[1:]]
    return [row for row in rows if JOB_ID.fullmatch(row.get("JobID", ""))]


def _shown(text: Path) -> dict[str, list[str]]:
    said = text.read_text(errors="replace") if text.exists() else ""
    found: dict[str, list[str]] = {name: [] for name in (*FIRST, *PATHS)}
    for name, _, value in (line.strip().partition("=") for line in said.split("\n")):
        if name in FIRST:
            found[name].append(value.partition(" ")[0])
        elif name in PATHS:
            found[name].append(value)
    return found


def _first(stamps: Iterable[str]) -> datetime | None:
    return min((at for one in stamps if (at := _time(one))), default=None)


def _last(stamps: Iterable[str]) -> datetime | None:
    return max((at for one in stamps if (at := _time(one))), default=None)


def _time(said: str) -> datetime | None:
    """Return a time with its zone; one without is this machine's."""
    try:
        at = datetime.fromisoformat(said)
    except ValueError:
        return None
    return at.astimezone(UTC)


def _outputs(
    job_id: str, rows: list[dict[str, str]], shown: dict[str, list[str]]
) -> tuple[Path, ...]:
    """Return what the job wrote by its own word, else files of its folder that bear its number."""
    named = [value for name in ("StdOut", "StdErr") for value in shown[name]]
    # Later versions keep them in the accounting, as patterns that were not filled in.
    named += [
        value
        for row in rows
        for name in ("StdOut", "StdErr")
        if "%" not in (value := row.get(name, ""))
    ]
    folders = [*shown["WorkDir"], *(row.get("WorkDir", "") for row in rows)]
    told = [Path(value) for value in dict.fromkeys(named) if value not in NOTHING]
    there = [path for path in told if path.is_file()]
    return tuple(there or _guessed(job_id, folders))


def _guessed(job_id: str, folders: Iterable[str]) -> list[Path]:
    found = []
    for folder in {Path(one) for one in folders if one not in NOTHING}:
        try:
            inside = sorted(folder.iterdir())
        except OSError:
            continue
        bears = [path for path in inside if job_id in NUMBERS.findall(path.name)]
        found += [path for path in bears if path.is_file()]
    return found[:MOST_GUESSED]


def span(*, job: Job, now: datetime) -> tuple[datetime, datetime]:
    """Return the time that concerns the job: an hour before, and ten minutes after its end."""
    ends_at = min(now, (job.ends_at or now) + timedelta(minutes=10))
    return (job.starts_at or ends_at - timedelta(days=1)) - timedelta(hours=1), ends_at
