"""Rows of reports as values: what a list says of one, and one as it was issued."""

from collections.abc import Mapping, Sequence
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


def heads_of(rows: Sequence[Report]) -> list[ReportHead]:
    """Return what a list says of reports."""
    counts = signature_counts(rows)
    return [_head(row, counts[row.pk]) for row in rows]


def head_of(row: Report) -> ReportHead:
    """Return what a list says of a report."""
    return heads_of([row])[0]


def _head(row: Report, signatures: SignatureCount) -> ReportHead:
    return ReportHead(
        public_id=row.public_id,
        revision=row.revision,
        audience=Audience(row.audience),
        cluster=cluster_name(row.cluster),
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        digest=row.digest,
        issuer=name_of(row.issuer),
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
        head=_head(row, signature_count(row, [each.stance for each in standing])),
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
