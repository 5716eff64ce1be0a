"""Words that belong to one party each, planted wherever a party's own things are kept."""

from dataclasses import dataclass, replace
from datetime import timedelta

from apps.diagnosis.model import statement, statement_json
from apps.fleet.models import Attempt, ParticipationRole, Session, SessionParty
from apps.incidents.annotations import annotate
from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.incident_writer import (
    IncidentIdentity,
    new_public_id,
    open_incident,
    rewrite,
)
from apps.incidents.entries import Note
from apps.incidents.models import EvidenceItem, Incident
from apps.incidents.states import IncidentKind
from apps.notifications.models import Webhook
from apps.notifications.occasions.incident_changes import look
from apps.reliability.period.scopes import Audience
from apps.telemetry.models import Anomaly, Batch, EarlyWarning, Event, LogStream, Source
from apps.tenancy.credentials import seal
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, assemble, conclusion, piece, telling
from tests.cast.reports import issued
from tests.contracts.shared_canaries import AGREED, ASKED, GIVEN, canary, hand_over, plant_sharing
from tests.contracts.told_canaries import (
    TOLD,
    numbers_of,
    tell_in_reports,
    tell_of_cluster,
    tell_of_run,
)

KINDS = (
    *("EVIDENCE", "FILE", "MOMENT", "DETAIL", "NOTE", "SOURCE", "LINE", "VALUE", "LABEL"),
    *("WORDS", "TICKET", AGREED, ASKED, GIVEN),
    *TOLD,
)
OF_BOTH = ("WORDS", "TICKET", AGREED, ASKED)  # what operator and platform say to each other


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """The parties, what they share, and who may read whose words."""

    cast: Cast
    platform: Organization
    incidents: tuple[Incident, ...]
    sessions: tuple[Session, ...]
    hand_overs: dict[int, str]  # incident → from the operator to the platform
    shared: dict[str, str]  # folder → id of what operator and platform share
    reports: tuple[str, ...]  # that are one party's each

    @property
    def everyone(self) -> dict[str, Organization]:
        """Return all readers by their part."""
        cast = self.cast
        return {
            "operator": cast.operator,
            "platform": self.platform,
            "tenant": cast.tenant,
            "other tenant": cast.other_tenant,
            "vendor": cast.vendor,
            "stranger": cast.stranger,
        }

    def forbidden(self, reader: Organization) -> set[str]:
        """Return every word that a reader must never meet."""
        others = [each for each in self.everyone.values() if each != reader]
        words = {canary(other, what) for other in others for what in KINDS}
        words |= {canary(each, "SECRET") for each in self.everyone.values()}
        both = {self.cast.tenant, self.cast.other_tenant}
        words |= {number for each in both - {reader} for number in numbers_of(each)}
        sides = (self.cast.operator, self.platform)
        if reader in sides:
            words -= {canary(each, what) for each in sides for what in OF_BOTH}
            # Who runs the cluster reads why nodes are left out, whoever told it.
            words -= {canary(each, "REASON") for each in self.everyone.values()}
        if reader not in {self.cast.operator, self.platform}:
            tenants = both - {reader}
            words |= {canary(each, name) for each in tenants for name in ("SESSION", "JOB")}
        return words


