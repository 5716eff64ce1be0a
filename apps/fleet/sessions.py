"""What schedulers and labels say → sessions, attempts, and who may know of them."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet

from apps.diagnosis.model import EndState
from apps.fleet.models import (
    Attempt,
    Cluster,
    Part,
    Participation,
    ProjectTenant,
    Session,
    SessionParty,
)
from apps.fleet.projects import among_parties
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

# Who may know that a session ran, beside its tenant.
INFORMED = (Part.OPERATOR, Part.PLATFORM)
ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # no letter that looks like another

KEEP = """
    UPDATE fleet_sessionparty p SET left_at = %(now)s, attempts_then = coalesce(
        (SELECT jsonb_agg(to_jsonb(a) ORDER BY a.number, a.id)
         FROM fleet_attempt a WHERE a.session_id = p.session_id), '[]')
    FROM fleet_session s
    WHERE s.id = p.session_id AND s.cluster_id = %(cluster)s AND p.left_at IS NULL
        AND p.organization_id = %(organization)s AND s.organization_id <> p.organization_id
"""


class OwnerUnknown(Exception):
    """No tenant of the cluster can be named for a session; the operator's project map decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReport:
    """What one party says about one attempt. Empty and None: not said."""

    session: str
    attempt: int = 1
    scheduler: str = ""
    job: str = ""
    project: str = ""
    state: EndState | None = None
    at: datetime | None = None
    hosts: tuple[str, ...] = ()
    ranks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    exit_codes: Mapping[str, int] = field(default_factory=dict)
    world_size: int | None = None


def record_report(
    *, cluster: Cluster, reporter: Organization, report: SessionReport, now: datetime
) -> Attempt:
    """Merge a report field by field into its attempt, and return it. Idempotent, order-free.

    Opens the scope of the cluster's parties: a session belongs to its tenant, whoever reports it.
    Raises OwnerUnknown.
    """
    parties = parties_of(cluster_id=cluster.pk)
    with organization_scope(*parties):
        owner_id, session = _owner(cluster=cluster, reporter=reporter, report=report)
    # A tenant that left the cluster meanwhile still owns the session that it left running.
    with organization_scope(*parties, owner_id):
        if session is None:
            session = _create(cluster=cluster, owner_id=owner_id, report=report, now=now)
        _complete(session=session, report=report)
        attempt = attempt_of(session=session, number=report.attempt)
        rows = Attempt.objects.select_related("session").select_for_update(of=("self",))
        locked = rows.get(pk=attempt.pk)
        _merge(attempt=locked, report=report, slug=reporter.slug, now=now)
        return locked


def find(*, cluster_id: int | None, name: str, owner_id: int | None = None) -> Session | None:
    """Return the session that a label means, by its id or else its job name; None if ambiguous.

    Sees what the scope may see: tenant, platform and operator know of a session, vendors don't.
    """
    rows = Session.objects.filter(cluster=cluster_id)
    if owner_id is not None:
        rows = rows.filter(organization=owner_id)
    for wanted in (Q(name=name), Q(job=name)):
        found = list(rows.filter(wanted).order_by("id")[:2])
        if found:
            return found[0] if len(found) == 1 else None
    return None


def find_or_create(
    *, organization_id: int, cluster: Cluster | None, name: str, now: datetime, simulated: bool
) -> Session:
    """Return the organization's own session of that name, made if it isn't known yet.

    Needs the scope of the organization; platform and operator learn that it runs.
    """
    known = find(cluster_id=cluster.pk if cluster else None, name=name, owner_id=organization_id)
    if known is not None:
        return known
    made, _ = Session.objects.get_or_create(
        organization_id=organization_id,
        cluster=cluster,
        scheduler="",
        name=name[:200],
        defaults={
            "public_id": public_id(),
            "is_simulated": simulated or bool(cluster and cluster.is_simulated),
            "created_at": now,
        },
    )
    SessionParty.objects.get_or_create(organization_id=organization_id, session=made)
    tell_parties(session=made)
    return made


def note_host(*, attempt: Attempt, host: str) -> None:
    """Add a host that a label names, unless a scheduler told the hosts. Needs the owner's scope."""
    row = Attempt.objects.select_for_update(of=("self",)).get(pk=attempt.pk)
    if "hosts" not in row.field_sources and host not in row.hosts:
        Attempt.objects.filter(pk=row.pk).update(hosts=[*row.hosts, host])


def attempt_of(*, session: Session, number: int | None) -> Attempt:
    """Return an attempt of a session, made if it isn't known; without a number the latest."""
    if number is None:
        latest = session.attempts.order_by("-number", "-id").first()
        if latest is not None:
            return latest
    # The attempt is its tenant's row, whoever brings the log that names it first.
    with organization_scope(session.organization_id):
        found, _ = Attempt.objects.get_or_create(
            organization_id=session.organization_id, session=session, number=number or 1
        )
    return found


def is_tenant(*, organization_id: int, cluster_id: int) -> bool:
    """Say whether an organization owns the sessions it names on a cluster. Needs its scope."""
    own = Participation.objects.for_organization(organization_id).filter(cluster=cluster_id)
    return own.filter(part=Part.TENANT).exists()


def keep_ended(*, organization_id: int, cluster_id: int, now: datetime) -> None:
    """Keep others' sessions for who no longer serves the cluster as they stand. Needs its scope."""
    with connection.cursor() as cursor:
        cursor.execute(KEEP, {"organization": organization_id, "cluster": cluster_id, "now": now})


