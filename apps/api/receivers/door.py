"""What every receiver does first and last: method, credential, cluster, and how it refuses."""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFilesSent
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from psycopg.errors import LockNotAvailable, QueryCanceled

from apps.api.v1.base_view import presented_token
from apps.diagnosis.input_values import MOST_ROWS, whole_number
from apps.diagnosis.spelling import meant, sayable, shown, wrong_parameters
from apps.fleet.access import clusters_of_token
from apps.fleet.authority.rules import PartRefused
from apps.fleet.models import Cluster
from apps.telemetry.formats.labels import BadLabels
from apps.telemetry.formats.lines import Archive, NoText, NothingUsable, Piece, TooBig
from apps.telemetry.limits.push_turns import TooManyAtOnce, turn
from apps.telemetry.limits.storage_limits import DiskFull, OverQuota, StorageFull, require_disk
from apps.telemetry.samples.accept import SourceRefused
from apps.tenancy.access import actor_for_token
from apps.tenancy.credentials import (
    UNREADABLE,
    CredentialRefused,
    ScopeMissing,
    TokenUnreadable,
    verify,
)
from apps.tenancy.database.connections import return_connection
from apps.tenancy.models import Organization, TokenScope
from apps.tenancy.refused_body import Withheld, withheld_of

logger = logging.getLogger(__name__)

RETRY_AFTER_SECONDS = 5
BUSY = (
    "What this writes is being written by others, or took too long; nothing of it was stored. Send "
    "it again after Retry-After, in smaller batches."
)
NO_SUCH_CLUSTER = "there is no such cluster for this credential"


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """Who pushes, when, and where the credential may write."""

    organization: Organization
    clusters: tuple[int, ...]
    at: datetime


class UnknownCluster(Exception):
    """The cluster is not there, or not for this credential. The two look the same on purpose."""

    def __init__(self, clusters: Sequence[Cluster] = (), *, named: str = "") -> None:
        known = [cluster.slug for cluster in clusters]
        its = f"writes to: {', '.join(known)}" if known else "is bound to none"
        hint = meant(word=named, known=known) or "."
        super().__init__(f"There is no such cluster for this credential; this token {its}{hint}")


class NoToken(CredentialRefused):
    """Nothing was sent that could be a token."""


class UnsupportedMedia(Exception):
    """A push in a form or version that is not taken; senders that know others fall back."""


class BodyWithheld(Exception):
    """The body was not read; `withheld` says why."""

    def __init__(self, withheld: Withheld) -> None:
        super().__init__(withheld.detail)
        self.withheld = withheld


class ClusterMissing(Exception):
    """The credential may write to several clusters, and the push names none."""


class BadParameters(Exception):
    """What stands behind the question mark is not known here, or not usable."""


Receiver = Callable[[HttpRequest, Push], HttpResponse]
View = Callable[[HttpRequest], HttpResponse]
Check = Callable[[HttpRequest], None]


def takes(*names: str) -> Check:
    """Return the check that refuses every parameter but these.

    Agents add none of their own: what stands in an address was written by whoever configured them.
    What they do add, labels and fields of their formats, is no parameter.
    """

    def check(request: HttpRequest) -> None:
        wrong = wrong_parameters(given=dict(request.GET.lists()), known=names)
        if wrong:
            told = (f"`{shown(word=name)}`: {words}" for name, words in wrong.items())
            raise BadParameters("; ".join(told)[:1000])

    return check


def receiver(check: Check) -> Callable[[Receiver], View]:
    """Make a view of a receiver: POST only, an ingest token, problem details for refusals."""

    def made(handle: Receiver) -> View:
        @csrf_exempt
        @wraps(handle)
        def view(request: HttpRequest) -> HttpResponse:
            if request.method != "POST":
                return problem(405, "method_not_allowed", "Send it with POST.", Allow="POST")
            return _answered(request, handle, check)

        return view

    return made


def _answered(request: HttpRequest, handle: Receiver, check: Check) -> HttpResponse:
    try:
        return _handled(request, handle, check)
    except BodyWithheld as error:
        return _withheld(error.withheld)
    except tuple(REFUSALS) as error:
        return _refusal(error)
    except (OperationalError, InterfaceError) as error:
        return _unanswered(error, path=request.path)


def _handled(request: HttpRequest, handle: Receiver, check: Check) -> HttpResponse:
    push = _push(request)
    check(request)
    return_connection()  # whoever waits or decodes needs none
    with turn(push.organization.pk):
        return handle(request, push)


def _unanswered(error: Exception, *, path: str) -> HttpResponse:
    if isinstance(error.__cause__, LockNotAvailable | QueryCanceled):
        return problem(429, "busy", BUSY, **WAIT)
    logger.warning("database.away", extra={"path": path})
    return problem(503, "unavailable", "Nothing was stored; send it again.", **WAIT)


def cluster_of(*, push: Push, named: str) -> Cluster | None:
    """Return the cluster a push belongs to: the named one, or the only one the token may write to.

    None: the token is bound to no cluster. Raises UnknownCluster, ClusterMissing.
    """
    own = clusters_of_token(organization_id=push.organization.pk, ids=push.clusters)
    if push.clusters and not own:
        raise UnknownCluster  # it left them all: what it goes on sending belongs nowhere
    if named:
        found = next((cluster for cluster in own if cluster.slug == named), None)
        if found is None:
            raise UnknownCluster(own, named=named)
        return found
    if len(push.clusters) > 1:
        raise ClusterMissing
    return own[0] if own else None