def plant() -> Planted:
    """Make a stop of one tenant and a disturbance that two share, words of every party in both."""
    cast = assemble()
    platform = make.organization()
    make.participation(organization=platform, cluster=cast.cluster, part=ParticipationRole.PLATFORM)
    attempts = [_attempt(cast, platform, each) for each in (cast.tenant, cast.other_tenant)]
    stop = _incident(cast, platform, attempts[:1], kind=IncidentKind.STOP)
    shared = _incident(cast, platform, attempts, kind=IncidentKind.SHARED)
    for each in (cast.operator, platform, cast.tenant, cast.other_tenant, cast.vendor):
        _own_things(cast, each)
    _cite((*cast.ids, platform.pk))
    jobs = {attempt.organization_id: attempt.session.name for attempt in attempts}
    for each in (cast.operator, platform, cast.tenant, cast.other_tenant, cast.vendor):
        tell_of_cluster(each, cast.cluster, job=jobs.get(each.pk, ""))
    for tenant, attempt in zip((cast.tenant, cast.other_tenant), attempts, strict=True):
        tell_of_run(tenant, cast.cluster, attempt)
    for incident in (stop, shared):
        for each in (cast.operator, platform, cast.tenant, cast.vendor):
            _note(each, incident)
    _note(cast.other_tenant, shared)
    hand_overs = {each.pk: hand_over(cast, platform, each) for each in (stop, shared)}
    for each in (cast.operator, platform, cast.tenant, cast.other_tenant, cast.vendor):
        look(organization_id=each.pk, now=make.AT + timedelta(minutes=1))
    sessions = tuple(attempt.session for attempt in attempts)
    shared_things = {**plant_sharing(cast, platform, stop), **_reports(cast, platform)}
    parties = (cast.operator, platform, cast.tenant, cast.other_tenant, cast.vendor)
    return Planted(
        cast=cast,
        platform=platform,
        incidents=(stop, shared),
        sessions=sessions,
        hand_overs=hand_overs,
        shared=shared_things,
        reports=tuple(name for each in parties for name in tell_in_reports(each)),
    )


def _reports(cast: Cast, platform: Organization) -> dict[str, str]:
    """Issue what each counts of its own and of the cluster, and what all of them read."""
    parties = (cast.operator, platform, cast.tenant, cast.other_tenant, cast.vendor)
    slug = cast.cluster.slug
    for each in parties:
        issued(each)
        issued(each, audience=Audience.CLUSTER, cluster=slug)
    joint = issued(cast.operator, audience=Audience.JOINT, cluster=slug)
    return {"reports": joint.head.public_id, "report-schedules": "RPS-absent"}


def _attempt(cast: Cast, platform: Organization, tenant: Organization) -> Attempt:
    with organization_scope(*cast.ids, platform.pk):
        session = Session.objects.create(
            organization=tenant,
            public_id=new_public_id(),
            cluster=cast.cluster,
            scheduler="slurm",
            name=canary(tenant, "SESSION"),
            job=canary(tenant, "JOB"),
            created_at=make.AT,
        )
        for reader in (tenant, cast.operator, platform):
            SessionParty.objects.create(organization=reader, session=session)
        return Attempt.objects.create(
            organization=tenant,
            session=session,
            hosts=["gpu001"],
            hosts_asserted=True,
            started_at=make.AT,
        )


def _incident(
    cast: Cast, platform: Organization, attempts: list[Attempt], *, kind: IncidentKind
) -> Incident:
    tenants = {attempt.organization_id for attempt in attempts}
    holders = [cast.operator, platform, cast.vendor]
    holders += [each for each in (cast.tenant, cast.other_tenant) if each.pk in tenants]
    told = replace(
        conclusion(cast),
        pieces=tuple(
            replace(piece(each, canary(each, "EVIDENCE"), 2.0), source=canary(each, "FILE"))
            for each in holders
        ),
        tellings=tuple(
            telling(each, canary(each, "MOMENT"), detail={"source": canary(each, "DETAIL")})
            for each in holders
        ),
    )
    owner = attempts[0].organization_id if kind == IncidentKind.STOP else cast.operator.pk
    place = IncidentIdentity(
        owner_id=owner,
        kind=kind,
        cluster_id=cast.cluster.pk,
        attempt_id=attempts[0].pk if kind == IncidentKind.STOP else None,
        entity="" if kind == IncidentKind.STOP else "mount:/ckpt",
    )
    with organization_scope(*cast.ids, platform.pk):
        incident = open_incident(
            place=place,
            conclusion=told,
            public_id=new_public_id(),
            is_simulated=False,
            now=make.AT,
        )
        for attempt in attempts:
            attach(incident=incident, attempt=attempt, conclusion=told)
            rewrite(
                incident=incident,
                attempt=attempt,
                conclusion=told,
                newest_evidence_at=None,
                now=make.AT + timedelta(minutes=1),
            )
    return incident


