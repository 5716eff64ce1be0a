"""What schedulers and labels say → sessions and attempts."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.fleet.authority.agreed_terms import Authority, authority_of
from apps.fleet.authority.rules import PartRefused, SenderStanding, Subject, refusal
from apps.fleet.models import (
    Attempt,
    Cluster,
    ParticipationRole,
    ProjectTenant,
    Session,
    SessionParty,
)
from apps.fleet.sessions import session_aliases
from apps.fleet.sessions.report_merging import Reporter, first_shown, merge, weight_of
from apps.fleet.sessions.session_limits import is_full, require_attempt, take_session
from apps.fleet.sessions.session_lookup import find
from apps.fleet.sessions.session_parties import announce_session, tell_parties
from apps.fleet.sessions.session_reports import SessionReport
from apps.fleet.sessions.state_history import keep_state
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

MOST_HOSTS = 4096  # of one attempt, by labels
ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # no letter that looks like another


class OwnerUnknown(Exception):
    """No tenant of the cluster can be named for a session; the operator's project map decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a report came to."""

    attempt: Attempt
    is_first_of_reporter: bool  # nothing of this attempt was told by it before
    contradicts: frozenset[str]  # slugs of those who said something else


def record_report(
    *, cluster: Cluster, reporter: Organization, report: SessionReport, now: datetime
) -> Recorded:
    """Merge a report field by field into its attempt, and return it. Idempotent, order-free.

    Opens the scope of the cluster's parties: a session belongs to its tenant, whoever reports it.
    A tenant's report only ever makes and touches sessions of its own, whatever it names. Raises
    OwnerUnknown, PartRefused, TooManySessions.
    """
    parties = parties_of(cluster_id=cluster.pk)
    with organization_scope(*parties):
        authority = authority_of(cluster_id=cluster.pk)
        runs_it = may_report(authority=authority, reporter=reporter)
        if runs_it:
            owner_id, session = _owner(cluster, authority, reporter=reporter, report=report)
        else:
            owner_id = reporter.pk
            session = _known(cluster=cluster, report=report, owner_id=owner_id)
    # A tenant that left the cluster meanwhile still owns the session that it left running.
    with organization_scope(*parties, owner_id):
        is_new = session is None
        if session is None:
            take_session(reporter_id=reporter.pk, owner_id=owner_id, now=now)
            session = _create(cluster=cluster, owner_id=owner_id, report=report, now=now)
        _complete(session=session, report=report, is_asserted=runs_it)
        require_attempt(session=session, number=report.attempt)
        attempt = attempt_of(session=session, number=report.attempt)
        rows = Attempt.objects.select_related("session").select_for_update(of=("self",))
        locked = rows.get(pk=attempt.pk)
        is_first = all(said[0] != reporter.slug for said in locked.field_sources.values())
        is_own = owner_id == reporter.pk
        sender = Reporter(
            slug=reporter.slug,
            standing=_word(authority, reporter, Subject.SESSION, is_own=is_own),
            of_hosts=_word(authority, reporter, Subject.SESSION_HOSTS, is_own=is_own),
            now=now,
        )
        before = None if is_new else first_shown(attempt=locked)
        contradicts = merge(attempt=locked, report=report, reporter=sender)
        keep_state(attempt=locked, report=report, reporter=sender)
        if first_shown(attempt=locked) != before:
            announce_session(session=session)
        return Recorded(
            attempt=locked, is_first_of_reporter=is_first, contradicts=frozenset(contradicts)
        )


def may_report(*, authority: Authority, reporter: Organization) -> bool:
    """Say whether a party reports others' sessions too; raise PartRefused if none at all."""
    if authority.asserts(organization_id=reporter.pk, subject=Subject.SESSION):
        return True
    if _word(authority, reporter, Subject.SESSION, is_own=True) is SenderStanding.REFUSED:
        parts = authority.parts(organization_id=reporter.pk)
        raise PartRefused(refusal(parts=parts, subject=Subject.SESSION))
    return False


def _word(
    authority: Authority, reporter: Organization, subject: Subject, *, is_own: bool
) -> SenderStanding:
    return authority.standing(organization_id=reporter.pk, subject=subject, is_own=is_own)


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
    announce_session(session=made)
    return made