def tell_running(*, cluster: Cluster, organization: Organization) -> None:
    """Let who runs the cluster from now on know of the sessions that run; opens the scope."""
    with among_parties(cluster):
        running = Session.objects.filter(cluster=cluster, attempts__ended_at=None)
        ids = running.order_by("pk").values_list("pk", flat=True).distinct()
        SessionParty.objects.bulk_create(
            [SessionParty(organization=organization, session_id=pk) for pk in ids],
            ignore_conflicts=True,
        )
        own = SessionParty.objects.for_organization(organization)
        _read_on(own.filter(session__in=list(ids)))


def tell_parties(*, session: Session) -> None:
    """Let platform and operator know that a session ran; opens the scope of the parties."""
    if session.cluster_id is None:
        return
    parties = parties_of(cluster_id=session.cluster_id)
    with organization_scope(*parties, session.organization_id):
        informed = Participation.objects.filter(cluster=session.cluster_id, part__in=INFORMED)
        ids = {session.organization_id, *informed.values_list("organization_id", flat=True)}
        SessionParty.objects.bulk_create(
            [SessionParty(organization_id=each, session=session) for each in sorted(ids)],
            ignore_conflicts=True,
        )
        _read_on(SessionParty.objects.filter(session=session, organization__in=ids))


def _read_on(parties: QuerySet[SessionParty]) -> None:
    """Let those who came back read sessions that go on as they are, no more as they stood."""
    parties.exclude(left_at=None).update(left_at=None, attempts_then=None)


def public_id() -> str:
    """Return a new public id of a session: random, never a shared counter."""
    return "SES-" + "".join(secrets.choice(ALPHABET) for _ in range(8))


def _owner(
    *, cluster: Cluster, reporter: Organization, report: SessionReport
) -> tuple[int, Session | None]:
    """Return the tenant and, if known, the session: by project map, by name, by the reporter."""
    projects = ProjectTenant.objects.filter(cluster=cluster, project=report.project)
    owners = sorted({row.organization_id for row in projects}) if report.project else []
    if not owners and is_tenant(organization_id=reporter.pk, cluster_id=cluster.pk):
        owners = [reporter.pk]
    if len(owners) == 1:
        return owners[0], _known(cluster=cluster, report=report, owner_id=owners[0])
    session = _known(cluster=cluster, report=report, owner_id=None)
    if owners or session is None:
        raise OwnerUnknown(
            f"no single tenant is known for project {report.project!r} of {cluster.slug}; "
            "the operator names it in the inventory's `projects`"
        )
    return session.organization_id, session


def _known(*, cluster: Cluster, report: SessionReport, owner_id: int | None) -> Session | None:
    """Return the session under its scheduler, or one that a label named before that was told."""
    rows = Session.objects.filter(cluster=cluster, name=report.session)
    if owner_id is not None:
        rows = rows.filter(organization=owner_id)
    found = list(rows.filter(scheduler__in={report.scheduler, ""}).order_by("-scheduler", "id")[:2])
    if len({row.organization_id for row in found}) > 1:
        return None
    return found[0] if found else None


def _create(*, cluster: Cluster, owner_id: int, report: SessionReport, now: datetime) -> Session:
    session, _ = Session.objects.get_or_create(
        organization_id=owner_id,
        cluster=cluster,
        scheduler=report.scheduler,
        name=report.session,
        defaults={
            "public_id": public_id(),
            "job": report.job,
            "project": report.project,
            "is_simulated": cluster.is_simulated,
            "created_at": now,
        },
    )
    return session


def _complete(*, session: Session, report: SessionReport) -> None:
    said = {"scheduler": report.scheduler, "job": report.job, "project": report.project}
    news = {name: value for name, value in said.items() if value and not getattr(session, name)}
    if news:
        Session.objects.filter(pk=session.pk).update(**news)
    tell_parties(session=session)


def _merge(*, attempt: Attempt, report: SessionReport, slug: str, now: datetime) -> None:
    """Let the newer report win, field by field; an end is never undone by an earlier state."""
    source = [slug, (report.at or now).isoformat()]
    for name, value in _news(attempt=attempt, report=report).items():
        if name not in TIMES and _is_older(attempt, name, source):
            continue
        setattr(attempt, name, value)
        attempt.field_sources[name] = source
    attempt.save()


TIMES = frozenset({"started_at", "ended_at"})
ENDS = frozenset(EndState) - {EndState.RUNNING, EndState.UNKNOWN}


def _is_older(attempt: Attempt, name: str, source: Sequence[str]) -> bool:
    known = attempt.field_sources.get(name)
    if known is None or name in {"ranks", "exit_codes"}:
        return False
    if name == "state" and attempt.state not in ENDS:
        return False  # an end follows a run, whatever their clocks say
    return datetime.fromisoformat(known[1]) > datetime.fromisoformat(source[1])


def _news(*, attempt: Attempt, report: SessionReport) -> dict[str, Any]:
    news: dict[str, Any] = _times(attempt=attempt, report=report)
    if report.hosts:
        news["hosts"] = list(report.hosts)
    if report.ranks:
        news["ranks"] = attempt.ranks | {str(k): dict(v) for k, v in report.ranks.items()}
    if report.exit_codes:
        news["exit_codes"] = attempt.exit_codes | dict(report.exit_codes)
    if report.world_size:
        news["world_size"] = report.world_size
    if report.state and (report.state in ENDS or attempt.state not in ENDS):
        news["state"] = str(report.state)
    return news


def _times(*, attempt: Attempt, report: SessionReport) -> dict[str, datetime]:
    """The earliest report of a run is its start, the earliest report of an end its end."""
    if report.at is None or report.state is None:
        return {}
    if report.state is EndState.RUNNING:
        return {"started_at": min(report.at, attempt.started_at or report.at)}
    if report.state in ENDS:
        return {"ended_at": min(report.at, attempt.ended_at or report.at)}
    return {}
