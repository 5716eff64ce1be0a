"""Outputs of ranks and launchers: one file, a file a host or a file a rank, as launchers write."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from tests.score.second.draft import RankLine, SessionDraft
from tests.score.second.stamps import local

# Launcher → layouts it can leave behind.
LAYOUTS: Mapping[str, tuple[str, ...]] = {
    "torchrun-srun": ("one", "by-host", "by-rank"),
    "torchrun-pods": ("pods", "pods-cri", "pods-prefixed"),
    "srun": ("one", "labelled", "by-rank"),
    "pods": ("pods", "pods-cri"),
    "pdsh": ("by-name",),
    "mpirun": ("tagged", "one"),
    "ray": ("ray",),
}


def render(draft: SessionDraft, layout: str, *, kept_since: float) -> dict[str, list[str]]:
    """Return file name → lines, in the order in which they came to the file.

    What was printed before `kept_since` was rotated away.
    """
    late = {host.place: draft.rng.choice((0, 0, 0, 0.2, 4, 25)) for host in draft.rig.hosts}
    spoken = [one for one in draft.spoken if one.at >= kept_since]
    kept = [one for one in spoken if not _is_lost(draft, one)]
    shift = late if layout in {"one", "labelled", "tagged", "by-name", "ray"} else {}
    kept.sort(key=lambda one: one.at + shift.get(one.place, 0))
    files: dict[str, list[str]] = defaultdict(list)
    for line in kept:
        files[_file(draft, layout, line)].append(_written(draft, layout, line))
    return dict(files)


def _is_lost(draft: SessionDraft, line: RankLine) -> bool:
    if line.rank >= 0 and line.at > draft.silent_after.get(-1 - line.rank, line.at):
        return True
    return line.place >= 0 and line.at > draft.silent_after.get(line.place, line.at)


def _file(draft: SessionDraft, layout: str, line: RankLine) -> str:
    rig = draft.rig
    whole = f"slurm-{rig.job}.out" if rig.is_under_slurm else f"{rig.run}.log"
    if line.place < 0:
        return whole
    host = rig.hosts[line.place].name
    name = {
        "by-host": f"logs/{rig.run}-{rig.job}-{host}.log",
        "pods": f"pods/{rig.pod_of(line.place)}.log",
        "by-rank": _of_rank(draft, line) or whole,
    }.get(layout.split("-", maxsplit=1)[0] if layout.startswith("pods") else layout)
    return name or whole


def _of_rank(draft: SessionDraft, line: RankLine) -> str:
    rig, host = draft.rig, draft.rig.hosts[line.place].name
    if rig.launcher == "srun":
        return f"logs/{rig.run}-{rig.job}_{line.rank}.err" if line.rank >= 0 else ""
    if line.rank < 0:
        return f"logs/{host}/torchrun.log"
    return f"logs/{host}/attempt_0/{line.rank % rig.per_host}/stderr.log"


def _written(draft: SessionDraft, layout: str, line: RankLine) -> str:
    return f"{_prefix(draft, layout, line)}{line.text}"


def _prefix(draft: SessionDraft, layout: str, line: RankLine) -> str:
    rig = draft.rig
    place = max(line.place, 0)
    host = rig.hosts[place]
    seen = local(draft.clock(line.at, place), 0)
    of_all = {"pods-cri": f"{seen:%Y-%m-%dT%H:%M:%S.%f}{rig.job % 1000:03d}Z stderr F "}
    of_host = {
        "pods-prefixed": f"[pod/{rig.pod_of(place)}/pytorch] ",
        "by-name": f"{host.name}: ",
    }
    of_rank = {
        "labelled": f"{line.rank:>{len(str(rig.size - 1))}}: ",
        "tagged": f"[1,{line.rank}]<stderr>:",
        "ray": f"(RayTrainWorker pid={rig.pid_of(max(line.rank, 0))}, ip={host.address}) ",
    }
    if line.rank >= 0 and layout in of_rank:
        return of_rank[layout]
    if line.place >= 0 and layout in of_host:
        return of_host[layout]
    return of_all.get(layout, "")


def cut(lines: Sequence[str], share: float) -> list[str]:
    """Return the first lines of a log whose reader stopped."""
    return list(lines[: max(1, int(len(lines) * share))])
