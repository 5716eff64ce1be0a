"""One piece of an inventory or of session events → rows of the fleet. Doing it twice is once."""

from datetime import datetime
from typing import Any

import orjson
import zstandard

from apps.fleet.authority.rules import PartRefused
from apps.fleet.models import Cluster
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.schedulers import inventory_json, scheduler_json
from apps.telemetry.models import Submission
from apps.telemetry.scheduler.reports import record_inventory, record_sessions
from apps.telemetry.submission_kinds import SubmissionKind
from apps.tenancy.models import Organization

BAD = "bad_entry"  # the sender was told at the door


def carry_out(*, submission: Submission) -> tuple[int, list[dict[str, Any]]]:
    """Record a piece; return how many entries were taken, and what was wrong with which."""
    said = orjson.loads(zstandard.decompress(submission.body))
    organization = Organization.objects.get(pk=submission.organization_id)
    cluster = Cluster.objects.get(pk=submission.cluster_id)
    complaints = Complaints()
    record = RECORDERS[SubmissionKind(submission.kind)]
    try:
        accepted = record(organization, cluster, said, complaints, submission.received_at)
    except PartRefused:  # its part has ended meanwhile; which entries, the complaints say
        accepted = 0
    kept = [each for each in complaints.as_json() if each["code"] != BAD]
    return accepted, [each | {"line": _place(said, each["line"])} for each in kept]


def _inventory(
    organization: Organization,
    cluster: Cluster,
    said: dict[str, Any],
    complaints: Complaints,
    at: datetime,
) -> int:
    report = inventory_json.inventory_report(said=said, complaints=complaints)
    return record_inventory(
        organization=organization, cluster=cluster, report=report, complaints=complaints, now=at
    )


def _sessions(
    organization: Organization,
    cluster: Cluster,
    said: dict[str, Any],
    complaints: Complaints,
    at: datetime,
) -> int:
    reports = scheduler_json.session_reports(said=said, complaints=complaints)
    return record_sessions(
        reporter=organization,
        reports=[(cluster, report) for _, report in reports],
        complaints=complaints,
        now=at,
    )


def _place(said: dict[str, Any], line: object) -> object:
    """Return where an event stood in the body that was sent."""
    places = said.get("places", ())
    return places[line - 1] if isinstance(line, int) and 0 < line <= len(places) else line


RECORDERS = {SubmissionKind.INVENTORY: _inventory, SubmissionKind.SESSION_EVENTS: _sessions}
