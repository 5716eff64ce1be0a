"""One of each kind of thing, owned by parties of one cluster, and a stranger who owns the same."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from apps.fleet.models import Device, Node, PartProposal
from apps.incidents.annotations import annotate
from apps.incidents.coordination.action_ids import action_id
from apps.incidents.entries import Audience as NoteAudience
from apps.incidents.entries import HandOverEntry, Note, StepEntry
from apps.incidents.lifecycle.hand_over import propose
from apps.incidents.lifecycle.resolution import propose_resolution
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incident
from apps.notifications.models import Delivery, Notification
from apps.notifications.notification_kinds import Channel, NotificationKind
from apps.reliability.facade.report_schedules import set_schedule
from apps.reliability.period.scopes import Audience
from apps.search.models import ListName
from apps.search.saved_views import ViewEntry, save_view
from apps.telemetry.models import Batch, EarlyWarning, LogStream, Source, Submission
from apps.telemetry.submission_kinds import SubmissionKind
from apps.tenancy.credentials import issue, seal
from apps.tenancy.models import MemberRole, Organization, TokenScope
from apps.tenancy.people import invitations
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import proposed
from tests.cast.bundles import sent
from tests.cast.evidence_requests import asked
from tests.cast.incidents import Cast, actor, assemble, attempt_of, stop_of
from tests.cast.reports import context_of, issued

SECRET = "CANARY-CREDENTIAL"  # noqa: S105  opens nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The cast and the ids of what the tenant or operator owns, by kind."""

    cast: Cast
    owners: dict[str, Organization]  # kind → who owns it
    ids: dict[str, str]  # kind → its id in a path


def build() -> World:
    """Make the world."""
    cast = assemble()
    make.participation(organization=cast.stranger, cluster=make.cluster("elsewhere"))
    attempt = attempt_of(cast, cast.tenant)
    incident = stop_of(cast, attempt)
    with organization_scope(cast.tenant.pk):
        note = annotate(
            actor=actor(cast.tenant, MemberRole.RESPONDER),
            incident=incident,
            note=Note(text="a note"),
            audience=NoteAudience(),
            now=make.AT,
        )
        batch = Batch.objects.create(
            organization=cast.tenant,
            public_id="BATCH-1",
            digest=b"d" * 32,
            received_at=make.AT,
            protocol="upload",
            body=b"",
        )
    hand_over, resolution, action = _work(cast, incident)
    with organization_scope(cast.operator.pk):
        node = Node.objects.create(
            organization=cast.operator,
            cluster=cast.cluster,
            name="gpu001",
            first_seen_at=make.AT,
            last_seen_at=make.AT + timedelta(hours=1),
        )
        Device.objects.create(
            organization=cast.operator,
            node=node,
            kind="gpu",
            index=0,
            first_seen_at=make.AT,
            last_seen_at=make.AT,
        )
        source = Source.objects.create(
            organization=cast.operator,
            public_id="SRC-1",
            cluster=cast.cluster,
            kind="prometheus",
            name="metrics",
            url="https://metrics.example",
            auth="bearer",
            credential=seal(secret=SECRET),
            created_at=make.AT,
        )
        episode = EarlyWarning.objects.create(
            organization=cast.operator,
            public_id="EP-1",
            cluster=cast.cluster,
            entity={"kind": "node", "host": "gpu001"},
            entity_key="node:gpu001/",
            host="gpu001",
            layer="host",
            score=0.9,
            is_page=True,
            starts_at=make.AT,
            raised_at=make.AT,
            told_at=make.AT,
        )
        LogStream.objects.create(
            organization=cast.operator,
            cluster=cast.cluster,
            kind="kernel",
            host="gpu001",
            label_digest=b"\xee" * 32,
            labels={},
        )
        submission = Submission.objects.create(
            organization=cast.operator,
            public_id="u-submission",
            cluster=cast.cluster,
            kind=SubmissionKind.INVENTORY,
            digest=b"d" * 32,
            received_at=make.AT,
            body=b"",
        )
        now = timezone.now()  # noqa: TID251  what waits to be answered or used ends by itself
        operators_token = issue(
            organization=cast.operator,
            name="shipper",
            scopes=frozenset({TokenScope.INGEST}),
            now=now,
        ).token
        invitation = invitations.issue(
            organization=cast.operator,
            wish=invitations.InvitationWish(role=MemberRole.VIEWER),
            invited_by="command",
            now=now,
        ).invitation
        delivery = _delivery(cast.operator)
        proposal = _proposal(cast)
    agreement = proposed(
        cast.operator, cast.tenant, cast.cluster, preset="joint-operations", now=now
    )
    request = asked(incident, cast.tenant, cast.operator, now=now)
    ids = {
        "as": cast.operator.slug,
        "evidence-requests": request,
        "agreements": agreement.public_id,
        "bundles": sent(cast.operator, cast.tenant),
        "clusters": cast.cluster.slug,
        "nodes": f"{cast.cluster.slug}:{node.name}",
        "hosts": node.name,
        "sessions": attempt.session.public_id,
        "compare": incident.public_id,
        "incidents": incident.public_id,
        "annotations": note.public_id,
        "sources": source.public_id,
        "warnings": episode.public_id,
        "upload": batch.public_id,
        "tokens": operators_token.prefix,
        "members": make.user(organization=cast.operator).username,
        "invitations": invitation.public_id,
        "deliveries": delivery.public_id,
        "proposals": proposal.public_id,
        "parts": "operator",
        "submissions": submission.public_id,
        "hand-overs": hand_over,
        "resolutions": resolution,
        "actions": action,
        "runs": str(attempt.number),
        **_reports(cast),
        "recovery": str(attempt.number),
        "saved-views": _view(cast),
        "logs": "LS-" + "ee" * 8,
    }
    operators = {
        *("clusters", "nodes", "hosts", "sources", "tokens", "warnings", "members"),
        *("invitations", "deliveries", "proposals", "parts", "submissions", "agreements"),
        *("bundles", "logs"),
    }
    owners = {kind: cast.operator if kind in operators else cast.tenant for kind in ids}
    return World(cast=cast, owners=owners, ids=ids)


