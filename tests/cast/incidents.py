"""Who is who: an operator, two tenants and a vendor on one cluster, and a stranger."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from apps.diagnosis.model import statement
from apps.fleet.models import (
    Attempt,
    Cluster,
    Participation,
    ParticipationRole,
    Session,
    SessionParty,
)
from apps.incidents.correlation.conclusion import Conclusion, WeighedEvidence
from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.incident_writer import (
    IncidentIdentity,
    new_public_id,
    open_incident,
    rewrite,
)
from apps.incidents.models import Incident
from apps.incidents.states import IncidentKind
from apps.incidents.timeline import TimelineDraft
from apps.tenancy.access import RIGHTS_OF_ROLE, Actor
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.make import text_fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """The organizations of a test and their cluster."""

    cluster: Cluster
    operator: Organization
    tenant: Organization
    other_tenant: Organization
    vendor: Organization
    stranger: Organization

    @property
    def ids(self) -> tuple[int, ...]:
        """Everyone who takes part in the cluster."""
        return (self.operator.pk, self.tenant.pk, self.other_tenant.pk, self.vendor.pk)


def assemble() -> Cast:
    """Make the cast."""
    cast = Cast(
        cluster=make.cluster(),
        operator=make.organization(),
        tenant=make.organization(),
        other_tenant=make.organization(),
        vendor=make.organization(),
        stranger=make.organization(),
    )
    with organization_scope(*cast.ids):  # one for all: thousands of tests begin here
        Participation.objects.bulk_create(
            Participation(organization=who, cluster=cast.cluster, part=part)
            for who, part in (
                (cast.operator, ParticipationRole.OPERATOR),
                (cast.tenant, ParticipationRole.TENANT),
                (cast.other_tenant, ParticipationRole.TENANT),
                (cast.vendor, ParticipationRole.GPU_VENDOR),
            )
        )
    return cast


def actor(organization: Organization, role: MemberRole = MemberRole.RESPONDER) -> Actor:
    """Return a member of the organization as an actor."""
    user = make.user(organization=organization, role=role)
    return Actor(organization=organization, rights=RIGHTS_OF_ROLE[role], user=user)


def attempt_of(cast: Cast, tenant: Organization, **fields: Any) -> Attempt:
    """Make a session of a tenant with one attempt."""
    with organization_scope(*cast.ids):
        session = Session.objects.create(
            organization=tenant,
            public_id=new_public_id(),
            cluster=cast.cluster,
            scheduler="slurm",
            name=f"run-{new_public_id()}",
            created_at=make.AT,
        )
        for reader in (tenant, cast.operator):
            SessionParty.objects.create(organization=reader, session=session)
        return Attempt.objects.create(
            organization=tenant,
            session=session,
            **{"hosts": ["gpu001"], "hosts_asserted": True, "started_at": make.AT, **fields},
        )


def conclusion(cast: Cast, **header: Any) -> Conclusion:
    """Return a conclusion in which operator and tenant each hold one piece of evidence."""
    base = {
        "verdict_status": "likely",
        "layer": "gpu",
        "cause": "gpu-off-bus",
        "probability": 0.9,
        "cause_probability": 0.8,
        "phase": "iterate",
        "end_state": "failed",
        "culprits": [{"kind": "gpu", "host": "gpu001", "name": None}],
        "restart": {"advice": "restart-without", "exclude_hosts": ["gpu001"]},
        "actions": [
            {
                "statement": text_fact("Reboot the node"),
                "owner": "operator",
                "hosts": ["gpu001"],
            }
        ],
        "coverage": [{"source": "kernel-log", "state": "present", "missing_hosts": ["gpu007"]}],
        "first_stopper": None,
    }
    hypothesis = {
        "layer": "gpu",
        "cause": "gpu-off-bus",
        "probability": 0.9,
        "cause_probability": 0.8,
        "culprits": base["culprits"],
        "missing": [],
        "ruled_out": None,
        "held": [
            {
                "organization": cast.operator.pk,
                "side": "for",
                "layer": "gpu",
                "count": 1,
                "weight": 3.0,
            },
            {
                "organization": cast.tenant.pk,
                "side": "for",
                "layer": "gpu",
                "count": 1,
                "weight": 1.0,
            },
        ],
    }
    return Conclusion(
        header=base | header,
        hypotheses=[hypothesis],
        pieces=(piece(cast.operator, "OPERATOR-WORDS", 3.0), piece(cast.tenant, "TENANT-WORDS", 1)),
        tellings=(telling(cast.operator, "OPERATOR-MOMENT"), telling(cast.tenant, "TENANT-MOMENT")),
        started_at=make.AT,
    )


def piece(holder: Organization, text: str, weight: float) -> WeighedEvidence:
    """Return a piece of evidence held by an organization."""
    return WeighedEvidence(
        organization_id=holder.pk, cause="gpu/gpu-off-bus", side="for", position=0, weight=weight,
        layer="gpu", statement=text_fact(text), source="kernel log, gpu001",
        line=7, at=make.AT, reference="",
    )  # fmt: skip


def telling(holder: Organization, title: str, **fields: Any) -> TimelineDraft:
    """Return a moment held by an organization."""
    defaults: dict[str, Any] = {"lane": "gpu", "kind": "event", "at": make.AT, "order_key": 1}
    return TimelineDraft(
        organization_id=holder.pk,
        identity=(title,),
        statement=statement("text", text=title),
        **(defaults | fields),
    )


def stop_of(cast: Cast, attempt: Attempt, **header: Any) -> Incident:
    """Record a stop incident of an attempt."""
    with organization_scope(*cast.ids):
        told = conclusion(cast, **header)
        place = IncidentIdentity(
            owner_id=attempt.organization_id,
            kind=IncidentKind.STOP,
            cluster_id=cast.cluster.pk,
            attempt_id=attempt.pk,
        )
        incident = open_incident(
            place=place,
            conclusion=told,
            public_id=new_public_id(),
            is_simulated=False,
            now=make.AT + timedelta(minutes=1),
        )
        attach(incident=incident, attempt=attempt, conclusion=told)
        rewrite(
            incident=incident,
            attempt=attempt,
            conclusion=told,
            newest_evidence_at=None,
            now=make.AT + timedelta(minutes=1),
        )
    return incident
