"""Stored findings → episodes: what a watcher of the metrics tells of early. Never: statistics.

Fusing is pure and causal, so it is done again over the last day whenever something was noticed:
what was raised stays as it was raised, goes on, or is withdrawn when later findings (a source that
was read late) don't bear it out.
"""

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Q

from apps.diagnosis import model as facts
from apps.diagnosis.detection.fusion import fuse
from apps.fleet.models import Cluster, Node
from apps.telemetry.metrics.anomaly_rows import anomaly_of
from apps.telemetry.metrics.peer_groups import scene_between, shared_parts
from apps.telemetry.models import Anomaly, EarlyWarning, Source
from apps.tenancy.changes.announcements import announce
from apps.tenancy.database.advisory_locks import Lock, hold
from apps.tenancy.models import Topic

# A slow drift takes hours to be a finding; two findings of one story are closer together.
LOOK_BACK: Final = timedelta(hours=24)
# What began before the findings that are looked at would come out cut short.
SURE_AFTER: Final = timedelta(hours=4)
# The same part again this soon is the same story told with more findings.
SAME_STORY: Final = timedelta(minutes=30)
# What was seen this recently goes on as far as anybody knows.
STILL_SEEN: Final = timedelta(minutes=5)


KEY_LENGTH: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionChange:
    """What one fusion changed."""

    new: tuple[EarlyWarning, ...] = ()
    changed_count: int = 0
    withdrawn_count: int = 0


def fuse_cluster(*, organization_id: int, cluster_id: int, now: datetime) -> FusionChange:
    """Bring the episodes of an organization's own findings up to date. Needs its scope.

    Idempotent: the same findings make the same rows.
    """
    _one_at_a_time(organization_id, cluster_id)
    starts_at = now - LOOK_BACK
    found = _episodes(
        organization_id=organization_id, cluster_id=cluster_id, starts_at=starts_at, now=now
    )
    stored = list(
        EarlyWarning.objects.for_organization(organization_id)
        .filter(cluster_id=cluster_id, withdrawn_at=None)
        .filter(Q(ends_at__gte=starts_at) | Q(ends_at=None) | Q(raised_at__gte=starts_at))
        .order_by("raised_at", "id")
    )
    return _write(
        organization_id=organization_id,
        cluster=Cluster.objects.get(pk=cluster_id),
        found=found,
        stored=stored,
        sure_from=starts_at + SURE_AFTER,
        now=now,
    )


def fuse_source(*, organization_id: int, source_id: int, now: datetime) -> FusionChange:
    """Bring the episodes of a source's cluster up to date. Needs the scope."""
    source = Source.objects.for_organization(organization_id).filter(id=source_id).first()
    if source is None:
        return FusionChange()
    return fuse_cluster(organization_id=organization_id, cluster_id=source.cluster_id, now=now)


def _one_at_a_time(organization_id: int, cluster_id: int) -> None:
    """Hold an organization's fusion of a cluster until the transaction ends.

    Two of its sources may end together; other organizations' episodes are none of its business.
    """
    hold(Lock.WARNINGS, f"{organization_id}/{cluster_id}")


def _episodes(
    *, organization_id: int, cluster_id: int, starts_at: datetime, now: datetime
) -> tuple[facts.EarlyWarning, ...]:
    anomalies = (
        Anomaly.objects.for_organization(organization_id)
        .filter(cluster_id=cluster_id)
        .filter(Q(ends_at__gte=starts_at) | Q(starts_at__gte=starts_at))
        .order_by("starts_at", "id")
    )
    nodes = Node.objects.filter(cluster_id=cluster_id).order_by("name")
    return fuse(
        anomalies=[anomaly_of(row=row) for row in anomalies],
        scene=scene_between(
            organization_id=organization_id, cluster_id=cluster_id, starts_at=starts_at, ends_at=now
        ),
        hosts=sorted(set(nodes.values_list("name", flat=True))),
        parts=shared_parts(cluster_id=cluster_id),
        until=now,
    )


