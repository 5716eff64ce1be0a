"""Words and numbers of each party in what was told of runs, nodes, storage and reports."""

from datetime import timedelta

from django.utils import timezone

from apps.fleet.models import (
    Attempt,
    ChangedThing,
    Cluster,
    ClusterChange,
    ExclusionKind,
    NodeExclusion,
)
from apps.reliability.models import AttemptHour, AttemptMeasure, Report
from apps.reliability.period.scopes import Audience
from apps.telemetry.models import (
    LoggedCheckpoints,
    Source,
    StoragePhase,
    StorageSlot,
    StragglerFinding,
)
from apps.telemetry.recovery.block_rows import keep_facts
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.training.in_job.recovery_facts import fact_of_json
from tests.apps.telemetry.ageing import come_in
from tests.cast import make
from tests.contracts.shared_canaries import canary

# Replicas of a job, who added a step trace, why a node was left out, a mount, a row of a report.
TOLD = ("REPLICA", "TRACE", "REASON", "CHANGE", "MOUNT", "REPORT")
FIRST_NUMBER = 90_817_263_000  # as no other number in a page begins
LATELY = timedelta(hours=2)  # pages of the last days look at it


def step_of(who: Organization) -> int:
    """Return the step that a tenant's job is at: a number of its own."""
    return FIRST_NUMBER + who.pk * 1000  # also the steps before it are nobody else's


def numbers_of(who: Organization) -> set[str]:
    """Return that number as pages, REST and files write it."""
    step = step_of(who)
    return {str(step), f"{step:,}"}


def tell_of_run(tenant: Organization, cluster: Cluster, attempt: Attempt) -> None:
    """Let a tenant's log tell steps and a save, its job lose a replica, a trace be read."""
    step, name = step_of(tenant), attempt.session.name
    lines = [
        f"[2026-11-22 12:0{minute}:00] step: {step - 5 + minute} loss: 2.1 grad_norm: 1.0 "
        "memory: 1.0GiB(1.0%) tps: 7,412 tflops: 402.1 mfu: 40.6%"
        for minute in range(6)
    ]
    labels = {"stream": "session", "session": name, "attempt": "1", "rank": "0"}
    come_in(tenant, cluster, lines, at=make.AT, **labels)
    _measured(tenant, attempt)
    _recovers(tenant, cluster, attempt)
    with organization_scope(tenant.pk):
        StragglerFinding.objects.create(
            organization=tenant,
            public_id=f"STR-{tenant.pk}",
            session=attempt.session,
            attempt_number=attempt.number,
            digest=b"s" * 32,
            added_at=make.AT,
            added_by=canary(tenant, "TRACE"),
            form="ndtimeline",
            cause="worker",
            slowdown=1.4,
            body={"late_members": [], "what_if": {"steps": step}},
        )


def _measured(tenant: Organization, attempt: Attempt) -> None:
    since = (timezone.now() - LATELY).replace(minute=0, second=0, microsecond=0)  # noqa: TID251  lately
    own = {"organization": tenant, "attempt": attempt, "session": attempt.session}
    step = step_of(tenant)
    with organization_scope(tenant.pk):
        AttemptMeasure.objects.create(
            **own,
            starts_at=since,
            ends_at=since + LATELY,
            is_told=True,
            last_step=step,
            saved_step=step,
            step_seconds=step,
            tokens_per_second=step,
            productive_ms=7_200_000,
            measured_at=since,
        )
        AttemptHour.objects.create(**own, hour=since, is_told=True, productive_ms=3_600_000)
        save = [1, "save", since.isoformat(), (since + LATELY).isoformat(), step, False, True]
        LoggedCheckpoints.objects.update_or_create(
            organization=tenant,
            session=attempt.session,
            defaults={"starts_at": since, "ends_at": since + LATELY, "body": [save]},
        )


def _recovers(tenant: Organization, cluster: Cluster, attempt: Attempt) -> None:
    step, at = step_of(tenant), make.AT.timestamp()
    replica = canary(tenant, "REPLICA")
    began = {"replicas": 2, "gpus": 16, "microbatches": 4}
    events = [
        {"event": "job_began", "at": at, **began},
        {
            "event": "replica_lost",
            "at": at + 60,
            "replica": replica,
            "step": step,
            "phase": "forward",
            "gpus": 8,
        },
        {
            "event": "step_committed",
            "at": at + 61,
            "step": step,
            "microbatches": 8,
            "survivors": 1,
            "tokens": step,
            "loss": step,
        },
    ]
    with organization_scope(tenant.pk):
        keep_facts(
            sender=tenant,
            cluster=cluster,
            attempt=attempt,
            facts=[fact_of_json(each) for each in events],
            now=make.AT,
        )


def tell_of_cluster(who: Organization, cluster: Cluster, *, job: str = "") -> None:
    """Let a party leave a node out and say why, change and measure things, and have reports."""
    now = timezone.now()  # noqa: TID251  pages look at the last days
    with organization_scope(who.pk):
        NodeExclusion.objects.create(
            organization=who,
            cluster=cluster,
            host="gpu001",
            kind=ExclusionKind.JOB if job else ExclusionKind.DRAIN,
            session=job,
            starts_at=make.AT,
            standing="claimed" if job else "asserted",
            by=canary(who, "REASON"),
            reason=canary(who, "REASON"),
            received_at=make.AT,
        )
        ClusterChange.objects.create(
            organization=who,
            public_id=f"CHG-{who.pk}",
            cluster=cluster,
            key=canary(who, "CHANGE"),
            kind=ChangedThing.DEPLOY,
            layer="software",
            starts_at=now - LATELY,
            title=canary(who, "CHANGE"),
            after=canary(who, "CHANGE"),
            reference=canary(who, "CHANGE"),
            by=canary(who, "CHANGE"),
            received_at=make.AT,
        )
        source = Source.objects.get(organization=who)
        where = {"organization": who, "source": source, "cluster": cluster}
        mount = canary(who, "MOUNT")
        StorageSlot.objects.create(**where, mount=mount, starts_at=now - LATELY, totals=b"")
        StoragePhase.objects.create(
            **where,
            mount=mount,
            kind="save",
            starts_at=now - LATELY,
            ends_at=now - LATELY + timedelta(minutes=1),
            moved_bytes=1e12,
            peak_bytes_per_second=1e10,
        )


def tell_in_reports(who: Organization) -> list[str]:
    """Put a word into each report that is a party's alone; return their ids."""
    with organization_scope(who.pk):
        own = Report.objects.filter(organization=who).exclude(audience=Audience.JOINT)
        for row in own:
            word = {"kind": "incidents", "count": 1, "ids": [canary(who, "REPORT")]}
            row.document["figures"][0]["counted"] = word
            row.save()
        return [row.public_id for row in own]
