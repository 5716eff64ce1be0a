"""Findings in the order in which a watcher learns of them → episodes. Pure and causal."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType

from apps.diagnosis.detection.fusion import culprit, wording
from apps.diagnosis.detection.fusion.common_cause import Common, Gate, common_of
from apps.diagnosis.detection.fusion.entity_tracks import RaisedWarning, Track
from apps.diagnosis.detection.fusion.findings import (
    Finding,
    contribution_of,
    order_of,
    score_of,
    strongest,
)
from apps.diagnosis.detection.fusion.rarity import surprising
from apps.diagnosis.detection.fusion.rules import Rules
from apps.diagnosis.detection.fusion.suppression import findings_of
from apps.diagnosis.model import Anomaly, Device, EarlyWarning, Layer, Scene, Statement, Topology

EMPTY: Mapping[str, float] = MappingProxyType({})
END_OF_TIME = datetime.max.replace(tzinfo=UTC)


@dataclass(kw_only=True)
class _Watch:
    """Everything open, over all hosts."""

    rules: Rules
    priors: Mapping[str, float]
    gate: Gate
    hosts: dict[str, Track] = field(default_factory=dict)
    commons: list[Common] = field(default_factory=list)
    all: list[Finding] = field(default_factory=list)

    def hear(self, finding: Finding) -> None:
        self.all.append(finding)
        is_shared, earlier = self.gate.shared(finding)
        if not is_shared:
            self._track(finding.host).hear(finding)
            return
        for host in {each.host for each in earlier}:
            self._track(host).lose(earlier)
        for each in (*earlier, finding):
            self._common(each).hear(each if each is finding else _again(each, finding))

    def _track(self, host: str) -> Track:
        if host not in self.hosts:
            self.hosts[host] = Track(rules=self.rules, prior=self.priors.get(host, 0.0))
        return self.hosts[host]

    def _common(self, finding: Finding) -> Track:
        found = common_of(self.commons, finding)
        if found is None:
            found = Common(
                track=Track(rules=self.rules),
                began_at=finding.anomaly.starts_at,
                reach=finding.expires_at,
            )
            self.commons.append(found)
        found.take(finding)
        return found.track


def fuse(  # noqa: PLR0913  what is known beside the findings; each has a default that knows nothing
    *,
    anomalies: Iterable[Anomaly],
    scene: Scene,
    hosts: Sequence[str],
    parts: Topology | None = None,
    until: datetime | None = None,
    priors: Mapping[str, float] = EMPTY,
    rules: Rules | None = None,
) -> tuple[EarlyWarning, ...]:
    """Return the episodes that the findings make, pages and signals, by the time they were raised.

    `hosts` are all that are watched. `until` is how far the watcher has seen: what would be raised
    later is not yet. `priors` is evidence against hosts from before (lemons), in 0..1.
    """
    found = findings_of(newest(anomalies), bands=scene.bands, groups=scene.groups, count=len(hosts))
    gate = Gate(count=len(hosts), groups=scene.groups)
    watch = _Watch(rules=rules or Rules(), priors=priors, gate=gate)
    for finding in surprising(sorted(found, key=order_of), count=len(hosts)):
        if until is None or finding.counts_from <= until:
            watch.hear(finding)
    for track in (*watch.hosts.values(), *(each.track for each in watch.commons)):
        track.settle(until or END_OF_TIME)
    episodes = [*_of_hosts(watch), *_of_shared(watch, scene, hosts, parts)]
    return tuple(sorted(episodes, key=_order))


def newest(anomalies: Iterable[Anomaly]) -> list[Anomaly]:
    """Return each finding once, as long as it was last told to be, noticed when it first was."""
    found: dict[Hashable, Anomaly] = {}
    for each in anomalies:
        note(found, each)
    return list(found.values())


def note(found: dict[Hashable, Anomaly], anomaly: Anomaly) -> None:
    """Add a finding to those told before, or prolong what it goes on with."""
    one = anomaly
    key = (one.kind, one.signal, one.detail, one.entity, one.starts_at, one.source)
    former = found.get(key)
    found[key] = one if former is None else _merged(former, one)


def _merged(one: Anomaly, other: Anomaly) -> Anomaly:
    ends = [each.ends_at for each in (one, other)]
    known = [end for end in ends if end is not None]
    heavier = max((one, other), key=lambda each: (abs(each.score), repr(each)))
    noticed = min(each.noticed_at or each.starts_at for each in (one, other))
    # An end that was told after "it goes on" stands; a longer one too.
    return replace(heavier, ends_at=max(known, default=None), noticed_at=noticed)


def _again(finding: Finding, later: Finding) -> Finding:
    """Return a finding as known to the shared part: from when it was clear that it is shared."""
    counts_from = max(finding.counts_from, later.counts_from)
    return replace(finding, counts_from=counts_from, until=max(finding.until, counts_from))


def _of_hosts(watch: _Watch) -> Iterator[EarlyWarning]:
    for host, track in watch.hosts.items():
        for page in track.pages:
            yield _of_host(host, page)
    for host, left in sorted(_left(watch).items()):
        for chain in _chains(left, watch.rules):
            first = min(each.counts_from for each in chain)
            page = RaisedWarning(raised_at=first, known=tuple(chain), score=score_of(chain))
            yield replace(_of_host(host, page), is_page=False)


def _of_host(host: str, page: RaisedWarning) -> EarlyWarning:
    entity, layer = culprit.blamed_part(host, page.known), culprit.layer_of_host(page.known)
    causes = culprit.causes_of(page.known, layer)
    is_alone = layer is Layer.HOST and culprit.is_alone(page.known)
    told = wording.of_host(entity, page.known, causes, is_alone=is_alone)
    return _episode(page, entity=entity, layer=layer, causes=causes, told=told)


def _of_shared(
    watch: _Watch, scene: Scene, hosts: Sequence[str], parts: Topology | None
) -> Iterator[EarlyWarning]:
    for common in watch.commons:
        pages = common.track.pages or [_unraised(common)]
        for page in pages:
            layer = culprit.layer_of(page.known)
            entity = culprit.shared_part(page.known, layer=layer, groups=scene.groups, parts=parts)
            seen = tuple(sorted({each.host for each in page.known if each.host}))
            count = max([len(seen), *(each.anomaly.host_count for each in page.known)])
            causes = culprit.causes_of(page.known, layer)
            told = wording.of_shared(
                entity, page.known, causes, layer=layer, seen_on=(count, max(count, len(hosts)))
            )
            is_page = bool(common.track.pages)
            episode = _episode(page, entity=entity, layer=layer, causes=causes, told=told)
            yield replace(episode, hosts=seen, is_page=is_page)


def _unraised(common: Common) -> RaisedWarning:
    known = tuple(common.findings)
    first = min(each.counts_from for each in known)
    return RaisedWarning(raised_at=first, known=known, score=score_of(known))


def _left(watch: _Watch) -> dict[str, list[Finding]]:
    """Return the findings of each host that neither paged nor turned out to be shared."""
    used = {
        id(each)
        for track in watch.hosts.values()
        for page in track.pages
        for each in (*page.known, *page.gained)
    }
    used |= {id(each) for common in watch.commons for each in common.findings}
    left: dict[str, list[Finding]] = {}
    for each in watch.all:
        if id(each) not in used:
            left.setdefault(each.host, []).append(each)
    return left


def _chains(left: Sequence[Finding], rules: Rules) -> Iterator[list[Finding]]:
    """Yield findings of one host that are near each other: one signal."""
    chain: list[Finding] = []
    reach = END_OF_TIME
    for each in left:
        if chain and each.counts_from - rules.window > reach:
            yield chain
            chain = []
        reach = max(reach, each.expires_at) if chain else each.expires_at
        chain.append(each)
    if chain:
        yield chain


def _episode(
    page: RaisedWarning, *, entity: Device, layer: Layer, causes: tuple[str, ...], told: Statement
) -> EarlyWarning:
    every = (*page.known, *page.gained)
    best = sorted(strongest(every).values(), key=lambda each: (-each.evidence, each.family))
    return EarlyWarning(
        entity=entity,
        layer=layer,
        starts_at=min(each.anomaly.starts_at for each in page.known),
        raised_at=page.raised_at,
        ends_at=_end(page, every),
        score=page.score,
        contributions=tuple(contribution_of(each) for each in best),
        is_page=True,
        causes=causes,
        statement=told,
        is_fatal=page.is_fatal,
        upgrades=page.upgrades,
    )


def _end(page: RaisedWarning, every: Sequence[Finding]) -> datetime | None:
    if page.left_at is not None:
        return page.left_at
    if any(_goes_on(each) for each in every):
        return None
    return max(page.raised_at, *(each.until for each in every))


def _goes_on(finding: Finding) -> bool:
    anomaly = finding.anomaly
    return anomaly.kind == "silence" and anomaly.ends_at is None


def _order(episode: EarlyWarning) -> tuple[datetime, datetime, str, bool]:
    return episode.raised_at, episode.starts_at, repr(episode.entity), episode.is_page
