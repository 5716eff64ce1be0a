"""How much a finding surprises: what many hosts show every day, or one host always, proves little.

A likelihood ratio in plain words: the share of the other hosts that showed the same within a day
estimates how often a healthy host does. Hard facts count whatever others show.
"""

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from apps.diagnosis.detection.fusion.findings import Finding
from apps.diagnosis.detection.fusion.rules import COMMON_SHARE

RECENT = timedelta(days=1)
# A host's own habit: the same on an earlier day, but not the trouble of today.
HABIT_FROM, HABIT_TO = timedelta(days=7), timedelta(hours=18)

Key = tuple[str, str]


@dataclass(kw_only=True)
class _Seen:
    """Who showed one kind of finding lately, and on how many days each host did before."""

    recent: deque[tuple[datetime, str]] = field(default_factory=deque)
    hosts: Counter[str] = field(default_factory=Counter)
    before: dict[str, deque[datetime]] = field(default_factory=dict)

    def others(self, host: str, now: datetime) -> int:
        while self.recent and self.recent[0][0] < now - RECENT:
            _, gone = self.recent.popleft()
            self.hosts[gone] -= 1
            if not self.hosts[gone]:
                del self.hosts[gone]
        return len(self.hosts) - (host in self.hosts)

    def days(self, host: str, now: datetime) -> int:
        stamps = self.before.get(host, deque())
        while stamps and stamps[0] < now - HABIT_FROM:
            stamps.popleft()
        return len({(now - at).days for at in stamps if at <= now - HABIT_TO})

    def add(self, host: str, now: datetime) -> None:
        self.recent.append((now, host))
        self.hosts[host] += 1
        self.before.setdefault(host, deque()).append(now)


def surprising(findings: Iterable[Finding], *, count: int) -> list[Finding]:
    """Return findings, sorted by when they count, with their evidence weighed by surprise."""
    seen: dict[Key, _Seen] = {}
    found: list[Finding] = []
    waiting: list[tuple[Key, Finding]] = []
    for each in findings:
        if waiting and waiting[0][1].counts_from < each.counts_from:
            # What counts at the same instant is no past of each other.
            for key, one in waiting:
                seen.setdefault(key, _Seen()).add(one.host, one.counts_from)
            waiting = []
        key = (each.anomaly.signal, each.anomaly.kind)
        found.append(_weighed(each, seen.get(key), count))
        if each.host:
            waiting.append((key, each))
    return found


def _weighed(finding: Finding, seen: _Seen | None, count: int) -> Finding:
    if seen is None or finding.is_fatal or not finding.host:
        return finding
    now = finding.counts_from
    share = seen.others(finding.host, now) / max(count - 1, 1)
    doubt = 1.0 + share / COMMON_SHARE + seen.days(finding.host, now)
    return replace(finding, evidence=finding.evidence / doubt)
