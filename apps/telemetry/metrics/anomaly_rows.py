"""Frames → detectors → anomaly rows and touched windows. Never: statistics."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Q

from apps.diagnosis import model as facts
from apps.diagnosis.detection.known_detectors import kind_named
from apps.telemetry import subscribers
from apps.telemetry.models import Anomaly, Source, TouchedWindow
from apps.tenancy.database.one_of import one_of

# A finding that begins this soon after the end of a stored one goes on with it.
EPISODE_GAP: Final = timedelta(minutes=10)
# Facts of one host further apart than this touch windows of their own.
WINDOW_GAP: Final = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnomaly:
    """An anomaly with its row and the organization that owns it."""

    id: int
    organization_id: int
    source_id: int
    anomaly: facts.Anomaly
    received_at: datetime | None = None


def write_anomalies(
    *, source: Source, anomalies: Sequence[facts.Anomaly], now: datetime
) -> list[facts.Anomaly]:
    """Store findings and touch their windows; return the new ones. Needs the owner's scope.

    Finding twice writes once: the fingerprint is unique, and what goes on with a stored episode
    prolongs it instead.
    """
    if not anomalies:
        return []
    episodes = _episodes_near(source=source, anomalies=anomalies)
    new: dict[bytes, facts.Anomaly] = {}
    prolonged: list[Anomaly] = []
    for anomaly in sorted(anomalies, key=lambda each: each.starts_at):
        row = _goes_on(anomaly, episodes.get(_identity(anomaly), []))
        if row is None:
            new[_fingerprint(anomaly)] = anomaly
        elif _prolong(row, anomaly):
            prolonged.append(row)
    Anomaly.objects.bulk_create(
        [_row(source, fingerprint, anomaly, now) for fingerprint, anomaly in new.items()],
        ignore_conflicts=True,
    )
    Anomaly.objects.bulk_update(prolonged, ["ends_at", "score", "value", "body"])
    touch(source=source, anomalies=list(new.values()), now=now)
    if new:
        subscribers.on_commit(organization_id=source.organization_id, cluster_id=source.cluster_id)
    return list(new.values())


def touch(*, source: Source, anomalies: Sequence[facts.Anomaly], now: datetime) -> None:
    """Say where new facts lie, so that correlation looks there. Needs the owner's scope."""
    spans: dict[tuple[str, str], list[tuple[datetime, datetime]]] = {}
    for anomaly in sorted(anomalies, key=lambda each: each.starts_at):
        is_mount = anomaly.entity.kind in {"mount", "server"}
        mount = (anomaly.detail or anomaly.entity.name or "")[:500] if is_mount else ""
        known = spans.setdefault((anomaly.entity.host or "", mount), [])
        starts_at, ends_at = anomaly.starts_at, anomaly.ends_at or anomaly.starts_at
        if known and starts_at - known[-1][1] <= WINDOW_GAP:
            known[-1] = (known[-1][0], max(known[-1][1], ends_at))
        else:
            known.append((starts_at, ends_at))
    TouchedWindow.objects.bulk_create(
        TouchedWindow(
            organization_id=source.organization_id,
            cluster_id=source.cluster_id,
            host=host,
            mount=mount,
            starts_at=starts_at,
            ends_at=ends_at,
            created_at=now,
        )
        for (host, mount), windows in spans.items()
        for starts_at, ends_at in windows
    )


def anomalies_between(
    *,
    organization_ids: Iterable[int],
    cluster_id: int,
    hosts: Iterable[str],
    starts_at: datetime,
    ends_at: datetime,
) -> list[StoredAnomaly]:
    """Return what was noticed on these hosts and on shared parts in a span. Needs the scopes."""
    rows = (
        Anomaly.objects.filter(organization_id__in=list(organization_ids), cluster_id=cluster_id)
        .filter(Q(one_of("host", [*hosts])) | Q(host=""))
        .filter(Q(ends_at__gte=starts_at) | Q(ends_at=None, starts_at__gte=starts_at))
        .filter(starts_at__lte=ends_at)
        .order_by("starts_at", "id")
    )
    return [
        StoredAnomaly(
            id=row.pk,
            organization_id=row.organization_id,
            source_id=row.source_id,
            anomaly=anomaly_of(row=row),
            received_at=row.received_at,
        )
        for row in rows
    ]


