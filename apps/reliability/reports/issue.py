"""Issuing a report: it is counted, frozen, and written once for each who reads it."""

import secrets
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Final

from django.db import IntegrityError, transaction

from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.fleet.parties.participants import who_know
from apps.incidents.facade.reads import headers_for_all
from apps.reliability.models import Report
from apps.reliability.period.compose import compose
from apps.reliability.period.read import period_facts
from apps.reliability.period.scopes import Audience, PeriodScope
from apps.reliability.prices import price_of
from apps.reliability.reports.counting.changes import changes_between
from apps.reliability.reports.counting.document import report_document
from apps.reliability.reports.counting.document_values import Json, digest_of
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Right
from apps.tenancy.lookups import parties_of
from apps.tenancy.scope import organization_scope

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
MOST_A_DAY: Final = 100
DAY: Final = timedelta(days=1)
ISSUED: Final = "report.issued"
COUNTED: Final = "report.counted"  # again, and nothing had moved


class ReportMoved(Exception):
    """Somebody issued the same report at the same moment."""


class TooManyReports(Exception):
    """An organization issues more reports in a day than anybody reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """What was issued, and whether it is a new revision."""

    public_id: str
    revision: int
    is_new: bool


def counted_document(*, context: ActContext, scope: PeriodScope) -> Json:
    """Return what a report of this period would say now. Raises NotFound."""
    facts = period_facts(
        actor=context.actor, scope=scope, now=context.now, channel=LedgerChannel.EXPORT
    )
    price = price_of(actor=context.actor) if scope.audience is Audience.OWN else None
    within = facts.incidents_in(scope.starts_at, scope.ends_at)
    is_joint = scope.audience is Audience.JOINT
    headers = headers_for_all(
        actor=context.actor,
        ids=[each.id for each in within],
        read_by=_readers(context, scope) if is_joint else (),
    )
    period = compose(facts, price=price)
    return report_document(facts=facts, period=period, headers=headers)


def issue(*, context: ActContext, scope: PeriodScope) -> Issued:
    """Issue a report; where it would say what its newest revision says, that one stands.

    Needs the actor's scope. Raises NotFound, ReportMoved.
    """
    context.actor.require(Right.ACT)
    document = counted_document(context=context, scope=scope)
    readers = _readers(context, scope)
    try:
        with transaction.atomic(), organization_scope(*readers):
            issued = _write(context, scope, document, readers)
    except IntegrityError as error:
        raise ReportMoved from error
    subject = f"{issued.public_id} revision {issued.revision}"
    if issued.is_new:
        record_cross_party_act(ISSUED, subject, context, others=_told(context, scope, readers))
    else:
        record_cross_party_act(COUNTED, subject, context)
    return issued


def require_room(*, context: ActContext) -> None:
    """Raise TooManyReports for one more revision of an organization that issued many today.

    Each is written for all who read it, so one party could fill the lists of the others.
    """
    own = context.actor.organization
    rows = Report.objects.for_organization(own).filter(issuer=own)
    recent = rows.filter(issued_at__gt=context.now - DAY)
    if recent[:MOST_A_DAY].count() >= MOST_A_DAY:
        raise TooManyReports


def _readers(context: ActContext, scope: PeriodScope) -> Collection[int]:
    own = context.actor.organization.pk
    if scope.audience is not Audience.JOINT or scope.cluster is None:
        return {own}
    return {own, *parties_of(cluster_id=scope.cluster.id)}


def _told(context: ActContext, scope: PeriodScope, readers: Collection[int]) -> Collection[int]:
    """Return in whose records it stands who issued it: one tenant is not told of another."""
    own = context.actor.organization.pk
    if scope.cluster is None:
        return readers
    return who_know(organization_id=own, cluster_id=scope.cluster.id, among=readers)


def _write(
    context: ActContext, scope: PeriodScope, document: Json, readers: Collection[int]
) -> Issued:
    former = newest_of(scope)
    digest = digest_of(document)
    if former is not None and former.digest == digest and _all_have(former, readers):
        return Issued(public_id=former.public_id, revision=former.revision, is_new=False)
    public_id = former.public_id if former else new_report_id()
    revision = former.revision + 1 if former else 1
    moved = [asdict(each) for each in changes_between(former.document, document)] if former else []
    knew = _holders(former) if former else set()
    own = context.actor.organization
    Report.objects.bulk_create(
        Report(
            organization_id=reader,
            public_id=public_id,
            revision=revision,
            audience=scope.audience,
            cluster_id=scope.cluster.id if scope.cluster else None,
            starts_at=scope.starts_at,
            ends_at=scope.ends_at,
            is_simulated=document["simulated"],
            document=document,
            digest=digest,
            # What moved tells what was said before, to other readers perhaps.
            changes=moved if reader in knew else [],
            issuer=own,
            issuer_name=context.actor.name if reader == own.pk else "",
            issued_at=context.now,
            readers=sorted(readers),
        )
        for reader in sorted(readers)
    )
    return Issued(public_id=public_id, revision=revision, is_new=True)


def newest_of(scope: PeriodScope) -> Report | None:
    """Return the newest revision of a range that the scope may see."""
    rows = Report.objects.filter(
        audience=scope.audience,
        cluster=scope.cluster.id if scope.cluster else None,
        starts_at=scope.starts_at,
        ends_at=scope.ends_at,
    )
    if scope.audience is not Audience.JOINT:
        rows = rows.filter(organization=scope.organization.id)
    return rows.order_by("-revision", "id").first()


def _all_have(report: Report, readers: Collection[int]) -> bool:
    """Say whether each has a copy: who came to the cluster since has none yet."""
    return set(readers) <= _holders(report)


def _holders(report: Report) -> set[int]:
    """Return who has a copy of a revision, of those whose scope is open."""
    rows = Report.objects.filter(public_id=report.public_id, revision=report.revision)
    return set(rows.values_list("organization_id", flat=True))


def new_report_id() -> str:
    """Return a public id that says nothing of how many there are."""
    return "RPT-" + "".join(secrets.choice(ALPHABET) for _ in range(6))
