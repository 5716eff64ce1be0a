"""Anomalies → findings: how much each proves, from when on, for how long. Unit-free."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from apps.diagnosis.fusion.rules import NEWS, SAME_LAYER, Rules
from apps.diagnosis.model import Anomaly, Contribution, Layer, Role

# How far a finding of each role can be the story. A teardown follows whatever went wrong.
WEIGHTS: Mapping[Role, float] = MappingProxyType(
    {
        Role.INITIATING: 1.0,
        Role.CONFIRMATION: 0.8,
        Role.CONTEXT: 0.6,
        Role.CASCADE: 0.4,
        Role.TEARDOWN: 0.2,
        Role.RECOVERY: 0.0,
        Role.PROGRESS: 0.0,
    }
)
# Facts, as opposed to levels and deviations.
FACTS = frozenset({"counter-increase", "silence"})
# A deviation of this many robust standard deviations is worth half.
HALF_AT = 6.0
# A corrected counter that grows by many is no fatal fact; one error that is, is told with this.
CERTAIN = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One anomaly as fusion weighs it."""

    anomaly: Anomaly
    family: str
    host: str  # "" when it is of a shared part
    counts_from: datetime  # when a watcher may use it
    until: datetime  # last instant it is known to have lasted
    evidence: float  # in 0..1, the role's weight included
    is_fatal: bool

    @property
    def expires_at(self) -> datetime:
        """Until when it is news: as long as it lasts, but not for ever."""
        return max(self.counts_from, min(self.until, self.counts_from + NEWS))


def finding_of(anomaly: Anomaly, *, counts_from: datetime | None = None) -> Finding:
    """Return an anomaly as a finding; `counts_from` is later where a band explained its start."""
    noticed = max(anomaly.noticed_at or anomaly.starts_at, anomaly.starts_at)
    begins = max(noticed, counts_from) if counts_from else noticed
    forever = begins + NEWS if anomaly.kind == "silence" else begins
    return Finding(
        anomaly=anomaly,
        family=_family(anomaly),
        host=anomaly.entity.host or "",
        counts_from=begins,
        until=max(anomaly.ends_at or forever, begins),
        evidence=evidence_of(anomaly),
        is_fatal=is_fatal(anomaly),
    )


def evidence_of(anomaly: Anomaly) -> float:
    """Return what an anomaly proves: its own evidence, or what its robust score is worth."""
    strength = abs(anomaly.score)
    if math.isnan(strength):
        return 0.0
    if strength > 1.0:
        strength = strength / (strength + HALF_AT) if math.isfinite(strength) else 1.0
    return strength * WEIGHTS[anomaly.role]


def is_fatal(anomaly: Anomaly) -> bool:
    """Say whether it is a hard fact that the part cannot work on with."""
    is_fact = anomaly.kind in FACTS and abs(anomaly.score) >= CERTAIN
    return is_fact and anomaly.role is Role.INITIATING


def _family(anomaly: Anomaly) -> str:
    """Return the family; exporters that fall silent are witnesses apart from each other."""
    if anomaly.kind == "silence" and anomaly.family == "presence":
        return f"presence of {anomaly.signal.partition('.')[0]}"
    return anomaly.family


def strongest(findings: Iterable[Finding]) -> dict[str, Finding]:
    """Return the strongest finding of each family; a family votes once."""
    best: dict[str, Finding] = {}
    for each in findings:
        former = best.get(each.family)
        if former is None or _rank(each) < _rank(former):
            best[each.family] = each
    return best


def score_of(findings: Iterable[Finding]) -> float:
    """Return the evidence of all: independent layers add up, families of one layer half."""
    layers: dict[Layer, dict[str, float]] = {}
    for each in findings:
        families = layers.setdefault(each.anomaly.layer, {})
        families[each.family] = max(families.get(each.family, 0.0), each.evidence)
    doubt = 1.0
    for families in layers.values():
        for place, evidence in enumerate(sorted(families.values(), reverse=True)):
            doubt *= 1.0 - evidence * (1.0 if place == 0 else SAME_LAYER)
    return 1.0 - doubt


def is_page(findings: Iterable[Finding], rules: Rules) -> bool:
    """Say whether the findings page: two families that agree, and one that can name a cause."""
    best = [each for each in strongest(findings).values() if each.evidence >= rules.support]
    if len(best) < 2 or not any(each.anomaly.causes for each in best):
        return False
    return any(each.is_fatal for each in best) or score_of(best) >= rules.enter


def contribution_of(finding: Finding) -> Contribution:
    """Return what an episode keeps of a finding."""
    anomaly = finding.anomaly
    return Contribution(
        family=finding.family,
        layer=anomaly.layer,
        kind=anomaly.kind,
        signal=anomaly.signal,
        entity=anomaly.entity,
        starts_at=anomaly.starts_at,
        noticed_at=finding.counts_from,
        weight=finding.evidence,
        value=anomaly.value,
        baseline=anomaly.baseline,
        unit=anomaly.unit,
        detail=anomaly.detail,
    )


def order_of(finding: Finding) -> tuple[datetime, datetime, str, str, str]:
    """Return the key that makes an order out of any order."""
    anomaly = finding.anomaly
    return (
        finding.counts_from,
        anomaly.starts_at,
        finding.host,
        finding.family,
        f"{anomaly.signal}|{anomaly.kind}|{anomaly.detail}|{anomaly.entity}|{anomaly.score!r}",
    )


def _rank(finding: Finding) -> tuple[float, tuple[datetime, datetime, str, str, str]]:
    return -finding.evidence, order_of(finding)


def is_near(one: datetime, other: datetime, span: timedelta) -> bool:
    """Say whether two instants are at most a span apart."""
    return abs(one - other) <= span
