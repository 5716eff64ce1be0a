"""What is answered to who sends more than can be carried out while it waits."""

from collections.abc import Iterable

from django.conf import settings
from django.http import JsonResponse

from apps.api.receivers.requests.authentication import Push
from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.submission_kinds import SubmissionKind
from apps.telemetry.submissions.accept import accept
from apps.telemetry.submissions.pieces import SubmissionPiece
from apps.tenancy.scope import organization_scope


def answer_submission(
    *,
    push: Push,
    kind: SubmissionKind,
    parts: Iterable[tuple[int, SubmissionPiece]],
    accepted: int,
    complaints: Complaints,
) -> JsonResponse:
    """Store the pieces and answer 202: they are durable, and `url` says what becomes of them."""
    with organization_scope(push.organization.pk):
        public_id = accept(
            organization_id=push.organization.pk, kind=kind, parts=parts, now=push.at
        )
    path = f"/api/v1/o/{push.organization.slug}/submissions/{public_id}/"
    answer = {
        "accepted": accepted,
        "rejected": complaints.as_json(),
        "url": settings.PORTAL_BASE_URL + path,
    }
    return JsonResponse(answer, status=202)
