"""Findings for tests of fusion: minutes after one instant."""

from datetime import UTC, datetime, timedelta

from apps.diagnosis.model import Anomaly, Device, EarlyWarning, Layer, PeerGroup, Role, Scene
from apps.wording import in_english

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOSTS = tuple(f"gpu{number:03}" for number in range(60))


def at(minutes: float) -> datetime:
    """Return an instant."""
    return START + timedelta(minutes=minutes)


def found(
    family: str,
    minutes: float,
    *,
    host: str | None = "gpu017",
    layer: Layer = Layer.GPU,
    kind: str = "peer-deviation",
    score: float = 9.0,
    role: Role = Role.CONFIRMATION,
    lasts: float | None = 10.0,
    continuity: float = 4.0,
    causes: tuple[str, ...] = ("gpu-nvlink",),
    gpu: int | None = None,
    entity: Device | None = None,
    value: float | None = 3.0,
    unit: str = "",
    host_count: int = 1,
) -> Anomaly:
    """Return a finding that began so many minutes after the start."""
    named = (
        Device(kind="node", host=host) if gpu is None else Device(kind="gpu", host=host, index=gpu)
    )
    return Anomaly(
        kind=kind,
        signal=f"{family}.signal",
        family=family,
        layer=layer,
        entity=entity or named,
        starts_at=at(minutes),
        ends_at=None if lasts is None else at(minutes + max(lasts, continuity)),
        noticed_at=at(minutes + continuity),
        score=score,
        value=value,
        baseline=1.0,
        unit=unit,
        role=role,
        causes=causes,
        host_count=host_count,
    )


def fact(family: str, minutes: float, *, gpu: int | None = None, host: str = "gpu017") -> Anomaly:
    """Return a hard fact: a counter of errors that no part works on with."""
    return found(
        family, minutes, host=host, gpu=gpu, kind="counter-increase", score=1.0,
        role=Role.INITIATING, lasts=None, continuity=0.0,
    )  # fmt: skip


def silence(
    host: str, minutes: float, *, lasts: float | None = None, signal: str = "node"
) -> Anomaly:
    """Return a host that is heard no more by one exporter."""
    return Anomaly(
        kind="silence",
        signal=f"{signal}.up",
        family="presence",
        layer=Layer.HOST,
        entity=Device(kind="node", host=host),
        starts_at=at(minutes),
        ends_at=None if lasts is None else at(minutes + lasts),
        noticed_at=at(minutes + 2),
        score=1.0,
        role=Role.INITIATING,
        causes=("node-unreachable",),
        detail="node",
    )


def session(*, ends: float | None = None) -> Scene:
    """Return a scene in which all hosts have long run one session."""
    group = PeerGroup(
        name="attempt 1",
        hosts=HOSTS,
        starts_at=at(-600),
        ends_at=None if ends is None else at(ends),
    )
    return Scene(groups=(group,))


def pages(episodes: tuple[EarlyWarning, ...]) -> list[EarlyWarning]:
    """Return the episodes that page."""
    return [each for each in episodes if each.is_page]


def told(page: EarlyWarning) -> str:
    """Return what an episode says, in English."""
    assert page.statement is not None
    return in_english(page.statement)
