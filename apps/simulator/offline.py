"""One scenario as plain files, for `manage.py diagnose DIR` and the score."""

import json
from pathlib import Path

from apps.simulator.world.noise import Dice
from apps.simulator.world.plan import LIVE, scenario_names
from apps.simulator.world.story import FaultOutcome, SimulatedAttempt
from apps.simulator.world.streams import Key, grouped
from apps.simulator.world.truth import entry
from apps.simulator.world.world import World, make_world

_BASE = 1_795_219_200.0  # 2026-11-21 00:00 UTC
_BEFORE_SECONDS = 7500.0
_AFTER_SECONDS = 300.0


class ScenarioUnknown(Exception):
    """No scenario of that name exists."""


def epoch_of(seed: int) -> float:
    """Return the epoch that files of a seed are written for."""
    return _BASE + Dice(seed=seed).integer("offline epoch", 0, 30 * 24 * 60) * 60.0


def offline_world(*, seed: int) -> World:
    """Return the world of a seed with its live scenario struck, too."""
    epoch = epoch_of(seed)
    return make_world(seed=seed, epoch=epoch, live_at=epoch + 25.0)


def write_scenario(
    *, world: World, name: str, directory: Path, all_kernels: bool = False
) -> list[Path]:
    """Write one folder per session that the scenario struck; the first is the directory itself.

    Of kernel logs those of the nodes that it touches, or all that the operator has.
    """
    if name not in world.outcomes:
        known = ", ".join(scenario_names())
        raise ScenarioUnknown(
            f"no scenario {name!r}; there are: {known} (and {LIVE!r} once struck)"
        )
    outcome = world.outcomes[name]
    written = []
    for index, struck in enumerate(outcome.truth.attempts):
        attempt = next(a for a in world.attempts if a.key == struck.key)
        folder = (
            directory
            if index == 0
            else directory.with_name(f"{directory.name}-{attempt.organization}")
        )
        _write_attempt(world, attempt, outcome, folder, all_kernels=all_kernels)
        written.append(folder)
    return written


def _write_attempt(
    world: World,
    attempt: SimulatedAttempt,
    outcome: FaultOutcome,
    folder: Path,
    *,
    all_kernels: bool,
) -> None:
    ended = max(attempt.ends_at or 0.0, outcome.truth.newest_evidence_at) + _AFTER_SECONDS
    lines = world.session_lines(attempt, since=attempt.starts_at, until=ended)
    lines += world.scheduler_lines(attempt, since=attempt.starts_at, until=ended)
    touched = None if all_kernels else _touched(attempt, outcome)
    lines += world.infrastructure_lines(
        since=outcome.truth.failed_at - _BEFORE_SECONDS, until=ended, hosts=touched
    )
    rows = grouped(cluster=world.plan.cluster, lines=lines)
    for key, texts in rows.items():
        path = folder / key.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(text + "\n" for _, text in texts))
    manifest = [_described(key) for key in rows]
    (folder / "faultline.json").write_text(json.dumps(manifest, indent=1) + "\n")
    truth = entry(outcome.truth) | {
        "session": attempt.session,
        "attempt": attempt.number,
        "organization": attempt.organization,
        "hosts": list(attempt.hosts),
    }
    (folder / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")


def _touched(attempt: SimulatedAttempt, outcome: FaultOutcome) -> frozenset[str]:
    """Return the session's own nodes and the others whose kernels the scenario touched."""
    return frozenset(attempt.hosts) | {
        line.host for line in outcome.lines if line.stream == "kernel"
    }


def _described(key: Key) -> dict[str, object]:
    described: dict[str, object] = {"path": key.path, "stream": key.stream, "host": key.host}
    if key.rank is not None:
        described["rank"] = key.rank
    return described | {"tz": key.zone}
