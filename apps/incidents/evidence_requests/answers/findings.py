"""What the rules of a request find in the holder's data, as statements. Needs its scope."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from apps.diagnosis.checks.load import Check, checks_for
from apps.diagnosis.model import Statement, statement
from apps.incidents.evidence_requests.answers.log_findings import found_lines
from apps.incidents.evidence_requests.answers.metric_findings import found_series
from apps.incidents.evidence_requests.answers.values import (
    CheckFinding,
    CheckOutcome,
    CheckSubject,
    CoveredPart,
    Gap,
)

SOURCES: Final = {
    "session": "session-log",
    "kernel": "kernel-log",
    "scheduler": "scheduler-log",
    "storage": "storage-log",
    "fabric": "fabric-log",
    "bmc": "bmc-log",
}


def find_all(*, data: str, subject: CheckSubject) -> tuple[CheckFinding, ...]:
    """Return what each rule finds by which a request for this class can be answered."""
    return tuple(_finding(check, subject) for check in checks_for(data=data))


def _finding(check: Check, subject: CheckSubject) -> CheckFinding:
    if check.signal:
        series = found_series(check=check, subject=subject)
        count, first_at, gaps, looked_at = series.count, series.first_at, series.gaps, series.series
        part = series.part
    else:
        lines = found_lines(check=check, subject=subject)
        count, first_at, gaps, looked_at = lines.count, lines.first_at, lines.gaps, lines.logs
        part = lines.part
    outcome = _outcome(count, gaps, part)
    return CheckFinding(
        check=check,
        outcome=outcome,
        told=_part_told(check, subject, part, gaps)
        if part and outcome is CheckOutcome.PARTLY
        else _told(check, subject, outcome, count=count, first_at=first_at, gaps=gaps),
        count=count,
        first_at=first_at,
        gaps=gaps,
        looked_at=looked_at,
        part=part if outcome is CheckOutcome.PARTLY else None,
    )


def _outcome(count: int, gaps: Sequence[Gap], part: CoveredPart | None) -> CheckOutcome:
    if count:
        return CheckOutcome.FAILS
    if not gaps:
        return CheckOutcome.HOLDS
    return CheckOutcome.PARTLY if part else CheckOutcome.UNKNOWN


def _part_told(
    check: Check, subject: CheckSubject, part: CoveredPart, gaps: Sequence[Gap]
) -> Statement:
    """Return that it holds of a part, and why nothing is known of the rest."""
    covered = replace(
        subject,
        hosts=part.hosts or subject.hosts,
        starts_at=part.starts_at,
        ends_at=part.ends_at,
    )
    basis = _basis(check, covered)
    return statement("answer-holds-partly", rule=check.name, why=_why(gaps), basis=basis)


def _told(
    check: Check,
    subject: CheckSubject,
    outcome: CheckOutcome,
    *,
    count: int,
    first_at: datetime | None,
    gaps: Sequence[Gap],
) -> Statement:
    basis = _basis(check, subject)
    if outcome is CheckOutcome.HOLDS:
        return statement("answer-holds", rule=check.name, basis=basis)
    if outcome is CheckOutcome.UNKNOWN:
        return statement("answer-unknown", rule=check.name, why=_why(gaps), basis=basis)
    if check.signal:
        return statement(
            "answer-fails-of-series", rule=check.name, count=count, first=first_at, basis=basis
        )
    return statement(
        "answer-fails-of-lines", rule=check.name, count=count, first=first_at, basis=basis
    )


def _basis(check: Check, subject: CheckSubject) -> Statement:
    is_of_hosts = check.signal or check.of == "hosts"
    return statement(
        "answer-basis",
        where=statement("answer-of-hosts", hosts=subject.hosts)
        if is_of_hosts
        else statement("answer-of-cluster"),
        window=(subject.starts_at, subject.ends_at),
        rule=check.name,
        source="metrics" if check.signal else SOURCES[check.stream],
    )


def _why(gaps: Sequence[Gap]) -> Statement:
    first = gaps[0]
    if not first.host:
        return first.why
    others = len({each.host for each in gaps[1:] if each.host} - {first.host})
    if not others:
        return statement("gap-of-host", host=first.host, why=first.why)
    return statement("gap-of-hosts", host=first.host, why=first.why, count=others)