def _view(cast: Cast) -> str:
    """Let a member of the tenant keep a view and share it inside its organization."""
    entry = ViewEntry(list_name=ListName.INCIDENTS, name="Open", query="", is_shared=True)
    with organization_scope(cast.tenant.pk):
        return save_view(actor=actor(cast.tenant), entry=entry, now=make.AT).public_id


def _work(cast: Cast, incident: Incident) -> tuple[str, str, str]:
    """Propose to hand an incident over, and to resolve it; return their ids and an action's."""
    with organization_scope(cast.operator.pk):
        asking = actor(cast.operator)
        found = access_incident(actor=asking, public_id=incident.public_id)
        entry = HandOverEntry(to=cast.vendor.slug, reason="your-layer")
        return (
            propose(actor=asking, incident=found, entry=entry, now=make.AT),
            propose_resolution(
                actor=asking, incident=found, entry=StepEntry(reason="fixed"), now=make.AT
            ),
            action_id(found.actions[0]),
        )


def _reports(cast: Cast) -> dict[str, str]:
    """Issue a report of the tenant's own week, and let one come every week."""
    told = context_of(cast.tenant)
    with organization_scope(cast.tenant.pk):
        schedule = set_schedule(
            context=told,
            audience=Audience.OWN,
            cluster=None,
            rhythm="weekly",
            recipients=(),
            to_webhook=False,
        )
    return {"reports": issued(cast.tenant).head.public_id, "report-schedules": schedule}


def _proposal(cast: Cast) -> PartProposal:
    """Offer the other tenant a part that it could take."""
    return PartProposal.objects.create(
        organization=cast.operator,
        public_id="PRO-1",
        cluster=cast.cluster,
        kind="offer",
        part="platform",
        slug=cast.other_tenant.slug,
        recipient=cast.other_tenant,
        state="open",
        created_at=make.AT,
        expires_at=make.AT + timedelta(days=3650),
    )


def _delivery(owner: Organization) -> Delivery:
    """Make something that was told to an organization's webhook."""
    notice = Notification.objects.create(
        organization=owner,
        public_id="NTC-1",
        kind=NotificationKind.TEST,
        subject="test:1",
        step=1,
        body={"title": "a test", "url": "https://portal.example"},
        created_at=make.AT,
    )
    return Delivery.objects.create(
        organization=owner,
        public_id="msg_1",
        notice=notice,
        channel=Channel.WEBHOOK,
        due_at=make.AT,
        waits_since=make.AT,
        created_at=make.AT,
    )
