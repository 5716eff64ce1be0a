"""Refusals of this interface as problem details with a stable code."""

from collections.abc import Iterator
from typing import Any

from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from apps.api.idempotency import BadKey
from apps.api.problems import MEDIA_TYPE, document
from apps.diagnosis.spelling import sayable
from apps.fleet.parties.leave_cluster import LastOperator
from apps.fleet.parties.role_proposals import (
    HasPart,
    LacksPart,
    OwnOffer,
    OwnPart,
    SlugBad,
    TooManyOpen,
)
from apps.incidents.evidence_requests.acts import RequestMoved
from apps.incidents.evidence_requests.answers.answers import FindingsMoved
from apps.incidents.evidence_requests.request_terms import BadRequestTerms
from apps.incidents.refusals import (
    AlreadyChanged,
    AlreadyHandled,
    AudienceUnknown,
    BadOpinion,
    BadStep,
    HandOverOpen,
    IncidentNotOpen,
    MentionUnread,
    ReplyMisplaced,
    ResolutionProposed,
    TextMissing,
    TooManyAnnotations,
    VerdictMoved,
)
from apps.notifications.delivery.delivery_log import BeingSent, NotConfirmed, StillWaiting, TooSoon
from apps.notifications.preferences.preference_forms import BadChoice
from apps.reliability.reports.issue import ReportMoved, TooManyReports
from apps.reliability.reports.schedules import BadSchedule
from apps.reliability.reports.signatures import DissentUnexplained, SignedTooOften
from apps.sharing.agreement_acts import NotNow
from apps.sharing.bundles.bundle_contents import BadBundleChoice
from apps.sharing.bundles.bundle_states import BundleGone, BundleMoved, RecipientLeft
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.sharing.terms import BadTerms
from apps.telemetry.metrics.source_settings import BadSource
from apps.tenancy.access import NotFound, SecondFactorMissing
from apps.tenancy.idempotency_keys import OtherRequest, StillRunning
from apps.tenancy.people.account import BadAccount
from apps.tenancy.people.members import LastAdmin
from apps.tenancy.tokens import TokenNameTaken

# Situation → status, code, what to do.
KNOWN: dict[type[Exception], tuple[int, str, str]] = {
    NotFound: (404, "not_found", "There is nothing here for this credential."),
    SecondFactorMissing: (
        403,
        "second_factor_required",
        "This organization requires a second factor: set one up under /account/second-factor/.",
    ),
    AlreadyHandled: (409, "already_handled", "Somebody was faster; read it again."),
    HandOverOpen: (
        409,
        "hand_over_open",
        "A hand-over waits for its answer; take it back first.",
    ),
    IncidentNotOpen: (409, "not_open", "The incident is not open; reopen it first."),
    ResolutionProposed: (
        409,
        "resolution_proposed",
        "Your proposal to resolve it waits for an answer already.",
    ),
    VerdictMoved: (409, "verdict_moved", "The verdict changed meanwhile; look at it again."),
    AlreadyChanged: (409, "already_changed", "Somebody wrote a newer version; read it again."),
    TooManyAnnotations: (
        409,
        "too_many_annotations",
        "Your organization has 1,000 annotations on this incident, the most there may be.",
    ),
    TokenNameTaken: (
        409,
        "name_taken",
        "There is or was a token of this name; choose another one.",
    ),
    LastOperator: (409, "last_operator", "Nobody else runs the cluster; offer that part first."),
    HasPart: (409, "has_part", "The organization takes this part already."),
    LacksPart: (409, "lacks_part", "The organization does not take this part."),
    OwnPart: (409, "own_part", "Leave a part of your own instead."),
    TooManyOpen: (409, "too_many_open", "Too many wait for an answer; take some back first."),
    RequestMoved: (409, "request_moved", "The request stands otherwise meanwhile; read it again."),
    FindingsMoved: (
        409,
        "findings_moved",
        "The data says something else meanwhile; read what can be stated again.",
    ),
    NotNow: (409, "agreement_moved", "The agreement stands otherwise meanwhile; read it again."),
    LedgerUnavailable: (
        503,
        "ledger_unavailable",
        "What others show can't be written into their ledgers now, so nothing is sent; try later.",
    ),
    BundleMoved: (409, "bundle_moved", "The bundle stands otherwise meanwhile; read it again."),
    BundleGone: (410, "bundle_gone", "The bundle was taken back, or its time is over."),
    RecipientLeft: (409, "recipient_left", "A recipient takes no part in the cluster any more."),
    LastAdmin: (409, "last_admin", "Somebody has to manage it: make another member an admin."),
    BeingSent: (409, "being_sent", "It is being sent right now."),
    StillWaiting: (409, "still_waiting", "A test is on its way already."),
    TooSoon: (409, "too_soon", "A test went there within the last minute."),
    NotConfirmed: (409, "not_confirmed", "The address is not confirmed yet."),
    TooManyReports: (409, "too_many_reports", "100 reports a day are issued; come back tomorrow."),
    ReportMoved: (409, "report_moved", "There is a newer revision meanwhile; read that one."),
    SignedTooOften: (409, "signed_too_often", "A party says no more than 20 things of a revision."),
    DissentUnexplained: (400, "reason_missing", "A dissent says why, in 2,000 characters at most."),
    BadKey: (400, "bad_idempotency_key", "Idempotency-Key: 1 to 200 printable characters."),
    StillRunning: (409, "still_running", "The first request with this key has no answer yet."),
    OtherRequest: (422, "other_request", "This Idempotency-Key was used for another request."),
}

