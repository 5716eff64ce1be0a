"""POST /api/v1/session-events: how schedulers tell of starts, ends, hosts and ranks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse

from apps.api.receivers.answers import AcceptedForLaterSerializer, AcceptedSerializer
from apps.api.receivers.description import (
    JSON,
    LATER,
    MEBIBYTE,
    SLIPS,
    described,
    example,
    response,
)
from apps.api.receivers.requests.authentication import Push, cluster_of
from apps.api.receivers.requests.bodies import LIMIT_BYTES, json_body
from apps.api.receivers.requests.errors import ClusterMissing, UnknownCluster
from apps.api.receivers.requests.receiver import receiver, takes
from apps.api.receivers.requests.submission import answer_submission
from apps.diagnosis.spelling import one_of, shown
from apps.fleet.authority.rules import PartRefused
from apps.fleet.models import Cluster
from apps.fleet.sessions.session_reports import SessionReport
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable
from apps.telemetry.formats.schedulers import scheduler_exports, scheduler_json
from apps.telemetry.scheduler.refused_reports import note_refused
from apps.telemetry.scheduler.reports import record_sessions, require_reporter
from apps.telemetry.submission_kinds import SubmissionKind
from apps.telemetry.submissions import pieces

# Of a body in a form of schedulers: which, and what that form does not say itself.
PARAMETERS = ("format", "tz", "cluster", "project")
EXAMPLE = {
    "session": "job-1",
    "scheduler": "slurm",
    "state": "running",
    "at": "2025-11-21T02:00:00Z",
    "hosts": ["gpu017"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PushedSessionEvent:
    """One event: where it stood in the body, what it is of, and what it says."""

    place: int
    cluster: Cluster
    report: SessionReport
    said: Any


@described(
    operation="push_session_events",
    text=f"How a scheduler tells of starts and ends; one event or several, at most "
    f"{LIMIT_BYTES // MEBIBYTE} MiB. More than {pieces.EVENTS_AT_ONCE} are carried out after the "
    f"answer, which is 202 then. With `format` the body is what a scheduler exports. {SLIPS}",
    takes={JSON: example(EXAMPLE)},
    parameters=PARAMETERS,
    answers={
        200: response(AcceptedSerializer),
        202: response(AcceptedForLaterSerializer, text=LATER),
    },
)
@receiver(takes(*PARAMETERS))
def push(request: HttpRequest, push: Push) -> HttpResponse:
    """Record events, or keep many for a worker; answer how many, and what was wrong with which."""
    complaints = Complaints()
    said = _said(request, complaints)
    try:
        pieces.require_size(said=said)
        events = _events(push, said, complaints)
        answer = _recorded(push, said, events, complaints)
    except (NothingUsable, UnknownCluster, ClusterMissing, PartRefused) as error:
        _note(push, count=1, why=str(error) or "The event names none of the token's clusters.")
        raise
    if complaints.count:
        _note(push, count=complaints.count, why=complaints.kept[-1].detail)
    return answer


def _said(request: HttpRequest, complaints: Complaints) -> Mapping[str, Any]:
    """Return the events of a body, of a form of schedulers where the address names one."""
    asked = {name: request.GET.get(name, "") for name in PARAMETERS}
    form = asked["format"]
    if not form:
        if any(asked.values()):
            raise NothingUsable("tz, cluster and project belong to a `format`")
        return scheduler_json.document(body=json_body(request))
    if form not in scheduler_exports.FORMATS:
        known = one_of(known=scheduler_exports.FORMATS)
        raise NothingUsable(f"there is no format `{shown(word=form)}`; {known}")
    options = scheduler_exports.ExportOptions(
        cluster=asked["cluster"], project=asked["project"], zone=asked["tz"]
    )
    return scheduler_exports.events_of(
        body=json_body(request), form=form, options=options, complaints=complaints
    )


def _recorded(
    push: Push,
    said: Mapping[str, Any],
    events: Sequence[PushedSessionEvent],
    complaints: Complaints,
) -> HttpResponse:
    reports = [(each.cluster, each.report) for each in events]
    if not events or pieces.is_small(kind=SubmissionKind.SESSION_EVENTS, said=said):
        accepted = record_sessions(
            reporter=push.organization, reports=reports, complaints=complaints, now=push.at
        )
        if not accepted and complaints.count:
            raise _refusal(complaints)
        return JsonResponse({"accepted": accepted, "rejected": complaints.as_json()})
    require_reporter(reporter=push.organization, reports=reports, now=push.at)
    by_cluster: dict[int, list[tuple[int, Mapping[str, Any]]]] = {}
    for each in events:
        by_cluster.setdefault(each.cluster.pk, []).append((each.place, each.said))
    return answer_submission(
        push=push,
        kind=SubmissionKind.SESSION_EVENTS,
        parts=[
            (cluster_id, part)
            for cluster_id, found in sorted(by_cluster.items())
            for part in pieces.parts_of_events(events=found)
        ],
        accepted=len(events),
        complaints=complaints,
    )


def _refusal(complaints: Complaints) -> Exception:
    first = complaints.kept[0]
    # Not "come back later": whoever sends them in order would send nothing else till midnight.
    return NothingUsable(first.detail)


def _events(
    push: Push, said: Mapping[str, Any], complaints: Complaints
) -> list[PushedSessionEvent]:
    """Return what can be read of the events; a cluster is looked up once for each name."""
    events = said.get("events", [said])
    if not isinstance(events, list):
        raise NothingUsable("`events` must be a list")
    if "events" in said:
        scheduler_json.check_envelope(said=said)
    clusters: dict[str, Cluster] = {}
    found: list[PushedSessionEvent] = []
    for place, each in enumerate(events, start=1):
        own = Complaints()
        for named, report in scheduler_json.session_reports(
            said={"events": [each]}, complaints=own
        ):
            if named not in clusters:
                clusters[named] = _cluster(push, named)
            found.append(
                PushedSessionEvent(place=place, cluster=clusters[named], report=report, said=each)
            )
        for wrong in own.kept:
            complaints.add(line=place, code=wrong.code, detail=wrong.detail)
    return found


def _note(push: Push, *, count: int, why: str) -> None:
    note_refused(organization_id=push.organization.pk, count=count, why=why, now=push.at)


def _cluster(push: Push, named: str) -> Cluster:
    found = cluster_of(push=push, named=named)
    if found is None:
        raise UnknownCluster
    return found
