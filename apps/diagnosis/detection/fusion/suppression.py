"""What bands of time explain: findings that begin in one wait until it is over, facts do not."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import accumulate

from apps.diagnosis.detection.fusion.findings import Finding, finding_of, is_fatal
from apps.diagnosis.detection.fusion.rules import OUTAGE_SHARE, SETTLING, SHARED_HOSTS, TOGETHER
from apps.diagnosis.detection.known_detectors import kind_named
from apps.diagnosis.model import Anomaly, Band, BandKind, Layer, PeerGroup

# A deviation that began this long before it was noticed has another story than the band's.
RECENT = timedelta(minutes=15)
# Clients wait in every checkpoint; those who still wait after this do not wait for that alone.
LASTING = timedelta(minutes=10)
# And only where nearly all of a request's time is waiting: half of it is a full queue at work.
NEARLY_ALL = 0.9
PHASES = frozenset({BandKind.SAVE, BandKind.LOAD})
# What a session that begins or ends does not touch: what there is, and whether it is heard.
STANDING = frozenset(
    {"presence", "monitoring", "gpu-health", "gpu-config", "pcie", "nic-health", "nic-pcie", "link"}
)
CHANGES = frozenset(BandKind) - {BandKind.SAVE}
# How long after a session began or ended levels still move, and how coarse an onset is.
RESETTLING, COARSE = timedelta(minutes=30), timedelta(minutes=15)
# Bands in which machines are expected to be heard no more.
ABSENT = frozenset({BandKind.MAINTENANCE, BandKind.OUTAGE})


class Bands:
    """Bands by time, to be asked for those that touch a span."""

    def __init__(self, bands: Iterable[Band]) -> None:
        self._bands = sorted(bands, key=lambda each: (each.starts_at, each.ends_at, each.kind))
        self._starts = [each.starts_at for each in self._bands]
        # The latest end so far: bands before it may still touch.
        self._reach = list(accumulate((each.ends_at for each in self._bands), max))

    def near(self, starts_at: datetime, ends_at: datetime) -> list[Band]:
        """Return the bands that touch a span, with the time to settle after each."""
        first = bisect_right(self._reach, starts_at - SETTLING)
        last = bisect_right(self._starts, ends_at)
        return self._bands[first:last]


def findings_of(
    anomalies: Iterable[Anomaly], *, bands: Sequence[Band], groups: Sequence[PeerGroup], count: int
) -> list[Finding]:
    """Return what counts, each from when on it does; the rest is explained by a band."""
    told = list(anomalies)
    known = Bands([*bands, *edges(groups), *outages(told, count=count)])
    found = (_counted(each, known) for each in told)
    return [each for each in found if each is not None]


def edges(groups: Iterable[PeerGroup]) -> list[Band]:
    """Return the starts and stops of sessions as bands of their hosts."""
    found = []
    for group in groups:
        if not group.name:
            continue
        found.append(_edge(BandKind.START, group.starts_at, group.hosts))
        if group.ends_at is not None:
            found.append(_edge(BandKind.STOP, group.ends_at, group.hosts))
    return found


def outages(anomalies: Iterable[Anomaly], *, count: int) -> list[Band]:
    """Return the spans in which so many hosts fell silent at once that the source did."""
    silent = sorted(
        (each for each in anomalies if each.kind == "silence" and each.entity.host),
        key=lambda each: (each.starts_at, each.entity.host or ""),
    )
    found: list[Band] = []
    together: list[Anomaly] = []
    for each in [*silent, None]:
        if together and (each is None or each.starts_at - together[0].starts_at > TOGETHER):
            hosts = {one.entity.host for one in together}
            if len(hosts) >= max(SHARED_HOSTS, OUTAGE_SHARE * count):
                found.append(_outage(together))
            together = []
        if each is not None:
            together.append(each)
    return found


def _outage(together: Sequence[Anomaly]) -> Band:
    starts_at = min(one.starts_at for one in together)
    back = [one.ends_at for one in together if one.ends_at is not None]
    last = max(one.noticed_at or one.starts_at for one in together)
    return Band(
        kind=BandKind.OUTAGE,
        starts_at=starts_at - TOGETHER,
        ends_at=max([*back, last]) + timedelta(seconds=1),
    )


def _edge(kind: BandKind, at: datetime, hosts: tuple[str, ...]) -> Band:
    return Band(kind=kind, starts_at=at - TOGETHER / 5, ends_at=at + SETTLING, hosts=hosts)


def _counted(anomaly: Anomaly, bands: Bands) -> Finding | None:
    """Return the finding, moved behind the bands it began in; None if it did not outlive them."""
    finding = finding_of(anomaly)
    if _is_of_a_change(anomaly, bands):
        return None
    for band in bands.near(anomaly.starts_at, finding.until):
        if not _concerns(band, anomaly) or not _explains(band, anomaly):
            continue
        if not _is_within(band, anomaly, finding.counts_from):
            continue
        later = _counts_after(band, anomaly)
        if not _outlives(anomaly, later):
            return None
        finding = finding_of(anomaly, counts_from=max(later, finding.counts_from))
    return finding


def _is_of_a_change(anomaly: Anomaly, bands: Bands) -> bool:
    """Say whether a level moved because a session began or ended: outliving that proves nothing."""
    if not kind_named(anomaly.kind).is_of_own_past:
        return False
    onset = anomaly.starts_at
    return any(
        band.kind in CHANGES
        and _concerns(band, anomaly)
        and band.starts_at - COARSE <= onset <= band.ends_at + RESETTLING
        for band in bands.near(onset - RESETTLING, onset + COARSE)
    )


def _concerns(band: Band, anomaly: Anomaly) -> bool:
    return not band.hosts or not anomaly.entity.host or anomaly.entity.host in band.hosts


def _explains(band: Band, anomaly: Anomaly) -> bool:
    if anomaly.kind == "silence":
        return band.kind in ABSENT
    if is_fatal(anomaly):
        return False
    if anomaly.family in STANDING and band.kind not in ABSENT:
        return False
    return band.kind not in PHASES or not kind_named(anomaly.kind).is_fact


def _is_within(band: Band, anomaly: Anomaly, counts_from: datetime) -> bool:
    end = band.ends_at + SETTLING
    if band.starts_at <= counts_from < end:
        return True
    is_recent = counts_from - anomaly.starts_at <= RECENT
    return is_recent and band.starts_at <= anomaly.starts_at < end


def _counts_after(band: Band, anomaly: Anomaly) -> datetime:
    if band.kind in PHASES and _is_stuck(anomaly):
        return anomaly.starts_at + LASTING
    return band.ends_at + SETTLING


def _is_stuck(anomaly: Anomaly) -> bool:
    """Say whether clients hardly do anything but wait for a file server."""
    if anomaly.kind != "saturation" or anomaly.layer is not Layer.STORAGE:
        return False
    return anomaly.unit != "ratio" or (anomaly.value or 0.0) >= NEARLY_ALL


def _outlives(anomaly: Anomaly, instant: datetime) -> bool:
    if anomaly.ends_at is None:
        return anomaly.kind == "silence"
    return anomaly.ends_at >= instant
