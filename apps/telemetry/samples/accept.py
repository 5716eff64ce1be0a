"""Pushed bodies of metrics → durable rows, before they are answered. Keeps, interprets nothing."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import zstandard
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Sum

from apps.diagnosis.input_values import visible
from apps.fleet.models import Cluster
from apps.telemetry.limits.storage_limits import OverQuota, require_disk, require_quota
from apps.telemetry.models import BatchState, PushedBody, PushedState, Source
from apps.telemetry.samples import set_aside
from apps.tenancy.models import Organization
from apps.tenancy.work.task_requests import ask_on_commit

DRAIN_PUSHED: Final = "telemetry.drain_pushed"
# Samples come in small bodies: a moment's worth of them is put into the window at once.
GATHER_SECONDS: Final = 2
KIND: Final = "push-metrics"
REMOTE_WRITE_1: Final = "rw1"
REMOTE_WRITE_2: Final = "rw2"
OTLP: Final = "otlp"
OTLP_JSON: Final = "otlp-json"
# Whoever makes up a name for each push gets no row for each.
SOURCES_LIMIT: Final = 64
KEY_LENGTH: Final = 60
# How OpenTelemetry's names for a host come out, beside what exporters call it themselves.
LABEL_MAP: Final = {"host_name": "host", "k8s_node_name": "host"}


class SourceRefused(Exception):
    """The source is switched off, or is one too many; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedBody:
    """A decoded body and what it holds."""

    protocol: str
    raw: bytes
    sample_count: int
    key_bytes: int = 0  # what its labels take once they are read
    only_cluster: str = ""


def source_of(*, organization: Organization, cluster: Cluster, key: str, now: datetime) -> Source:
    """Return the source that a sender is, made at its first push. Needs the scope.

    Raises SourceRefused.
    """
    key = visible(key.strip().replace("\0", ""))[:KEY_LENGTH]
    found = _known(organization, cluster, key)
    if found is None:
        found = _made(organization, cluster, key, now)
    if not found.is_enabled:
        raise SourceRefused(f"the source {found.name!r} is switched off; an admin can switch it on")
    return found


def accept_from(
    *, organization: Organization, cluster: Cluster, key: str, body: DecodedBody, now: datetime
) -> bool:
    """Store a body of a sender and say whether it is new. Needs the scope.

    Raises SourceRefused, OverQuota.
    """
    source = source_of(organization=organization, cluster=cluster, key=key, now=now)
    return accept(source=source, body=body, now=now)


def accept(*, source: Source, body: DecodedBody, now: datetime) -> bool:
    """Store a body and say whether it is new. Needs the scope; raises OverQuota.

    Durable when the surrounding transaction is committed. The same body again is the same row.
    """
    _check_quota(source.organization_id)
    row = PushedBody(
        organization_id=source.organization_id,
        source=source,
        digest=_digest(body),
        protocol=body.protocol,
        only_cluster=body.only_cluster,
        received_at=now,
        is_to_forward=bool(source.url),
        sample_count=body.sample_count,
        # Whoever interprets bodies together holds them unfolded.
        byte_count=max(len(body.raw), body.key_bytes),
        body=zstandard.compress(body.raw, 1),
    )
    before = PushedBody.objects.for_organization(source.organization_id).filter(
        source=source, digest=row.digest
    )
    is_new = not before.exists()
    PushedBody.objects.bulk_create([row], ignore_conflicts=True)
    # Sent again, a body that could not be interpreted gets another chance.
    dead = list(before.filter(state=BatchState.DEAD).values_list("pk", flat=True))
    if dead:
        set_aside.revive(organization_id=source.organization_id, body_ids=dead)
    ask_on_commit(
        DRAIN_PUSHED,
        queue="ingest",
        organization_id=source.organization_id,
        wait=GATHER_SECONDS,
    )
    return is_new


def pending_bytes(*, organization_id: int) -> int:
    """Return how much of what an organization pushed waits to be interpreted. Needs the scope."""
    own = PushedBody.objects.for_organization(organization_id)
    waiting = own.filter(state=BatchState.ACCEPTED).aggregate(sum=Sum("byte_count"))
    return int(waiting["sum"] or 0)


def _check_quota(organization_id: int) -> None:
    require_disk()
    require_quota(organization_id=organization_id)
    pending = pending_bytes(organization_id=organization_id)
    if pending > settings.PORTAL_MAX_PENDING_BYTES:
        raise OverQuota(f"{pending} bytes of this organization wait to be interpreted")


def _digest(body: DecodedBody) -> bytes:
    digest = hashlib.sha256(f"{body.protocol}/{body.only_cluster}/".encode())
    digest.update(body.raw)
    return digest.digest()


def _known(organization: Organization, cluster: Cluster, key: str) -> Source | None:
    own = PushedState.objects.for_organization(organization)
    state = own.filter(cluster=cluster, key=key).select_related("source").first()
    return state.source if state else None


def _made(organization: Organization, cluster: Cluster, key: str, now: datetime) -> Source:
    count = PushedState.objects.for_organization(organization).count()
    if count >= SOURCES_LIMIT:
        raise SourceRefused(f"{count} senders push already; use one of their names as `source`")
    taken = set(
        Source.objects.for_organization(organization)
        .filter(cluster=cluster)
        .values_list("name", flat=True)
    )
    name = key or "Pushed metrics"
    source = Source(
        organization=organization,
        public_id="SRC-" + secrets.token_hex(5).upper(),
        cluster=cluster,
        kind=KIND,
        name=name if name not in taken else f"{name} ({secrets.token_hex(3)})",
        label_map=LABEL_MAP,
        is_simulated=organization.is_simulated,
        created_at=now,
    )
    try:
        with transaction.atomic():
            source.save()
            PushedState.objects.create(
                organization=organization, source=source, cluster=cluster, key=key
            )
    except IntegrityError:  # another push of the same sender came first
        found = _known(organization, cluster, key)
        if found is None:
            raise
        return found
    return source
