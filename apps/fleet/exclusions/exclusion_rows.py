"""Reports of exclusions → rows. Late and doubled reports change nothing, in whatever order."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from django.db import connection

from apps.diagnosis.input_values import LATEST
from apps.fleet.authority.agreed_terms import Authority, authority_of
from apps.fleet.authority.project_owners import among_parties
from apps.fleet.authority.rules import PartRefused, SenderStanding, Subject, refusal
from apps.fleet.exclusions.exclusion_report import (
    ExclusionBatch,
    ExclusionIntake,
    ExclusionReport,
    ReturnReport,
)
from apps.fleet.hosts.host_names import short
from apps.fleet.models import Cluster, NodeExclusion, NodeReturn
from apps.tenancy.models import Organization

# What several tell of one exclusion: where they differ the later word in the alphabet stays, so
# that it is the same in whatever order they come.
TOLD: Final = ("by", "reason", "cause", "incident")
KEY: Final = ("organization", "cluster", "host", "kind", "session", "starts_at")
# An exclusion ends with the first return after its begin, whichever of the two came first, and
# after a list last said that it is in force: a list that left a node out by mistake is put right by
# the next one. Returns are met by host, all at once: one by one, each exclusion would go through
# all of them.
SETTLE: Final = """
    WITH due AS MATERIALIZED (
        SELECT id, host, kind, session, starts_at, ends_at,
            GREATEST(starts_at, seen_at) AS lasts_until
        FROM fleet_nodeexclusion
        WHERE organization_id = %(owner)s AND cluster_id = %(cluster)s
            AND (id = ANY (%(ids)s) OR coalesce(ends_at, '2199-12-31') > %(since)s)
    ), back AS MATERIALIZED (
        SELECT host, kind, session, at, in_use, left_out FROM fleet_nodereturn
        WHERE organization_id = %(owner)s AND cluster_id = %(cluster)s
            AND at > (SELECT min(starts_at) FROM due)
    ), many AS MATERIALIZED (
        SELECT * FROM back WHERE host = ''
    ), alone AS (
        SELECT d.id, min(r.at) AS at FROM due d
        JOIN back r ON r.host = d.host AND r.session = d.session
        WHERE r.kind IN ('', d.kind) AND r.at > d.lasts_until
        GROUP BY d.id
    ), settled AS (
        SELECT d.id, d.ends_at AS former, LEAST(
            alone.at,
            (
                SELECT min(r.at) FROM many r
                WHERE r.kind IN ('', d.kind) AND r.session = d.session AND r.at > d.lasts_until
                    AND (
                        d.host = ANY (r.in_use)
                        OR (r.in_use = '{}' AND d.host <> ALL (r.left_out))
                    )
            )
        ) AS ends_at
        FROM due d LEFT JOIN alone ON alone.id = d.id
    )
    UPDATE fleet_nodeexclusion e SET ends_at = s.ends_at FROM settled s
    WHERE e.id = s.id AND s.former IS DISTINCT FROM s.ends_at
    RETURNING e.ends_at IS NULL
"""
# Of one party in one cluster, of what it claims, and as many returns.
MOST_CLAIMED: Final = 20_000


class TooManyExclusions(Exception):
    """A tenant tells of more exclusions of its jobs than are kept."""


def record(
    *, cluster: Cluster, reporter: Organization, batch: ExclusionBatch, now: datetime
) -> ExclusionIntake:
    """Write what one party tells; return what came of it. Needs its scope.

    Of a tenant only what a job leaves out is taken. Raises PartRefused where nothing is,
    TooManyExclusions.
    """
    with among_parties(cluster):
        authority = authority_of(cluster_id=cluster.pk)
    standing = partial(_standing, authority, reporter)
    exclusions = [each for each in batch.exclusions if standing(each.session)]
    returns = [each for each in batch.returns if standing(each.session)]
    if batch.count and not exclusions and not returns:
        parts = authority.parts(organization_id=reporter.pk)
        raise PartRefused(refusal(parts=parts, subject=Subject.EXCLUSIONS))
    sessions = {each.session for each in exclusions} | {each.session for each in returns}
    _require_room(cluster, reporter, map(standing, sessions))
    rows = [_row(each, standing(each.session)) for each in exclusions]
    for row in rows:
        row.organization, row.cluster, row.received_at = reporter, cluster, now
    written, begun_count = _write(rows)
    since = _write_returns(cluster, reporter, returns, now)
    goes_on = _settle(cluster, reporter, [row.pk for row in written], since)
    taken = ExclusionBatch(exclusions=tuple(exclusions), returns=tuple(returns))
    return ExclusionIntake(
        accepted_count=taken.told_count,
        begun_count=begun_count,
        ended_count=goes_on.count(False),
        reopened_count=goes_on.count(True),
    )


def _require_room(cluster: Cluster, reporter: Organization, standings: Iterable[str]) -> None:
    if SenderStanding.CLAIMED not in standings:
        return
    rows = NodeExclusion.objects.for_organization(reporter).filter(cluster=cluster)
    claims = rows.filter(standing=SenderStanding.CLAIMED)
    returns = NodeReturn.objects.for_organization(reporter).filter(cluster=cluster)
    if any(each[:MOST_CLAIMED].count() >= MOST_CLAIMED for each in (claims, returns)):
        raise TooManyExclusions(
            f"{MOST_CLAIMED} exclusions of jobs are kept of a tenant, and more were sent; "
            "what is kept stays until its time is over"
        )


def _standing(authority: Authority, reporter: Organization, session: str) -> str:
    """Return what a reporter's word is worth, for everybody or for a job; empty: refused."""
    # Whose job a name is, is looked up when it is read: no answer tells of others' jobs.
    found = authority.standing(
        organization_id=reporter.pk, subject=Subject.EXCLUSIONS, is_own=bool(session)
    )
    return "" if found is SenderStanding.REFUSED else found.value


