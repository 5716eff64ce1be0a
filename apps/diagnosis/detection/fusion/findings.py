"""Anomalies → findings: how much each proves, from when on, for how long. Unit-free."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

from apps.diagnosis.detection.fusion.rules import NEWS, SAME_LAYER, Rules
from apps.diagnosis.detection.known_detectors import kind_named
from apps.diagnosis.model import Anomaly, Contribution, Layer, Role, presence_of

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
SPEAKING = frozenset({Role.INITIATING, Role.CONFIRMATION})
# What began this near to a fact began with it.
WITH_IT = timedelta(minutes=15)
# A deviation of this many robust standard deviations is worth half.
HALF_AT = 6.0
# A corrected counter that grows by many is no fatal fact; one error that is, is told with this.
CERTAIN = 1.0


Order = tuple[datetime, datetime, str, str, str]


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
    order: Order  # what makes one order of findings that were told in any

    @property
    def expires_at(self) -> datetime:
        """Until when it is news: as long as it lasts, but not for ever."""
        return max(self.counts_from, min(self.until, self.counts_from + NEWS))


def finding_of(anomaly: Anomaly, *, counts_from: datetime | None = None) -> Finding:
    """Return an anomaly as a finding; `counts_from` is later where a band explained its start."""
    noticed = max(anomaly.noticed_at or anomaly.starts_at, anomaly.starts_at)
    begins = max(noticed, counts_from) if counts_from else noticed
    # What was counted has happened and stays news for hours; a level is news while it lasts.
    forever = begins + NEWS if kind_named(anomaly.kind).is_fact else begins
    family, host = _family(anomaly), anomaly.entity.host or ""
    rest = f"{anomaly.signal}|{anomaly.kind}|{anomaly.detail}|{anomaly.entity}|{anomaly.score!r}"
    return Finding(
        anomaly=anomaly,
        family=family,
        host=host,
        counts_from=begins,
        until=max(anomaly.ends_at or forever, forever),
        evidence=evidence_of(anomaly),
        is_fatal=is_fatal(anomaly),
        order=(begins, anomaly.starts_at, host, family, rest),
    )


def evidence_of(anomaly: Anomaly) -> float:
    """Return what an anomaly proves: its own evidence, or what its robust score is worth."""
    strength = abs(anomaly.score)
    if math.isnan(strength):
        return 0.0
    if strength > 1.0:
        strength = strength / (strength + HALF_AT) if math.isfinite(strength) else 1.0
    if kind_named(anomaly.kind).is_counted:
        # That it was counted at all is a fact; how often tells how grave it is.
        strength = (1.0 + strength) / 2.0
    return strength * WEIGHTS[anomaly.role]


def is_fatal(anomaly: Anomaly) -> bool:
    """Say whether it is a hard fact that the part cannot work on with."""
    is_fact = kind_named(anomaly.kind).is_fact and abs(anomaly.score) >= CERTAIN
    return is_fact and anomaly.role is Role.INITIATING


def _family(anomaly: Anomaly) -> str:
    """Return the family; exporters that fall silent are witnesses apart from each other.

    An exporter that is silent while its host is heard tells of the watching, as its scrape does.
    """
    if anomaly.kind != "silence" or anomaly.family != "presence":
        return anomaly.family
    if anomaly.detail == "exporter":
        return "monitoring"
    return presence_of(anomaly.signal.partition(".")[0])


def strongest(findings: Iterable[Finding]) -> dict[str, Finding]:
    """Return the strongest finding of each family; a family votes once."""
    best: dict[str, Finding] = {}
    for each in findings:
        former = best.get(each.family)
        if former is None or (-each.evidence, each.order) < (-former.evidence, former.order):
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


def is_page(findings: Sequence[Finding], rules: Rules) -> bool:
    """Say whether the findings page.

    Two families that agree on a cause, one of which speaks for it; or a fact that the part cannot
    work on with, and another family that moved with it. Circumstances support a cause and never
    make one: load, traffic and temperature move for many good reasons, also two of them at once.
    """
    told = [each for each in findings if each.evidence >= rules.support]
    if any(_is_borne_out(each, told) for each in told if each.is_fatal):
        return True
    causes = {cause for each in told if _speaks(each.anomaly) for cause in each.anomaly.causes}
    return any(_agree(told, cause, rules.enter) for cause in causes)


def _is_borne_out(fact: Finding, told: Sequence[Finding]) -> bool:
    """Say whether another family says the same as a fact, or began with it."""
    causes, onset = set(fact.anomaly.causes), fact.anomaly.starts_at
    return any(
        each.family != fact.family
        and (causes & set(each.anomaly.causes) or is_near(each.anomaly.starts_at, onset, WITH_IT))
        for each in told
    )


def _agree(told: Sequence[Finding], cause: str, enter: float) -> bool:
    """Say whether families enough say the same cause."""
    alike = [each for each in told if cause in each.anomaly.causes]
    if len({each.family for each in alike}) < 2:
        return False
    return any(_speaks(each.anomaly) for each in alike) and score_of(alike) >= enter


def _speaks(anomaly: Anomaly) -> bool:
    return bool(anomaly.causes) and anomaly.role in SPEAKING


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
        ends_at=anomaly.ends_at,
    )


def order_of(finding: Finding) -> Order:
    """Return the key that makes an order out of any order."""
    return finding.order


def is_near(one: datetime, other: datetime, span: timedelta) -> bool:
    """Say whether two instants are at most a span apart."""
    return abs(one - other) <= span
