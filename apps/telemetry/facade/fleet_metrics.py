"""What the organization's own sources tell of parts of a cluster. Needs the actor's scope."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from apps.diagnosis.detection.metrics.identity import pci_address
from apps.diagnosis.model import Role
from apps.telemetry.fleet_metrics import moments, spans
from apps.telemetry.fleet_metrics.minute_age import oldest_kept
from apps.telemetry.fleet_metrics.moments import FRESH, MetricMoment
from apps.telemetry.fleet_metrics.spans import MinuteSpan
from apps.telemetry.logs.xid_events import xid_events
from apps.telemetry.models import Source
from apps.tenancy.access import Actor, Right

MOST_XIDS: Final = 2000  # the newest
CLOCKS_APART: Final = timedelta(hours=1)  # at the most


@dataclass(frozen=True, slots=True, kw_only=True)
class XidMark:
    """An Xid that a kernel printed; of which GPU, as far as the line and the inventory tell."""

    host: str
    gpu: int | None
    pci: str
    code: str
    at: datetime
    is_initiating: bool = False  # it may begin a failure; others follow from one

    def placed(self, gpu: int | None) -> "XidMark":
        """Return it with the number of its GPU, where its own line does not tell one."""
        return self if self.gpu is not None or gpu is None else replace(self, gpu=gpu)


def metric_moment(*, actor: Actor, cluster_id: int, signal: str, at: datetime) -> MetricMoment:
    """Return the values of one's own sources at an instant."""
    actor.require(Right.READ)
    return moments.moment_of(
        organization_id=actor.organization.pk, cluster_id=cluster_id, signal=signal, at=at
    )


def metric_spans(
    *, actor: Actor, cluster_id: int, signal: str, instants: Sequence[datetime]
) -> Iterator[MinuteSpan]:
    """Yield the values of one's own sources at full minutes, in order, some instants at a time."""
    actor.require(Right.READ)
    return spans.spans_of(
        organization_id=actor.organization.pk,
        cluster_id=cluster_id,
        signal=signal,
        instants=instants,
    )


def measured_parts(
    *, actor: Actor, cluster_id: int, signal: str, since: datetime, until: datetime
) -> int:
    """Return of how many parts one's own sources told in a span; nought: of none."""
    actor.require(Right.READ)
    return spans.part_count(
        organization_id=actor.organization.pk,
        cluster_id=cluster_id,
        signal=signal,
        since=since,
        until=until,
    )


def newest_minute(
    *, actor: Actor, cluster_id: int, signal: str, until: datetime
) -> datetime | None:
    """Return the last minute until an instant that one's own sources told anything of."""
    actor.require(Right.READ)
    return spans.newest_minute(
        organization_id=actor.organization.pk, cluster_id=cluster_id, signal=signal, until=until
    )


def held_signals(*, actor: Actor, cluster_id: int, at: datetime) -> frozenset[str]:
    """Return the signals that one's own sources told of shortly before an instant."""
    actor.require(Right.READ)
    return moments.signals_between(
        organization_id=actor.organization.pk, cluster_id=cluster_id, since=at - FRESH, until=at
    )


def has_metrics_source(*, actor: Actor, cluster_id: int) -> bool:
    """Say whether any source of metrics of the cluster is connected."""
    actor.require(Right.READ)
    return (
        Source.objects.for_organization(actor.organization)
        .filter(cluster=cluster_id, is_enabled=True)
        .exists()
    )


def xids_between(
    *, actor: Actor, cluster_id: int, since: datetime, until: datetime, host: str = ""
) -> tuple[XidMark, ...]:
    """Return the Xids that kernels of one's own logs printed, the newest first."""
    rows = xid_events(actor=actor, cluster_id=cluster_id, since=since, until=until)
    # What is told comes in after it was; the index is by that.
    rows = rows.filter(received_at__gte=since - CLOCKS_APART)
    wanted = rows.filter(host=host) if host else rows.exclude(host="")
    told = wanted.order_by("-at", "-id").values_list("host", "at", "role", "body")[:MOST_XIDS]
    return tuple(_mark(host, at, role, body) for host, at, role, body in told if at is not None)


def _mark(host: str, at: datetime, role: str, body: dict[str, Any]) -> XidMark:
    told = body.get("fields") or {}
    return XidMark(
        host=host,
        gpu=None,
        pci=pci_address(str(told.get("pci", ""))) or "",
        code=str(told.get("xid") or told.get("sxid") or ""),
        at=at,
        is_initiating=role == Role.INITIATING,
    )


__all__ = [
    "MetricMoment",
    "MinuteSpan",
    "XidMark",
    "has_metrics_source",
    "held_signals",
    "measured_parts",
    "metric_moment",
    "metric_spans",
    "newest_minute",
    "oldest_kept",
    "xids_between",
]