def by_cluster(
    *, push: Push, pieces: Iterable[Piece], named: str, refuse: Callable[[Piece], None]
) -> dict[Cluster | None, list[Piece]]:
    """Return the pieces by cluster; those of one that is not this token's are handed to `refuse`.

    Where no others are there, the refusal is the answer. Looks once for each name.
    """
    by_name: defaultdict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        by_name[named or piece.labels.get("cluster", "")].append(piece)
    groups: defaultdict[Cluster | None, list[Piece]] = defaultdict(list)
    refused: Exception | None = None
    for name, found in by_name.items():
        try:
            groups[cluster_of(push=push, named=name)] += found
        except (UnknownCluster, ClusterMissing) as error:
            refused = error
            for piece in found:
                refuse(piece)
    if refused is not None and not groups:
        raise refused
    return groups


def problem(status: int, code: str, detail: str, **headers: str) -> JsonResponse:
    """Return a problem document."""
    return JsonResponse(
        {
            "type": "about:blank",
            "title": TITLES[status],
            "status": status,
            "code": code,
            "detail": sayable(text=detail),
        },
        status=status,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
        content_type="application/problem+json",
    )


def _push(request: HttpRequest) -> Push:
    withheld = withheld_of(request=request)
    if withheld and not withheld.is_open:
        raise BodyWithheld(withheld)
    told = whole_number(request.META.get("CONTENT_LENGTH") or "0", most=MOST_ROWS)
    if told is None or told > settings.PORTAL_MAX_BODY_BYTES:
        raise TooBig(f"the body is larger than {settings.PORTAL_MAX_BODY_BYTES} bytes")
    now = timezone.now()
    presented = presented_token(request.headers.get("Authorization", ""))
    if presented is None:
        raise NoToken
    token = verify(presented=presented, scope=TokenScope.INGEST, now=now)
    organization = actor_for_token(token=token).organization
    request.META["portal.organization"] = organization.slug  # for the line of the log
    require_disk()
    if withheld:
        raise BodyWithheld(withheld)  # refused at the edge, and good by now
    return Push(organization=organization, clusters=tuple(token.clusters), at=now)


def _refusal(error: Exception) -> HttpResponse:
    kind = next(each for each in type(error).__mro__ if each in REFUSALS)
    status, code, detail, headers = REFUSALS[kind]
    return problem(status, code, detail or str(error), **headers)


def _withheld(withheld: Withheld) -> HttpResponse:
    after = withheld.retry_after
    headers = {"Retry_After": str(after)} if after else {}
    return problem(withheld.status, withheld.code, withheld.detail, **headers)


WAIT = {"Retry_After": str(RETRY_AFTER_SECONDS)}
WAIT_LONGER = {"Retry_After": "60"}  # room is made by people, or by the next day
CHALLENGE = {"WWW_Authenticate": 'Bearer realm="portal", Basic realm="portal"'}
TITLES = {
    400: "Bad request",
    401: "Not signed in",
    403: "Refused",
    404: "Not found",
    405: "Method not allowed",
    408: "Too slow",
    413: "Too big",
    415: "Unsupported media type",
    429: "Too many requests",
    503: "Service unavailable",
}
# Situation → status, code, what to do (or the error's own words), headers.
REFUSALS: dict[type[Exception], tuple[int, str, str, dict[str, str]]] = {
    ScopeMissing: (403, "scope_missing", "The token lacks the scope `ingest`.", {}),
    TokenUnreadable: (401, "credential_refused", UNREADABLE, CHALLENGE),
    NoToken: (
        401,
        "credential_refused",
        "No token was sent. Send it in the header Authorization, as Bearer or as Basic's password.",
        CHALLENGE,
    ),
    CredentialRefused: (
        401,
        "credential_refused",
        "The token is unknown, expired or revoked. Send it as Bearer, or as Basic's password.",
        CHALLENGE,
    ),
    UnknownCluster: (404, "not_found", "", {}),
    ClusterMissing: (
        400,
        "cluster_missing",
        "The token may write to several clusters; name one in the label `cluster`.",
        {},
    ),
    UnsupportedMedia: (415, "unsupported_media", "", {}),
    PartRefused: (403, "part_refused", "", {}),
    SourceRefused: (403, "source_refused", "", {}),
    Archive: (415, "unsupported_media", "", {}),
    NoText: (415, "unsupported_media", "", {}),
    NothingUsable: (400, "nothing_usable", "", {}),
    BadLabels: (400, "bad_labels", "", {}),
    BadParameters: (400, "bad_parameters", "", {}),
    TooBig: (413, "too_big", "", {}),
    RequestDataTooBig: (413, "too_big", "The form's fields are too big; send files as files.", {}),
    TooManyFilesSent: (413, "too_big", "Too many files at once; send fewer.", {}),
    MultiPartParserError: (400, "nothing_usable", "The multipart body can't be read.", {}),
    OverQuota: (429, "over_quota", "", WAIT),
    TooManyAtOnce: (429, "too_many_at_once", "", WAIT),
    StorageFull: (429, "storage_full", "", WAIT_LONGER),
    DiskFull: (503, "disk_full", "", WAIT_LONGER),
}
