"""Whom an organization should keep hearing: its metrics sources, and its logs by kind and cluster.

Logs of sessions are none of them: a session that ends is silent for ever, and rightly so.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.telemetry.facade.last_heard import heard_logs, heard_sources
from apps.tenancy.models import Organization

# Samples come every few seconds; five minutes are what Prometheus takes for "not there".
METRICS_AFTER: Final = timedelta(minutes=5)
# A kernel that has nothing to say is healthy: logs are given time, and what is usual is learnt.
LOGS_AFTER: Final = timedelta(hours=1)
LOGS_KNOWN_FOR: Final = timedelta(hours=24)
LOG_KINDS: Final = ("kernel", "scheduler", "storage", "fabric", "bmc")


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoredVoice:
    """Something that was heard at least once."""

    subject: str  # source:<public id> or log:<cluster>/<kind>
    name: str
    cluster: str
    cluster_id: int
    last_at: datetime
    quiet_limit: timedelta
    is_log: bool = False
    is_asked: bool = True  # the portal tried to hear it since
    is_simulated: bool = False
    public_id: str | None = None  # of a source


def voices_of(*, organization: Organization) -> list[MonitoredVoice]:
    """Return everything that the organization should keep hearing. Needs its scope."""
    return [*_sources(organization), *_logs(organization)]


def _sources(organization: Organization) -> Iterator[MonitoredVoice]:
    for heard in heard_sources(organization=organization):
        source = heard.source
        yield MonitoredVoice(
            subject=f"source:{source.public_id}",
            name=source.name,
            cluster=source.cluster.slug,
            cluster_id=source.cluster_id,
            last_at=heard.last_at,
            quiet_limit=METRICS_AFTER,
            is_asked=heard.is_sent or source.state == "stale",
            is_simulated=source.is_simulated,
            public_id=source.public_id,
        )


def _logs(organization: Organization) -> Iterator[MonitoredVoice]:
    for heard in heard_logs(organization=organization, kinds=LOG_KINDS):
        yield MonitoredVoice(
            subject=f"log:{heard.cluster}/{heard.kind}",
            name=f"{heard.kind} log",
            cluster=heard.cluster,
            cluster_id=heard.cluster_id,
            last_at=heard.last_at,
            quiet_limit=LOGS_AFTER,
            is_log=True,
            is_simulated=organization.is_simulated,
        )
