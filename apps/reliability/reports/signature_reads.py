"""What parties said of the revisions of reports, as one of them reads it."""

from collections.abc import Iterable, Mapping, Sequence

from apps.reliability.models import Report, ReportSignature, ReportStance
from apps.reliability.reports.report_values import PartySignature, SignatureCount
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName, name_of


def signatures_of(report: Report) -> tuple[PartySignature, ...]:
    """Return what stands of each party, the first who signed first. Needs the reader's scope."""
    rows = ReportSignature.objects.for_organization(report.organization_id).filter(
        public_id=report.public_id, revision=report.revision
    )
    last = {row.party_id: row for row in rows.select_related("party").order_by("number", "id")}
    standing = sorted(last.values(), key=lambda row: (row.signed_at, row.party_id))
    return tuple(map(_signature, standing))


def unsigned_of(report: Report, signed: Sequence[PartySignature]) -> tuple[OrganizationName, ...]:
    """Return who has the revision and said nothing of it yet."""
    missing = set(report.readers) - {each.party.id for each in signed}
    rows = Organization.objects.filter(pk__in=missing).order_by("slug")
    return tuple(map(name_of, rows))


def signature_counts(reports: Sequence[Report]) -> Mapping[int, SignatureCount]:
    """Return by the report's row how many signed it; one query for a whole page of reports."""
    if not reports:
        return {}
    rows = ReportSignature.objects.for_organization(reports[0].organization_id).filter(
        public_id__in={each.public_id for each in reports}
    )
    last: dict[tuple[str, int], dict[int, str]] = {}
    for name, revision, party, stance in rows.order_by("number").values_list(
        "public_id", "revision", "party_id", "stance"
    ):
        last.setdefault((name, revision), {})[party] = stance
    return {
        each.pk: _count(each, last.get((each.public_id, each.revision), {}).values())
        for each in reports
    }


def _count(report: Report, stances: Iterable[str]) -> SignatureCount:
    told = list(stances)
    return SignatureCount(
        parties=max(len(report.readers), len(told)),
        settled=told.count(ReportStance.SETTLED),
        dissenting=told.count(ReportStance.DISSENT),
    )


def _signature(row: ReportSignature) -> PartySignature:
    return PartySignature(
        party=name_of(row.party),
        stance=row.stance,
        reason=row.reason,
        digest=row.digest,
        signer_name=row.signer_name,
        signed_at=row.signed_at,
    )