FIELDS: dict[type[Exception], str] = {
    AudienceUnknown: "audience",
    MentionUnread: "text",
    ReplyMisplaced: "answers",
    OwnOffer: "organization",
    SlugBad: "organization",
    DissentUnexplained: "reason",
    TextMissing: "text",
}


def problem(*, status: int, code: str, detail: str, **more: Any) -> Response:
    """Return a refusal as this interface's views answer."""
    body = document(status=status, code=code, detail=detail, **more)
    return Response(body, status=status, content_type=MEDIA_TYPE)


def refused_with(situation: type[Exception], **more: Any) -> Response:
    """Return the refusal of a known situation with what helps to go on."""
    status, code, detail = KNOWN[situation]
    return problem(status=status, code=code, detail=detail, **more)


def answer_to(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the problem document of an error, None for one that nobody foresaw."""
    if type(error) in KNOWN:
        status, code, detail = KNOWN[type(error)]
        return problem(status=status, code=code, detail=detail)
    if isinstance(
        error,
        BadSource | BadOpinion | BadStep | BadRequestTerms | BadChoice | BadAccount | BadSchedule,
    ):
        return _invalid([(error.field, str(error))])
    if isinstance(error, BadTerms | BadBundleChoice):
        return _invalid([("", str(error))])
    if type(error) in FIELDS:
        return _invalid([(FIELDS[type(error)], str(error))])
    answer = exception_handler(error, context)
    return answer and _from_framework(error, answer)


def _from_framework(error: Exception, answer: Response) -> Response:
    if isinstance(error, exceptions.ValidationError):
        return _invalid(list(_fields(error.detail)))
    code = "error"
    if isinstance(error, exceptions.APIException):
        code = str(error.get_codes()) if isinstance(error.detail, str) else error.default_code
    if answer.status_code == 404:
        return answer_to(NotFound(), {}) or answer
    made = problem(status=answer.status_code, code=code, detail=str(answer.data.get("detail", "")))
    for name in ("WWW-Authenticate", "Retry-After"):
        if name in answer:
            made[name] = answer[name]
    return made


def _invalid(fields: list[tuple[str, str]]) -> Response:
    # Of choices, times and keys also the framework's own words quote what was sent.
    fields = [(sayable(text=name), sayable(text=words)) for name, words in fields]
    detail = "; ".join(f"{name}: {words}" if name else words for name, words in fields)
    return problem(
        status=400,
        code="invalid",
        detail=detail[:1000],
        errors=[{"field": name, "detail": words} for name, words in fields],
    )


def _fields(detail: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(detail, dict):
        for key, inner in detail.items():
            yield from _fields(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(detail, list):
        for inner in detail:
            yield from _fields(inner, name)
    else:
        yield name.removesuffix(".non_field_errors"), str(detail)
