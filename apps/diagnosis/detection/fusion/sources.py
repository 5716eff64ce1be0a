"""How many families of metrics say the same of one part: what a finding weighs beside others."""

from collections.abc import Mapping, Sequence

from apps.diagnosis.detection.fusion.episodes import fuse
from apps.diagnosis.model import Anomaly, Device, EarlyWarning, Scene, Topology

Heard = tuple[str, str, Device, object]


def voices(
    *, anomalies: Sequence[Anomaly], scene: Scene, hosts: Sequence[str], parts: Topology
) -> Mapping[Heard, int]:
    """Return for each finding how many families its episode has: 1 when it stands alone."""
    found = fuse(anomalies=anomalies, scene=scene, hosts=hosts, parts=parts)
    return {key_of(each): _most(each, found) for each in anomalies}


def key_of(anomaly: Anomaly) -> Heard:
    """Return what a finding is known by."""
    return (anomaly.kind, anomaly.signal, anomaly.entity, anomaly.starts_at)


def _most(anomaly: Anomaly, episodes: Sequence[EarlyWarning]) -> int:
    counts = (len(each.families) for each in episodes if _is_of(anomaly, each))
    return max(counts, default=1)


def _is_of(anomaly: Anomaly, episode: EarlyWarning) -> bool:
    if anomaly.family not in episode.families:
        return False
    ends_at = anomaly.ends_at or anomaly.starts_at
    if episode.ends_at is not None and anomaly.starts_at > episode.ends_at:
        return False
    if ends_at < episode.starts_at:
        return False
    host = anomaly.entity.host
    own = {episode.entity.host, *episode.hosts}
    return host in own or (host is None and episode.entity.host is None)
