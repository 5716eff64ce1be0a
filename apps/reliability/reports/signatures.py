"""Signing a report: each party says of a revision that it is settled, or why not.

A signature names the digest that it was given for. It is of one revision: what moved since is
another one, which nobody has signed yet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import IntegrityError, transaction

from apps.fleet.access import takes_part
from apps.fleet.parties.cross_party_acts import ActContext, record_cross_party_act
from apps.fleet.parties.participants import who_know
from apps.reliability.models import Report, ReportSignature, ReportStance
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.access import access_report
from apps.reliability.reports.counting.document_values import digest_of
from apps.reliability.reports.issue import ReportMoved
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.lookups import parties_of
from apps.tenancy.scope import organization_scope

MOST_TIMES: Final = 20
MOST_REASON: Final = 2000


class DissentUnexplained(ValueError):
    """A dissent says why, in 2,000 characters at most."""


class SignedTooOften(Exception):
    """A party changed its mind about one revision more often than anybody reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
    """What a party says of the revision that it has read."""

    revision: int
    digest: str
    stance: ReportStance
    reason: str = ""


def may_sign(*, actor: Actor, report: Report, newest_revision: int) -> bool:
    """Say whether a person may sign for its organization, which still takes part."""
    return (
        Right.ACT in actor.rights
        and actor.user is not None
        and report.revision == newest_revision
        and _still_takes_part(actor, report)
    )


def sign(*, context: ActContext, public_id: str, signing: Signing) -> None:
    """Sign the newest revision of a report for the actor's organization; the same again is nothing.

    Raises NotFound; ReportMoved where the revision is no longer the newest, or is not what it was
    issued as; DissentUnexplained, SignedTooOften. Needs the actor's scope.
    """
    actor = context.actor
    actor.require(Right.ACT)
    report = access_report(actor=actor, public_id=public_id)
    if actor.user is None or not _still_takes_part(actor, report):
        raise NotFound
    if (report.revision, report.digest) != (signing.revision, signing.digest):
        raise ReportMoved
    if digest_of(report.document) != report.digest:
        raise ReportMoved
    reason = _reason(signing)
    former = _said_by(report, actor)
    if former and (former[-1].stance, former[-1].reason) == (signing.stance, reason):
        return
    if len(former) >= MOST_TIMES:
        raise SignedTooOften
    readers = _readers(actor, report)
    try:
        with transaction.atomic(), organization_scope(*readers):
            _write(context, report, signing.stance, reason, len(former) + 1, readers)
    except IntegrityError as error:
        raise ReportMoved from error
    subject = f"{public_id} revision {report.revision} {signing.stance}"
    record_cross_party_act("report.signed", subject, context, others=_told(actor, report, readers))


def _reason(signing: Signing) -> str:
    if signing.stance == ReportStance.SETTLED:
        return ""
    reason = signing.reason.replace("\r\n", "\n").replace("\x00", "").strip()
    if not reason or len(reason) > MOST_REASON:
        raise DissentUnexplained
    return reason


def _still_takes_part(actor: Actor, report: Report) -> bool:
    return report.cluster_id is None or takes_part(
        organization_id=actor.organization.pk, cluster_id=report.cluster_id
    )


def _readers(actor: Actor, report: Report) -> Sequence[int]:
    """Return who gets the signature: who has the revision and takes part still."""
    own = actor.organization.pk
    if report.audience != Audience.JOINT or report.cluster_id is None:
        return [own]
    present = {own, *parties_of(cluster_id=report.cluster_id)}
    with organization_scope(*present):
        copies = Report.objects.filter(public_id=report.public_id, revision=report.revision)
        return sorted(present & set(copies.values_list("organization_id", flat=True)))


def _told(actor: Actor, report: Report, readers: Sequence[int]) -> Sequence[int]:
    """Return in whose records it stands who signed: one tenant is not told of another."""
    own = actor.organization.pk
    if report.cluster_id is None:
        return readers
    return who_know(organization_id=own, cluster_id=report.cluster_id, among=readers)


def _write(
    context: ActContext,
    report: Report,
    stance: ReportStance,
    reason: str,
    number: int,
    readers: Sequence[int],
) -> None:
    own = context.actor.organization
    ReportSignature.objects.bulk_create(
        ReportSignature(
            organization_id=reader,
            public_id=report.public_id,
            revision=report.revision,
            digest=report.digest,
            party=own,
            number=number,
            stance=stance,
            reason=reason,
            signer_name=context.actor.name if reader == own.pk else "",
            signed_at=context.now,
        )
        for reader in readers
    )


def _said_by(report: Report, actor: Actor) -> list[ReportSignature]:
    rows = ReportSignature.objects.for_organization(actor.organization).filter(
        public_id=report.public_id, revision=report.revision, party=actor.organization
    )
    return list(rows.order_by("number"))