def _own_things(cast: Cast, owner: Organization) -> None:
    with organization_scope(owner.pk):
        source = Source.objects.create(
            organization=owner,
            public_id=f"SRC-{owner.pk}",
            cluster=cast.cluster,
            kind="prometheus",
            name=canary(owner, "SOURCE"),
            url="https://metrics.example",
            auth="bearer",
            credential=seal(secret=canary(owner, "SECRET")),
            last_error=canary(owner, "VALUE"),
            created_at=make.AT,
        )
        Webhook.objects.create(
            organization=owner,
            url=f"https://hooks.example/{canary(owner, 'SOURCE')}",
            kinds=["incident.opened"],
            secret=seal(secret=canary(owner, "SECRET")),
            failure=statement_json(statement("text", text=canary(owner, "VALUE"))),
            created_at=make.AT,
        )
        EarlyWarning.objects.create(
            organization=owner,
            public_id=f"EP-{owner.pk}",
            cluster=cast.cluster,
            entity={"kind": "node", "host": "gpu001"},
            entity_key="node:gpu001/",
            host="gpu001",
            layer="gpu",
            score=0.9,
            is_page=True,
            starts_at=make.AT,
            raised_at=make.AT,
            told_at=make.AT,
            statement={"kind": "text", "values": {"text": canary(owner, "VALUE")}},
        )
        Anomaly.objects.create(
            organization=owner,
            source=source,
            cluster=cast.cluster,
            fingerprint=b"f" * 16,
            kind="counter",
            signal="xid",
            family="gpu",
            layer="gpu",
            role="initiating",
            host="gpu001",
            entity={"kind": "gpu", "host": "gpu001"},
            starts_at=make.AT,
            body={"detail": canary(owner, "VALUE")},
        )
        stream = LogStream.objects.create(
            organization=owner,
            cluster=cast.cluster,
            label_digest=b"l" * 32,
            labels={"filename": canary(owner, "LABEL")},
            kind="kernel",
            host="gpu001",
            line_count=1,
            last_received_at=make.AT,
        )
        Event.objects.create(
            organization=owner,
            stream=stream,
            cluster=cast.cluster,
            fingerprint=b"e" * 16,
            signature="xid",
            role="initiating",
            severity="fatal",
            at=make.AT,
            received_at=make.AT,
            order_key=1,
            host="gpu001",
            body={"text": canary(owner, "LINE"), "fields": {}},
        )
        Batch.objects.create(
            organization=owner,
            public_id=f"BATCH-{owner.pk}",
            digest=b"d" * 32,
            received_at=make.AT,
            protocol="upload",
            rejected=[{"line": 1, "code": "nul", "detail": canary(owner, "FILE")}],
            body=b"",
        )


def _cite(parties: tuple[int, ...]) -> None:
    """Let each party's evidence name its own line and, as no portal writes it, all others'."""
    with organization_scope(*parties):
        streams = dict(LogStream.objects.values_list("organization_id", "pk"))
        for item in EvidenceItem.objects.filter(organization__in=streams):
            own = streams.pop(item.organization_id)
            references = [f"stream:{each}/1" for each in (own, *streams.values())]
            streams[item.organization_id] = own
            for position, reference in enumerate(references):
                item.reference, item.position = reference, position
                item.pk = item.pk if position == 0 else None
                item.save()


def _note(author: Organization, incident: Incident) -> None:
    with organization_scope(author.pk):
        annotate(
            actor=actor(author),
            incident=incident,
            note=Note(text=canary(author, "NOTE")),
            now=make.AT,
        )