def _row(report: ExclusionReport, standing: str) -> NodeExclusion:
    return NodeExclusion(
        host=short(name=report.host),
        kind=report.kind,
        session=report.session,
        starts_at=report.at,
        seen_at=report.seen_at,
        standing=standing,
        by=report.by,
        reason=report.reason,
        cause=report.cause,
        incident=report.incident,
    )


def _write(rows: Sequence[NodeExclusion]) -> tuple[list[NodeExclusion], int]:
    """Write rows, each once; what is known already stays, and is completed.

    Return them, and how many were not known.
    """
    found: dict[tuple[object, ...], NodeExclusion] = {}
    for row in rows:
        known = found.setdefault(_key(row), row)
        _complete(known, row)
    if not found:
        return [], 0
    first = rows[0]
    kept = NodeExclusion.objects.for_organization(first.organization_id).filter(
        cluster=first.cluster_id,
        host__in={row.host for row in rows},
        starts_at__in={row.starts_at for row in rows},
    )
    known_count = 0
    for row in kept:
        if new := found.get(_key(row)):
            _complete(new, row)
            new.received_at, new.standing = row.received_at, row.standing
            known_count += 1
    ordered = [found[key] for key in sorted(found, key=str)]
    written = NodeExclusion.objects.bulk_create(
        ordered,
        update_conflicts=True,
        unique_fields=list(KEY),
        update_fields=[*TOLD, "seen_at"],
    )
    return written, len(found) - known_count


def _key(row: NodeExclusion) -> tuple[object, ...]:
    return row.host, str(row.kind), row.session, row.starts_at


def _complete(row: NodeExclusion, other: NodeExclusion) -> None:
    for name in TOLD:
        setattr(row, name, max(getattr(row, name), getattr(other, name)))
    row.seen_at = max(filter(None, (row.seen_at, other.seen_at)), default=None)


def _write_returns(
    cluster: Cluster, reporter: Organization, reports: Iterable[ReturnReport], now: datetime
) -> datetime | None:
    """Write returns; return when the first of them was, None without any."""
    rows = [
        NodeReturn(
            organization=reporter,
            cluster=cluster,
            host=short(name=each.host) if each.host else "",
            kind=each.kind or "",
            session=each.session,
            at=each.at,
            in_use=sorted({short(name=host) for host in each.in_use}),
            left_out=sorted({short(name=host) for host in each.left_out}),
            received_at=now,
        )
        for each in reports
    ]
    NodeReturn.objects.bulk_create(rows, ignore_conflicts=True)
    return min((row.at for row in rows), default=None)


def _settle(
    cluster: Cluster, reporter: Organization, written: Sequence[int], since: datetime | None
) -> list[bool]:
    """Work out again how the new rows end, and those that a new return may have ended.

    Return of each row whose end is another one whether it goes on.
    """
    if not written and since is None:
        return []
    with connection.cursor() as cursor:
        # Without a return only the new rows can end otherwise than before.
        cursor.execute(
            SETTLE,
            {
                "owner": reporter.pk,
                "cluster": cluster.pk,
                "ids": [*written],
                "since": since or LATEST,
            },
        )
        return [goes_on for (goes_on,) in cursor.fetchall()]
