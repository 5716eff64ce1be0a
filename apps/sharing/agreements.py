"""Agreements as rows: which there are, their versions, and what each side did with them.

All of it needs the scope of the actor's organization.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Q, QuerySet

from apps.fleet.models import Cluster
from apps.sharing.models import ActKind, Agreement, AgreementAct, AgreementVersion
from apps.sharing.states import SideAct, TermsVersion
from apps.sharing.terms import Terms, plain_terms, read_terms
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import Organization


def access_agreements(*, actor: Actor) -> QuerySet[Agreement]:
    """Return the agreements that the actor's organization is a side of, the newest first."""
    actor.require(Right.READ)
    own = Q(organization=actor.organization) | Q(counterpart=actor.organization)
    rows = Agreement.objects.filter(own).select_related("organization", "counterpart", "cluster")
    return rows.order_by("-created_at", "-id")


def access_agreement(*, actor: Actor, public_id: str) -> Agreement:
    """Return one of these; raise NotFound."""
    found = access_agreements(actor=actor).filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found


def agreement_with(
    *, actor: Actor, cluster: Cluster, counterpart: Organization
) -> Agreement | None:
    """Return what there is between the actor's organization and another one in a cluster."""
    pair = Q(organization=counterpart) | Q(counterpart=counterpart)
    return access_agreements(actor=actor).filter(pair, cluster=cluster).first()


def versions_of(*, agreements: Sequence[Agreement]) -> dict[int, list[TermsVersion]]:
    """Return agreement id → its versions with what was done with them, by number."""
    rows = AgreementVersion.objects.filter(agreement__in=agreements).order_by("number")
    acts: dict[int, list[SideAct]] = {}
    done = AgreementAct.objects.filter(version__agreement__in=agreements).order_by("at", "id")
    for act in done:
        acts.setdefault(act.version_id, []).append(_act(act))
    found: dict[int, list[TermsVersion]] = {each.pk: [] for each in agreements}
    for row in rows:
        found[row.agreement_id].append(_version(row, acts.get(row.pk, [])))
    return found


def document_of(
    *, agreement: Agreement, number: int, terms: Terms, until: datetime | None, note: str
) -> dict[str, object]:
    """Return a version as the document that both sides sign."""
    return {
        "agreement": agreement.public_id,
        "cluster": agreement.cluster.slug,
        "between": sorted([agreement.organization.slug, agreement.counterpart.slug]),
        "version": number,
        "gives": plain_terms(terms),
        "until": until.isoformat() if until else None,
        "note": note,
    }


def other_side(*, agreement: Agreement, organization_id: int) -> Organization:
    """Return the side that is not this one."""
    is_opener = agreement.organization_id == organization_id
    return agreement.counterpart if is_opener else agreement.organization


def _version(row: AgreementVersion, acts: Sequence[SideAct]) -> TermsVersion:
    return TermsVersion(
        id=row.pk,
        number=row.number,
        proposer_id=row.organization_id,
        preset=row.preset,
        terms=read_terms(row.terms, sides=row.terms),
        note=row.note,
        proposed_by=row.proposed_by,
        proposed_at=row.proposed_at,
        lapses_at=row.lapses_at,
        until=row.until,
        digest=bytes(row.digest),
        acts=tuple(acts),
    )


def _act(row: AgreementAct) -> SideAct:
    return SideAct(
        organization_id=row.organization_id,
        kind=ActKind(row.kind),
        by=row.by,
        at=row.at,
        reason=row.reason,
    )
