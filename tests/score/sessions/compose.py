"""One seed → one session on disk and the truth about it."""

import gzip
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

from tests.score.sessions import decoys
from tests.score.sessions import kernel as kernel_text
from tests.score.sessions.faults import (
    collectives,
    ends,
    fabric,
    gpu,
    healthy,
    host,
    network,
    network_setup,
    software,
    storage,
    two,
    unknown,
)
from tests.score.sessions.render import kernel as kernel_files
from tests.score.sessions.render import scheduler as scheduler_files
from tests.score.sessions.render import session as session_files
from tests.score.sessions.render.files import LogFile
from tests.score.sessions.render.layout import LAYOUTS, lay_out
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.sessions.world import draw_world
from tests.score.truth import Truth

Fault = Callable[[Scene], Told]
NAMED: Mapping[str, Fault] = {
    **gpu.FAULTS,
    **fabric.FAULTS,
    **network.FAULTS,
    **network_setup.FAULTS,
    **storage.FAULTS,
    **host.FAULTS,
    **ends.FAULTS,
    **software.FAULTS,
    **collectives.FAULTS,
    **two.FAULTS,
}
UNKNOWN: Mapping[str, Fault] = unknown.FAULTS
HEALTHY: Mapping[str, Fault] = healthy.FAULTS
# What studies of large clusters meet most is drawn twice as often.
COMMON = {
    "gpu-off-bus",
    "gpu-ecc",
    "nvlink",
    "port-down",
    "host-oom",
    "node-gone",
    "nfs-gone",
    "slow-save",
    "cuda-oom",
    "rank-exception",
}
SHARES = ((0.70, NAMED), (0.18, UNKNOWN), (0.12, HEALTHY))


def scenarios() -> tuple[str, ...]:
    """Return the name of every scenario."""
    return tuple(sorted({**NAMED, **UNKNOWN, **HEALTHY}))


def compose(*, seed: int, folder: Path, scenario: str | None = None) -> tuple[Truth, Path]:
    """Write one session below the folder; return its truth and the path to diagnose."""
    rng = Random(seed)  # noqa: S311  reproducible, not secret
    name = scenario or _draw(rng)
    layout = rng.choice(LAYOUTS)
    world = draw_world(rng=rng, is_told_info=layout == "content")
    style = rng.choice([one for one, by in session_files.STYLES.items() if world.launcher in by])
    if style not in session_files.BY_HOST | {"per-rank", "pdsh"}:
        world = replace(world, nccl_debug="INFO")
    scene = Scene(rng=rng, world=world)
    if rng.random() < 0.15:
        scene.prelude = decoys.earlier_attempt
    told = {**NAMED, **UNKNOWN, **HEALTHY}[name](scene)
    world = scene.world
    decoys.add(scene, told)
    _chatter(scene)
    kernel_style = _kernel_style(rng, layout, told)
    files = _files(scene, told, style, kernel_style)
    path = lay_out(world=world, files=files, folder=folder, layout=layout, rng=rng)
    return _truth(seed, name, scene, told, (layout, style, kernel_style)), path


def _draw(rng: Random) -> str:
    drawn, kinds = rng.random(), [kind for _, kind in SHARES]
    for share, kind in SHARES:
        if drawn < share:
            return rng.choice(sorted([*kind, *COMMON & set(kind)]))
        drawn -= share
    return rng.choice(sorted(kinds[-1]))


def _chatter(scene: Scene) -> None:
    begun = scene.world.started_at
    for one in scene.world.hosts:
        since = max(one.booted_at + 60, begun - 5 * 86400)
        kernel_text.chatter(
            scene, one.place, since, scene.ends_at, count=scene.rng.randrange(6, 30)
        )


def _kernel_style(rng: Random, layout: str, told: Told) -> str:
    fit = [
        name
        for name, one in kernel_files.STYLES.items()
        if (one.names_host or layout != "content")
        and (one.outlives_boot or not told.is_rebooted)
        and (one.is_dated or not told.needs_dates)
    ]
    return rng.choice(fit)


def _files(scene: Scene, told: Told, style: str, kernel_style: str) -> list[LogFile]:
    session = session_files.render(scene=scene, style=style, cuts=scene.cuts)
    session = _harmed(scene.rng, session, told)
    places = _kernel_places(scene, told)
    kernels = kernel_files.render(
        scene=scene, style=kernel_style, places=places, is_relayed=scene.rng.random() < 0.15
    )
    needed = told.needs_scheduler or scene.world.is_in_pods
    is_hidden = told.hides_scheduler or (not needed and scene.rng.random() < 0.35)
    other = scheduler_files.render(scene=scene, is_hidden=is_hidden)
    other += scheduler_files.accounting(scene=scene, end=told.end)
    return [one for one in (*session, *kernels, *other) if one.body]


def _harmed(rng: Random, files: list[LogFile], told: Told) -> list[LogFile]:
    """Cut the tail of one bystander's log as a collector does, or pack some logs."""
    spared = [one for one in files if one.place >= 0 and one.place not in told.hosts]
    if spared and rng.random() < 0.2:
        unlucky = rng.choice(spared)
        most = len(unlucky.body)
        least = most * 2 // 3
        kept = unlucky.body[: rng.randrange(min(max(1, least), most), most + 1)]
        files = [replace(one, body=kept) if one is unlucky else one for one in files]
    if rng.random() < 0.08:
        files = [replace(one, body=gzip.compress(one.body, 1, mtime=0)) for one in files]
    return files


def _kernel_places(scene: Scene, told: Told) -> list[int]:
    """Return the hosts whose kernel logs are at hand: those that are needed, and maybe others."""
    rng, every = scene.rng, [one.place for one in scene.world.hosts]
    if told.hides_all_kernels or (not told.needs_kernel and rng.random() < 0.3):
        return []
    if rng.random() < 0.25:
        some = rng.sample(every, max(1, len(every) // 2))
        every = sorted({*some, *told.needs_kernel})
    return [place for place in every if place not in told.hides]


def _truth(seed: int, name: str, scene: Scene, told: Told, styles: tuple[str, ...]) -> Truth:
    world = scene.world
    spelled = [world.spellings(place) for place in told.hosts]
    return Truth(
        seed=seed,
        scenario=name,
        telling=told.telling,
        status=told.status,
        answers=told.answers,
        hosts=frozenset().union(*spelled) if spelled else frozenset(),
        kind=told.kind,
        end=told.end,
        decoys=tuple(scene.decoys),
        styles=(
            *styles,
            world.framework,
            world.launcher,
            world.scheduler,
            f"torch {world.torch}",
            f"nccl {world.nccl}",
            f"{len(world.hosts)} hosts",
        ),
    )
