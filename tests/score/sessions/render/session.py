"""Session logs in the styles of launchers and container engines."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, timezone

from tests.score.sessions.cluster import ZONES, Host
from tests.score.sessions.render.files import LogFile
from tests.score.sessions.render.pipes import Line, lines, shared
from tests.score.sessions.scene import Scene
from tests.score.sessions.slurm import pod

VOICES = frozenset({"rank", "agent", "job"})
PARTIAL = 16 * 1024
# style → launchers under which it occurs
STYLES: dict[str, tuple[str, ...]] = {
    "per-rank": ("torchrun", "srun", "deepspeed"),
    "per-host": ("torchrun", "deepspeed"),
    "srun-ranks": ("srun",),
    "srun-nodes": ("torchrun",),
    "slurm-out": ("torchrun", "srun"),
    "pdsh": ("deepspeed",),
    "ray": ("ray",),
    "docker": ("torchrun", "deepspeed"),
    "cri": ("torchrun", "deepspeed"),
    "journald": ("torchrun", "srun"),
}
BY_HOST = frozenset({"per-host", "docker", "cri", "journald"})
Format = Callable[[Scene, Line], str]


def render(*, scene: Scene, style: str, cuts: dict[int, float]) -> list[LogFile]:
    """Return the session's logs; `cuts`: places whose pipes broke at a moment, mid-line."""
    said = [one for one in scene.said if one.kind in VOICES]
    alive = [one for one in said if one.place not in cuts or one.written < cuts[one.place]]
    physical = list(lines(alive, rng=scene.rng))
    if style == "per-rank":
        return _per_rank(scene, physical)
    if style in BY_HOST:
        return _per_host(scene, physical, style, cuts)
    return [_one_file(scene, physical, style)]


