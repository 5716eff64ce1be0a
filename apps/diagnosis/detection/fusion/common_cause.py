"""The common-cause gate: many hosts at once are one fault of what they share, not one each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from apps.diagnosis.detection.fusion.entity_tracks import Track
from apps.diagnosis.detection.fusion.findings import Finding, is_near
from apps.diagnosis.detection.fusion.rules import SHARED_HOSTS, SHARED_SHARE, TOGETHER
from apps.diagnosis.model import Layer, PeerGroup


@dataclass(kw_only=True)
class Wave:
    """Findings of one family that began together on several hosts."""

    first_at: datetime
    last_at: datetime
    findings: list[Finding] = field(default_factory=list)
    is_shared: bool = False

    @property
    def hosts(self) -> set[str]:
        """The hosts that show it."""
        return {each.host for each in self.findings}

    def take(self, finding: Finding) -> None:
        """Add a finding that began near the others."""
        self.findings.append(finding)
        self.first_at = min(self.first_at, finding.anomaly.starts_at)
        self.last_at = max(self.last_at, finding.anomaly.starts_at)

    def is_near(self, instant: datetime) -> bool:
        """Say whether something that began then belongs to it."""
        return self.first_at - TOGETHER <= instant <= self.last_at + TOGETHER


@dataclass(kw_only=True)
class Common:
    """One disturbance of a shared part: the families that came in waves near each other."""

    track: Track
    began_at: datetime
    reach: datetime  # how far what belongs to it lasts
    findings: list[Finding] = field(default_factory=list)

    def take(self, finding: Finding) -> None:
        """Add a finding."""
        self.findings.append(finding)
        self.reach = max(self.reach, finding.expires_at)


@dataclass(kw_only=True)
class Gate:
    """Tells shared findings from a host's own, as they come."""

    count: int  # hosts that are watched
    groups: Sequence[PeerGroup]
    waves: dict[tuple[str, Layer], list[Wave]] = field(default_factory=dict)

    def shared(self, finding: Finding) -> tuple[bool, list[Finding]]:
        """Say whether a finding is shared; and which earlier ones turn out to be, with it."""
        if not finding.host:
            return True, []
        wave = self._wave(finding)
        if wave.is_shared:
            return True, []
        if not self._is_wide(wave):
            return False, []
        wave.is_shared = True
        return True, [each for each in wave.findings if each is not finding]

    def _wave(self, finding: Finding) -> Wave:
        onset = finding.anomaly.starts_at
        waves = self.waves.setdefault((finding.family, finding.anomaly.layer), [])
        for wave in waves[-8:]:
            if wave.is_near(onset):
                wave.take(finding)
                return wave
        wave = Wave(first_at=onset, last_at=onset, findings=[finding])
        waves.append(wave)
        return wave

    def _is_wide(self, wave: Wave) -> bool:
        hosts = wave.hosts
        if len(hosts) < SHARED_HOSTS:
            return False
        if len(hosts) > SHARED_SHARE * self.count:
            return True
        return any(
            len(hosts & set(group.hosts)) > SHARED_SHARE * len(group.hosts)
            and hosts <= set(group.hosts)
            and group.starts_at <= wave.first_at
            and (group.ends_at is None or wave.first_at <= group.ends_at)
            for group in self.groups
            if group.name
        )


def common_of(commons: Iterable[Common], finding: Finding) -> Common | None:
    """Return the open disturbance that a shared finding belongs to."""
    onset = finding.anomaly.starts_at
    for each in reversed(list(commons)):
        is_during = each.began_at <= onset <= each.reach + TOGETHER
        if is_during or is_near(each.began_at, onset, 2 * TOGETHER):
            return each
    return None
