"""One seed → one session on disk, and the truth about it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

from tests.score.second import noise, progress
from tests.score.second.draft import SessionDraft
from tests.score.second.faults import (
    ends,
    gpu,
    host,
    limits,
    network,
    network_setup,
    software,
    storage,
    undecided,
)
from tests.score.second.files import records, session, system
from tests.score.second.outcome import Outcome
from tests.score.second.rig import ON_TORCH, Rig, draw_rig
from tests.score.truth import Truth

Fault = Callable[[SessionDraft], Outcome]
NAMED: Mapping[str, Fault] = {
    **gpu.FAULTS,
    **network.FAULTS,
    **network_setup.FAULTS,
    **storage.FAULTS,
    **host.FAULTS,
    **limits.FAULTS,
    **software.FAULTS,
}
FAULTS: Mapping[str, Fault] = {**NAMED, **undecided.FAULTS, **ends.FAULTS}
SHARES = ((0.72, NAMED), (0.16, undecided.FAULTS), (0.12, ends.FAULTS))
# Set-up of communicators is told as torch.distributed tells it.
OF_TORCH = (
    software.OF_TORCH
    | undecided.OF_TORCH
    | {
        "net-wrong-interface",
        "net-address-unreachable",
        "net-no-rendezvous",
        "net-registration",
        "host-versions",
        "host-shared-memory",
    }
)


def scenarios() -> tuple[str, ...]:
    """Return the name of every scenario."""
    return tuple(sorted(FAULTS))


def compose(*, seed: int, folder: Path, scenario: str | None = None) -> tuple[Truth, Path]:
    """Write one session below the folder; return its truth and the path to diagnose."""
    rng = Random(f"second {seed}")  # noqa: S311  reproducible, not secret
    name = scenario or _draw(rng)
    rig = _rig(rng, name)
    draft = SessionDraft(rng=rng, rig=rig, stops=rig.began + _length(rng, rig))
    progress.begin(draft)
    outcome = FAULTS[name](draft)
    if not draft.has_steps:
        progress.steps(draft)
    draft.ends = max(draft.ends, draft.stops + 1)
    style = _style(rng, outcome)
    noise.ordinary(draft)
    noise.add(draft, is_dated=system.STYLES[style].is_dated, must=name == "open-old-trouble")
    if outcome.status == "named":
        noise.echoes(draft)
    layout = rng.choice(session.LAYOUTS[rig.launcher])
    files = _files(draft, outcome, style, layout)
    _write(folder, files)
    return _truth(seed, name, draft, outcome, (layout, style)), folder


def _draw(rng: Random) -> str:
    drawn = rng.random()
    for share, kind in SHARES:
        if drawn < share:
            return rng.choice(sorted(kind))
        drawn -= share
    return rng.choice(sorted(SHARES[-1][1]))


def _rig(rng: Random, name: str) -> Rig:
    """Draw machines that can tell the scenario."""
    while True:
        rig = draw_rig(rng=rng)
        if name in OF_TORCH and rig.framework not in ON_TORCH:
            continue
        if name.startswith("net-subnet") and rig.fabric != "ib":
            continue
        if name == "net-pause-storm" and rig.fabric != "roce":
            continue
        return rig


def _length(rng: Random, rig: Rig) -> float:
    """Return for how long steps go on, in seconds."""
    lines = rng.randrange(20, progress.MOST_TOLD - 20)
    return 45 + lines * rig.step_seconds * rig.steps_between


def _style(rng: Random, outcome: Outcome) -> str:
    fit = [
        name
        for name, one in system.STYLES.items()
        if one.is_dated or not outcome.is_dated
        if one.outlives_boot or not outcome.tells_kernel
    ]
    plain = [name for name in fit if not system.STYLES[name].outlives_boot]
    return rng.choice(plain or fit) if rng.random() < 0.3 else rng.choice(fit)


def _files(draft: SessionDraft, outcome: Outcome, style: str, layout: str) -> dict[str, list[str]]:
    rng = draft.rng
    is_rotated = rng.random() < 0.12
    since = draft.rig.began + 0.6 * (draft.stops - draft.rig.began) if is_rotated else 0.0
    files = session.render(draft, layout, kept_since=since)
    files = _shortened(rng, draft, outcome, files)
    places = [host.place for host in draft.rig.hosts]
    if outcome.hides:
        return files
    if not outcome.tells_kernel and rng.random() < 0.35:
        places = []
    elif rng.random() < 0.3:
        some = rng.sample(places, max(1, len(places) // 2))
        places = sorted({*some, *outcome.tells_kernel})
    files |= system.render(draft, style, places, is_relayed=rng.random() < 0.15)
    if outcome.tells_fabric or (draft.fabric and rng.random() < 0.6):
        files |= records.fabric(draft)
    if outcome.tells_scheduler or rng.random() < 0.6:
        files |= records.scheduler(draft, outcome.end)
    return files


def _shortened(
    rng: Random, draft: SessionDraft, outcome: Outcome, files: dict[str, list[str]]
) -> dict[str, list[str]]:
    """Cut the end of one bystander's log, as a reader does that stopped early."""
    spare = {draft.rig.hosts[place].name for place in range(len(draft.rig.hosts))}
    spare -= {draft.rig.hosts[place].name for place in outcome.places}
    fit = [
        name
        for name in sorted(files)
        if any(name.startswith(f"logs/{one}/") or name.endswith(f"-{one}.log") for one in spare)
    ]
    if outcome.status == "named" and outcome.places and fit and rng.random() < 0.2:
        unlucky = rng.choice(fit)
        files[unlucky] = session.cut(files[unlucky], rng.uniform(0.6, 0.95))
    return files


def _write(folder: Path, files: Mapping[str, list[str]]) -> None:
    for name, lines in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _truth(
    seed: int, name: str, draft: SessionDraft, outcome: Outcome, styles: tuple[str, ...]
) -> Truth:
    rig = draft.rig
    spelled = [rig.spellings(place) for place in outcome.places]
    return Truth(
        seed=seed,
        scenario=name,
        telling=outcome.telling,
        status=outcome.status,
        answers=outcome.answers,
        hosts=frozenset().union(*spelled),
        kind=outcome.kind,
        end=outcome.end,
        decoys=tuple(draft.decoys),
        styles=(*styles, rig.framework, rig.launcher, f"torch {rig.torch}", f"nccl {rig.nccl}"),
    )