def anomaly_of(*, row: Anomaly) -> facts.Anomaly:
    """Return a stored anomaly as the diagnosis knows it."""
    return facts.Anomaly(
        kind=row.kind,
        signal=row.signal,
        family=row.family,
        layer=facts.Layer(row.layer),
        entity=facts.Device(**row.entity),
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        score=row.score,
        value=row.value,
        baseline=row.baseline,
        unit=row.unit,
        role=facts.Role(row.role),
        causes=tuple(row.causes),
        source=f"metrics:{row.source_id}",
        **_kept(row.body),
    )


def _kept(body: dict[str, Any]) -> dict[str, Any]:
    """Return what the row keeps beside its columns, in the types of the diagnosis."""
    noticed_at = body.get("noticed_at")
    return {
        **body,
        "noticed_at": datetime.fromisoformat(noticed_at) if noticed_at else None,
        "hosts": tuple(body.get("hosts", ())),
    }


def _episodes_near(
    *, source: Source, anomalies: Sequence[facts.Anomaly]
) -> dict[tuple[str, ...], list[Anomaly]]:
    first = min(each.starts_at for each in anomalies) - EPISODE_GAP
    rows = (
        Anomaly.objects.for_organization(source.organization_id)
        .filter(source=source)
        .filter(Q(ends_at__gte=first) | Q(starts_at__gte=first))
        .order_by("starts_at", "id")
    )
    near: dict[tuple[str, ...], list[Anomaly]] = {}
    for row in rows:
        near.setdefault(_identity(anomaly_of(row=row)), []).append(row)
    return near


def _goes_on(anomaly: facts.Anomaly, rows: Sequence[Anomaly]) -> Anomaly | None:
    for row in rows:
        reach = (row.ends_at or row.starts_at) + EPISODE_GAP
        until = anomaly.ends_at or anomaly.starts_at
        if anomaly.starts_at <= reach and row.starts_at - EPISODE_GAP <= until:
            return row
    return None


def _prolong(row: Anomaly, anomaly: facts.Anomaly) -> bool:
    """Let a stored episode reach as far as the new finding; say whether that changed it."""
    ends_at = max(filter(None, (row.ends_at, anomaly.ends_at)), default=None)
    score = max(row.score, anomaly.score, key=abs)
    value = _later_value(row, anomaly)
    if (ends_at, score, value) == (row.ends_at, row.score, row.value):
        return False
    row.ends_at, row.score, row.value = ends_at, score, value
    row.body["host_count"] = max(row.body.get("host_count", 1), anomaly.host_count)
    row.body["hosts"] = sorted({*row.body.get("hosts", ()), *anomaly.hosts})
    return True


def _later_value(row: Anomaly, anomaly: facts.Anomaly) -> float | None:
    """Return the growth since the first baseline; other kinds keep their first value."""
    is_growth = kind_named(row.kind).is_counted and anomaly.unit not in {"code", "flag"}
    if not is_growth or row.value is None or None in {row.baseline, anomaly.value}:
        return row.value
    reached = (anomaly.baseline or 0.0) + (anomaly.value or 0.0)
    return max(row.value, reached - (row.baseline or 0.0))


def _identity(anomaly: facts.Anomaly) -> tuple[str, ...]:
    entity = anomaly.entity
    return (
        anomaly.kind,
        anomaly.signal,
        anomaly.detail,
        entity.kind,
        entity.host or "",
        str(entity.index),
        entity.uuid or "",
        entity.name or "",
    )


def _fingerprint(anomaly: facts.Anomaly) -> bytes:
    text = "\x1f".join((*_identity(anomaly), anomaly.starts_at.isoformat()))
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _row(source: Source, fingerprint: bytes, anomaly: facts.Anomaly, now: datetime) -> Anomaly:
    return Anomaly(
        organization_id=source.organization_id,
        source=source,
        cluster_id=source.cluster_id,
        fingerprint=fingerprint,
        kind=anomaly.kind,
        signal=anomaly.signal,
        family=anomaly.family,
        layer=anomaly.layer,
        role=anomaly.role,
        host=anomaly.entity.host or "",
        entity=_entity(anomaly.entity),
        starts_at=anomaly.starts_at,
        ends_at=anomaly.ends_at,
        score=anomaly.score,
        value=anomaly.value,
        baseline=anomaly.baseline,
        unit=anomaly.unit,
        causes=list(anomaly.causes),
        received_at=now,
        body={
            "detail": anomaly.detail,
            "host_count": anomaly.host_count,
            "resolution_seconds": anomaly.resolution_seconds,
            "noticed_at": anomaly.noticed_at.isoformat() if anomaly.noticed_at else None,
            "hosts": list(anomaly.hosts),
        },
    )


def _entity(device: facts.Device) -> dict[str, Any]:
    return {key: value for key, value in asdict(device).items() if value is not None}
