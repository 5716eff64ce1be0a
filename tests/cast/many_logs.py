"""More logs than a page shows at a glance: of many nodes in one session, of kinds by cluster."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.model import Stream
from apps.fleet.models import Cluster, Session
from apps.telemetry.models import LogStream
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

HOSTS: Final = tuple(f"gpu{number:03}" for number in range(101, 115))
RANKS: Final = 4  # a node's, each a voice of its own
NEVER: Final = Stream.BMC  # no line of it came yet
OLD: Final = Stream.STORAGE  # none for an hour


def many_logs(who: Organization, session: Session, *, now: datetime) -> None:
    """Let an organization hold logs of all nodes of a session, and each kind of no cluster too."""
    with organization_scope(who.pk):
        made = [*_of_session(who, session, now), *_of_kinds(who, session.cluster, now)]
        LogStream.objects.bulk_create(
            _digested(number, each)
            for number, each in enumerate([*made, *_of_kinds(who, None, now)])
        )


def _digested(number: int, stream: LogStream) -> LogStream:
    stream.label_digest = f"many-logs-{number}".encode().ljust(32)
    stream.labels = {}
    return stream


def _of_session(who: Organization, session: Session, now: datetime) -> Iterator[LogStream]:
    for host in HOSTS:
        for kind, ranks in ((Stream.KERNEL, (None,)), (Stream.SESSION, range(RANKS))):
            for rank in ranks:
                yield LogStream(
                    organization=who,
                    cluster=session.cluster,
                    session=session,
                    kind=kind,
                    host=host,
                    rank=rank,
                    line_count=12_345,
                    first_at=now - timedelta(hours=2),
                    last_at=now - timedelta(hours=1),
                    last_received_at=now,
                )


def _of_kinds(who: Organization, cluster: Cluster | None, now: datetime) -> Iterator[LogStream]:
    for kind in Stream:
        heard = {NEVER: None, OLD: now - timedelta(hours=1)}.get(kind, now)
        yield LogStream(
            organization=who,
            cluster=cluster,
            kind=kind,
            line_count=987_654 if heard else 0,
            last_received_at=heard,
        )