def note_hosts(*, attempt: Attempt, hosts: Sequence[str]) -> None:
    """Add hosts that labels name, unless a report told them. Needs the owner's scope.

    A claim of the owner's, unless the operator takes its word for that.
    """
    row = Attempt.objects.select_for_update(of=("self",)).get(pk=attempt.pk)
    known = set(row.hosts)
    news = [host for host in hosts if host not in known][: max(0, MOST_HOSTS - len(row.hosts))]
    if "hosts" in row.field_sources or not news:
        return
    authority = authority_of(cluster_id=attempt.session.cluster_id)
    said = authority.standing(
        organization_id=row.organization_id, subject=Subject.SESSION_HOSTS, is_own=True
    )
    is_asserted = said is SenderStanding.ASSERTED
    if row.hosts_asserted and not is_asserted:
        return
    row.hosts_asserted = is_asserted and (row.hosts_asserted or not row.hosts)
    row.hosts = [*row.hosts, *news]
    row.weight = weight_of(attempt=row)
    row.save(update_fields=["hosts", "hosts_asserted", "weight"])


def attempt_of(*, session: Session, number: int | None) -> Attempt:
    """Return an attempt of a session, made if it isn't known; without a number the latest.

    So is one more where there are too many: a label is no reason to refuse a log.
    """
    if number is None or is_full(session=session, number=number):
        latest = session.attempts.order_by("-number", "-id").first()
        if latest is not None:
            return latest
    # The attempt is its tenant's row, whoever brings the log that names it first.
    with organization_scope(session.organization_id):
        found, _ = Attempt.objects.get_or_create(
            organization_id=session.organization_id, session=session, number=number or 1
        )
    return found


def public_id() -> str:
    """Return a new public id of a session: random, never a shared counter."""
    return "SES-" + "".join(secrets.choice(ALPHABET) for _ in range(8))


def _owner(
    cluster: Cluster, authority: Authority, *, reporter: Organization, report: SessionReport
) -> tuple[int, Session | None]:
    """Return the tenant and, if known, the session: by project map, by name, by who is there.

    What a tenant alone said of sessions never takes part: it may have used another's id first.
    """
    projects = ProjectTenant.objects.filter(cluster=cluster, project=report.project)
    owners = {row.organization_id for row in projects} if report.project else set()
    if not owners:
        session = _known(cluster=cluster, report=report, owner_id=None)
        if session is not None:
            return session.organization_id, session
        tenants = authority.with_part(ParticipationRole.TENANT)
        owners = tenants if len(tenants) == 1 else tenants & {reporter.pk}
    if len(owners) != 1:
        raise OwnerUnknown(
            f"no single tenant is known for project {report.project!r} of {cluster.slug}; "
            "the operator names it in the inventory's `projects`"
        )
    (owner_id,) = owners
    return owner_id, _known(cluster=cluster, report=report, owner_id=owner_id)


def _known(*, cluster: Cluster, report: SessionReport, owner_id: int | None) -> Session | None:
    """Return the session under its scheduler, or one that a label named before that was told."""
    rows = Session.objects.filter(cluster=cluster, name=report.session)
    rows = rows.filter(is_asserted=True) if owner_id is None else rows.filter(organization=owner_id)
    found = list(rows.filter(scheduler__in={report.scheduler, ""}).order_by("-scheduler", "id")[:2])
    if len({row.organization_id for row in found}) > 1:
        return None
    if not found and report.aliases and owner_id is not None:
        return session_aliases.adopt(cluster=cluster, owner_id=owner_id, report=report)
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


def _complete(*, session: Session, report: SessionReport, is_asserted: bool) -> None:
    if report.aliases or (is_asserted and not session.is_asserted):
        session_aliases.add(session=session, report=report, is_asserted=is_asserted)
    said = {"scheduler": report.scheduler, "job": report.job, "project": report.project}
    news: dict[str, Any] = {
        name: value for name, value in said.items() if value and not getattr(session, name)
    }
    if is_asserted and not session.is_asserted:
        news["is_asserted"] = True
    if news:
        Session.objects.filter(pk=session.pk).update(**news)
    tell_parties(session=session)
