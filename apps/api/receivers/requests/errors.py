"""Why a push is refused, and what is answered: a status, a stable code, what to do about it."""

from collections.abc import Sequence

from django.core.exceptions import RequestDataTooBig, TooManyFilesSent
from django.http import HttpResponse
from django.http.multipartparser import MultiPartParserError

from apps.api.problems import problem
from apps.diagnosis.spelling import meant
from apps.fleet.authority.rules import PartRefused
from apps.fleet.models import Cluster
from apps.telemetry.formats.labels import BadLabels
from apps.telemetry.formats.lines.complaints import Archive, NoText, NothingUsable, TooBig
from apps.telemetry.limits.push_turns import TooManyAtOnce
from apps.telemetry.limits.storage_limits import DiskFull, OverQuota, StorageFull
from apps.telemetry.samples.accept import SourceRefused
from apps.tenancy.credentials import (
    UNREADABLE,
    CredentialRefused,
    ScopeMissing,
    TokenUnreadable,
)
from apps.tenancy.refused_body import Withheld

RETRY_AFTER_SECONDS = 5
NO_SUCH_CLUSTER = "there is no such cluster for this credential"


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


def refused(error: Exception) -> HttpResponse:
    """Return the answer to a push that one of `REFUSALS` ended."""
    kind = next(each for each in type(error).__mro__ if each in REFUSALS)
    status, code, detail, headers = REFUSALS[kind]
    return problem(status=status, code=code, detail=detail or str(error), headers=headers)


def withheld_answer(withheld: Withheld) -> HttpResponse:
    """Return the answer to a push whose body the edge did not read."""
    after = withheld.retry_after
    headers = {"Retry-After": str(after)} if after else {}
    return problem(
        status=withheld.status, code=withheld.code, detail=withheld.detail, headers=headers
    )


WAIT = {"Retry-After": str(RETRY_AFTER_SECONDS)}
WAIT_LONGER = {"Retry-After": "60"}  # room is made by people, or by the next day
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="portal", Basic realm="portal"'}
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
