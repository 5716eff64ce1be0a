"""Rows of reports as values: what a list says of one, and one as it was issued."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from apps.fleet.values import cluster_name
from apps.reliability.models import Report
from apps.reliability.period.scopes import Audience
from apps.reliability.reports.counting.changes import Change, ChangeKind
from apps.reliability.reports.counting.document_values import digest_of
from apps.reliability.reports.report_values import ReportHead, ReportView, SignatureCount
from apps.reliability.reports.signature_reads import (
    named_parties,
    signature_count,
    signature_counts,
    signatures_of,
    standing_signatures,
    unsigned_of,
)
from apps.reliability.reports.signatures import may_sign
from apps.tenancy.access import Actor
from apps.tenancy.values import name_of


def heads_of(rows: Sequence[Report], *, actor: Actor) -> list[ReportHead]:
    """Return what a list says of reports."""
    counts = signature_counts(rows)
    named = _named_in(rows, actor)
    return [_head(row, counts[row.pk], named.get(row.cluster_id, ())) for row in rows]


def head_of(row: Report, *, named: Collection[int] = ()) -> ReportHead:
    """Return what a list says of a report. `named` are those whom its reader may know by name."""
    return _head(row, signature_counts([row])[row.pk], named)


def _named_in(rows: Sequence[Report], actor: Actor) -> Mapping[int | None, Collection[int]]:
    """Return cluster → whom the reader may know there; of those where others issued a report."""
    of_others = {row.cluster_id: row for row in rows if row.issuer_id != row.organization_id}
    return {key: named_parties(row, actor=actor) for key, row in of_others.items()}


def _head(row: Report, signatures: SignatureCount, named: Collection[int]) -> ReportHead:
    is_named = row.issuer_id in {row.organization_id, *named}
    return ReportHead(
        public_id=row.public_id,
        revision=row.revision,
        audience=Audience(row.audience),
        cluster=cluster_name(row.cluster),
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        digest=row.digest,
        issuer=name_of(row.issuer) if is_named else None,
        issuer_name=row.issuer_name,
        issued_at=row.issued_at,
        is_simulated=row.is_simulated,
        signatures=signatures,
    )


def view_of(row: Report, *, actor: Actor, newest_revision: int) -> ReportView:
    """Return a revision as it was issued, and what its parties say of it."""
    named = named_parties(row, actor=actor)
    standing = standing_signatures(row)
    return ReportView(
        head=_head(row, signature_count(row, [each.stance for each in standing]), named),
        document=row.document,
        changes=tuple(map(_change, row.changes)),
        newest_revision=newest_revision,
        signatures=signatures_of(standing, named=named),
        unsigned=unsigned_of(row, standing, named=named),
        is_intact=digest_of(row.document) == row.digest,
        may_sign=may_sign(actor=actor, report=row, newest_revision=newest_revision),
    )


def _change(stored: Mapping[str, Any]) -> Change:
    return Change(**{**stored, "kind": ChangeKind(stored["kind"])})