def _per_rank(scene: Scene, physical: list[Line]) -> list[LogFile]:
    found = []
    for rank in range(scene.world.size):
        mine = [line for line in physical if line.kind == "rank" and line.rank == rank]
        found.append(_file(scene, "".join(f"{one.text}\n" for one in mine), rank // 8, rank))
    for host in scene.world.hosts:
        agent = [one for one in physical if one.kind == "agent" and one.place == host.place]
        if agent:
            text = "".join(f"{one.text}\n" for one in agent)
            found.append(_file(scene, text, host.place, -1, name="agent"))
    job = "".join(f"{one.text}\n" for one in physical if one.kind == "job")
    if job:
        found.append(_file(scene, job, -1, -1, name=f"slurm-{scene.world.job}"))
    return [one for one in found if one.body]


def _per_host(
    scene: Scene, physical: list[Line], style: str, cuts: dict[int, float]
) -> list[LogFile]:
    found = []
    for host in scene.world.hosts:
        mine = [line for line in physical if line.place == host.place]
        text = _ENVELOPES[style](scene, host, mine)
        if host.place in cuts and text:
            text = text[: -scene.rng.randrange(1, min(40, len(text)))]
            text += "\0" * scene.rng.choice((0, 0, 512, 3000))
        found.append(_file(scene, text, host.place, -1))
    return found


def _one_file(scene: Scene, physical: list[Line], style: str) -> LogFile:
    form = _LABELS[style]
    torn = 0.002 if style == "slurm-out" else 0.0005
    printed = [(line, form(scene, line)) for line in physical]
    text = shared(printed, rng=scene.rng, torn=torn)
    return _file(scene, text, -1, -1, name=f"slurm-{scene.world.job}")


def _file(scene: Scene, text: str, place: int, rank: int, *, name: str = "train") -> LogFile:
    return LogFile(
        stream="session",
        body=text.encode(),
        place=place,
        rank=rank,
        zone=scene.world.session_zone,
        name=name,
        changed_at=scene.ends_at,
    )


def _srun_rank(scene: Scene, line: Line) -> str:
    width = len(str(scene.world.size - 1))
    return f"{line.rank:>{width}}: {line.text}" if line.kind == "rank" else line.text


def _srun_node(scene: Scene, line: Line) -> str:
    width = len(str(len(scene.world.hosts) - 1))
    inside = f"[default{line.rank % 8}]:" if line.kind == "rank" else ""
    return line.text if line.kind == "job" else f"{line.place:>{width}}: {inside}{line.text}"


def _plain(_: Scene, line: Line) -> str:
    return line.text


def _pdsh(scene: Scene, line: Line) -> str:
    return line.text if line.kind == "job" else f"{scene.world.hosts[line.place].name}: {line.text}"


def _ray(scene: Scene, line: Line) -> str:
    if line.kind != "rank":
        return line.text
    host = scene.world.hosts[line.place]
    pid = host.pids[line.rank % 8]
    return f"(TrainWorker[rank={line.rank}] pid={pid}, ip={host.ip}) {line.text}"


_LABELS: dict[str, Format] = {
    "srun-ranks": _srun_rank,
    "srun-nodes": _srun_node,
    "slurm-out": _plain,
    "pdsh": _pdsh,
    "ray": _ray,
}


def _tee(scene: Scene, _: Host, mine: Iterable[Line]) -> str:
    printed = [
        (one, f"[default{one.rank % 8}]:{one.text}" if one.kind == "rank" else one.text)
        for one in mine
    ]
    return shared(printed, rng=scene.rng, torn=0.0003)


def _docker(scene: Scene, host: Host, mine: Iterable[Line]) -> str:
    records = []
    for one in mine:
        at = datetime.fromtimestamp(one.written + host.offset, UTC)
        stamp = f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond:06d}{scene.rng.randrange(1000):03d}Z"
        text = one.text + "\n"
        stream = "stderr" if one.is_error else "stdout"
        for start in range(0, len(text), PARTIAL):
            piece = text[start : start + PARTIAL]
            records.append(json.dumps({"log": piece, "stream": stream, "time": stamp}))
    return "".join(f"{one}\n" for one in records)


def _cri(scene: Scene, host: Host, mine: Iterable[Line]) -> str:
    minutes = ZONES[scene.world.kernel_zone]
    zone = timezone(timedelta(minutes=minutes))
    suffix = "Z" if minutes == 0 else _offset(minutes)
    records = []
    for one in mine:
        at = datetime.fromtimestamp(one.written + host.offset, zone)
        stamp = (
            f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond:06d}{scene.rng.randrange(1000):03d}{suffix}"
        )
        stream = "stderr" if one.is_error else "stdout"
        size = 900 if len(one.text) > 1200 else PARTIAL
        parts = [one.text[i : i + size] for i in range(0, max(1, len(one.text)), size)]
        records += [f"{stamp} {stream} P {part}" for part in parts[:-1]]
        records.append(f"{stamp} {stream} F {parts[-1]}")
    return "".join(f"{one}\n" for one in records)


def _offset(minutes: int) -> str:
    sign = "+" if minutes >= 0 else "-"
    return f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def _journald(scene: Scene, host: Host, mine: Iterable[Line]) -> str:
    minutes = ZONES[scene.world.kernel_zone]
    zone, suffix = timezone(timedelta(minutes=minutes)), _offset(minutes).replace(":", "")
    found = []
    for one in mine:
        at = datetime.fromtimestamp(one.written + host.offset, zone)
        pid = host.pids[one.rank % 8] if one.kind == "rank" else host.agent_pid
        found.append(f"{at:%Y-%m-%dT%H:%M:%S}{suffix} {host.name} train-job[{pid}]: {one.text}")
    return "".join(f"{one}\n" for one in found)


_ENVELOPES: dict[str, Callable[[Scene, Host, list[Line]], str]] = {
    "per-host": _tee,
    "docker": _docker,
    "cri": _cri,
    "journald": _journald,
}


def pod_file(scene: Scene, place: int) -> str:
    """Return what kubelet calls the log of a pod."""
    return f"train_{pod(scene, place)}_0b6f2b1e_pytorch_0"