def _write(
    *,
    organization_id: int,
    cluster: Cluster,
    found: Sequence[facts.EarlyWarning],
    stored: Sequence[EarlyWarning],
    sure_from: datetime,
    now: datetime,
) -> FusionChange:
    left = list(stored)
    new: list[EarlyWarning] = []
    changed: list[EarlyWarning] = []
    for episode in found:
        row = _same(episode, left)
        if row is not None:
            left.remove(row)
            if _change(row, episode, now):
                changed.append(row)
        elif episode.raised_at >= sure_from:
            new.append(
                _row(organization_id=organization_id, cluster=cluster, episode=episode, now=now)
            )
    gone = [row for row in left if row.raised_at >= sure_from]
    for row in gone:
        row.withdrawn_at = now
    EarlyWarning.objects.bulk_create(new, ignore_conflicts=True)
    EarlyWarning.objects.bulk_update([*changed, *gone], MAY_CHANGE)
    if new or changed or gone:
        announce(topic=Topic.WARNING, subject=None, readers=[organization_id])
    return FusionChange(new=tuple(new), changed_count=len(changed), withdrawn_count=len(gone))


def _same(episode: facts.EarlyWarning, rows: Sequence[EarlyWarning]) -> EarlyWarning | None:
    """Return the row that tells this episode already: the same part at the same time."""
    key = _key(episode.entity)
    near = [
        row
        for row in rows
        if row.entity_key == key
        and row.is_page == episode.is_page
        and abs(row.raised_at - episode.raised_at) <= SAME_STORY
    ]
    return min(near, key=lambda row: abs(row.raised_at - episode.raised_at), default=None)


# When it was raised stays what was told then.
MAY_CHANGE: Final = [
    "layer", "score", "is_fatal", "ends_at", "withdrawn_at", "families", "hosts", "causes",
    "statement", "contributions",
]  # fmt: skip


def _change(row: EarlyWarning, episode: facts.EarlyWarning, now: datetime) -> bool:
    values = _told(episode, now)
    if all(getattr(row, name) == value for name, value in values.items()):
        return False
    for name, value in values.items():
        setattr(row, name, value)
    return True


def _row(
    *, organization_id: int, cluster: Cluster, episode: facts.EarlyWarning, now: datetime
) -> EarlyWarning:
    return EarlyWarning(
        organization_id=organization_id,
        public_id="EP-" + secrets.token_hex(5).upper(),
        cluster=cluster,
        entity={key: value for key, value in asdict(episode.entity).items() if value is not None},
        entity_key=_key(episode.entity),
        host=episode.entity.host or "",
        is_page=episode.is_page,
        starts_at=episode.starts_at,
        raised_at=episode.raised_at,
        told_at=now,
        is_simulated=cluster.is_simulated,
        **_told(episode, now),
    )


def _told(episode: facts.EarlyWarning, now: datetime) -> dict[str, Any]:
    """Return what later findings may add to."""
    return {
        "layer": str(episode.layer),
        "score": episode.score,
        "is_fatal": episode.is_fatal,
        "ends_at": _end(episode, now),
        "families": sorted(episode.families),
        "hosts": list(episode.hosts),
        "causes": list(episode.causes),
        "statement": facts.statement_json(episode.statement) if episode.statement else None,
        "contributions": [_contribution(each) for each in episode.contributions],
    }


def _end(episode: facts.EarlyWarning, now: datetime) -> datetime | None:
    """Return when its findings were last seen; None while that is now.

    A fact stays news for hours after it happened, which is no length of the trouble.
    """
    if episode.ends_at is None:
        return None
    seen = max(
        (each.ends_at or each.noticed_at for each in episode.contributions),
        default=episode.raised_at,
    )
    return None if now - seen < STILL_SEEN else min(seen, episode.ends_at)


def _contribution(one: facts.Contribution) -> dict[str, Any]:
    entity = {key: value for key, value in asdict(one.entity).items() if value is not None}
    return {
        **asdict(one),
        "layer": str(one.layer),
        "entity": entity,
        "starts_at": one.starts_at.isoformat(),
        "noticed_at": one.noticed_at.isoformat(),
        "ends_at": one.ends_at.isoformat() if one.ends_at else None,
    }


def _key(device: facts.Device) -> str:
    which = device.index if device.index is not None else device.pci or device.uuid or device.name
    return f"{device.kind}:{device.host or ''}/{'' if which is None else which}"[:KEY_LENGTH]
