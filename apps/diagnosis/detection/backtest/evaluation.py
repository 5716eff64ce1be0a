"""A replayed past → the report: fused at the shipped threshold, at others, and beside baselines."""

from collections.abc import Sequence
from dataclasses import replace

from apps.diagnosis.detection.backtest.alarms import alarms_of, trivial
from apps.diagnosis.detection.backtest.labels import Label
from apps.diagnosis.detection.backtest.replay import ReplayResult
from apps.diagnosis.detection.backtest.report import BacktestReport
from apps.diagnosis.detection.backtest.scoring import judge
from apps.diagnosis.detection.fusion import Rules, fuse
from apps.diagnosis.model import EarlyWarning, Topology

THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def judged(
    *, past: ReplayResult, labels: Sequence[Label], parts: Topology | None = None
) -> BacktestReport:
    """Return the judgement on what was noticed. Hosts that nobody knows are noted."""

    report = judge(
        episodes=fused(past=past, parts=parts),
        labels=labels,
        watched=past.watched,
        thresholds={
            f"{enter:.1f}": alarms_of(fused(past=past, parts=parts, rules=Rules(enter=enter)))
            for enter in THRESHOLDS
        },
        baselines=trivial(past.anomalies),
    )
    return replace(report, notes=_notes(past, labels))


def fused(
    *, past: ReplayResult, parts: Topology | None = None, rules: Rules | None = None
) -> tuple[EarlyWarning, ...]:
    """Return the episodes of a replayed past."""
    return fuse(
        anomalies=past.anomalies,
        scene=past.scene,
        hosts=past.watched.hosts,
        parts=parts,
        rules=rules,
    )


def _notes(past: ReplayResult, labels: Sequence[Label]) -> tuple[str, ...]:
    watched = past.watched
    known = set(watched.hosts)
    notes = []
    inside = [each for each in labels if watched.starts_at <= each.at <= watched.ends_at]
    strangers = sorted({each.host for each in inside if each.host and each.host not in known})
    if strangers:
        notes.append(
            f"the source doesn't know {len(strangers)} of the hosts that failed: "
            f"{', '.join(strangers[:5])}{' …' if len(strangers) > 5 else ''}; "
            f"its own are {', '.join(sorted(known)[:3])} …"
        )
    outside = len(labels) - len(inside)
    if outside:
        notes.append(f"{outside} failures lie outside of the range and were not judged")
    return tuple(notes)
