"""What parties said of the revisions of reports, as one of them reads it."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from apps.fleet.parties.participants import participants
from apps.reliability.models import Report, ReportSignature, ReportStance
from apps.reliability.reports.report_values import PartySignature, SignatureCount
from apps.tenancy.access import Actor
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName, name_of


def named_parties(report: Report, *, actor: Actor) -> frozenset[int]:
    """Return whom the reader may know by name: one tenant of a cluster is not told of another."""
    own = {actor.organization.pk}
    if report.cluster is None:
        return frozenset(own)
    known = participants(actor=actor, cluster=report.cluster)
    return frozenset(own | {each.organization.pk for each in known})


def standing_signatures(report: Report) -> list[ReportSignature]:
    """Return the last word of each party, the first who signed first. Needs the reader's scope."""
    rows = ReportSignature.objects.for_organization(report.organization_id).filter(
        public_id=report.public_id, revision=report.revision
    )
    last = {row.party_id: row for row in rows.select_related("party").order_by("number", "id")}
    return sorted(last.values(), key=lambda row: (row.signed_at, row.party_id))


def signatures_of(
    standing: Sequence[ReportSignature], *, named: Collection[int]
) -> tuple[PartySignature, ...]:
    """Return what stands; of who is not `named` the stance alone: a reason tells who gives it."""
    return tuple(_signature(row, is_named=row.party_id in named) for row in standing)


def unsigned_of(
    report: Report, standing: Sequence[ReportSignature], *, named: Collection[int]
) -> tuple[OrganizationName, ...]:
    """Return who of the named has the revision and said nothing of it yet."""
    missing = set(report.readers) & set(named) - {row.party_id for row in standing}
    return tuple(map(name_of, Organization.objects.filter(pk__in=missing).order_by("slug")))


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
        each.pk: signature_count(each, last.get((each.public_id, each.revision), {}).values())
        for each in reports
    }


def signature_count(report: Report, stances: Iterable[str]) -> SignatureCount:
    """Return how many signed a report, by what stands of each party."""
    told = list(stances)
    return SignatureCount(
        parties=max(len(report.readers), len(told)),
        settled=told.count(ReportStance.SETTLED),
        dissenting=told.count(ReportStance.DISSENT),
    )


def _signature(row: ReportSignature, *, is_named: bool) -> PartySignature:
    return PartySignature(
        party=name_of(row.party) if is_named else None,
        stance=row.stance,
        reason=row.reason if is_named else "",
        digest=row.digest,
        signer_name=row.signer_name,
        signed_at=row.signed_at,
    )
