"""What every receiver does first and last: method, credential, parameters, and how it refuses."""

import logging
from collections.abc import Callable
from functools import wraps

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from psycopg.errors import LockNotAvailable, QueryCanceled

from apps.api.problems import problem
from apps.api.receivers.requests.authentication import Push, authenticate
from apps.api.receivers.requests.errors import (
    REFUSALS,
    WAIT,
    BadParameters,
    BodyWithheld,
    refused,
    withheld_answer,
)
from apps.diagnosis.spelling import shown, wrong_parameters
from apps.telemetry.limits.push_turns import turn
from apps.tenancy.database.connections import return_connection

logger = logging.getLogger(__name__)

BUSY = (
    "What this writes is being written by others, or took too long; nothing of it was stored. Send "
    "it again after Retry-After, in smaller batches."
)

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
                return problem(
                    status=405,
                    code="method_not_allowed",
                    detail="Send it with POST.",
                    headers={"Allow": "POST"},
                )
            return _answered(request, handle, check)

        return view

    return made


def _answered(request: HttpRequest, handle: Receiver, check: Check) -> HttpResponse:
    try:
        return _handled(request, handle, check)
    except BodyWithheld as error:
        return withheld_answer(error.withheld)
    except tuple(REFUSALS) as error:
        return refused(error)
    except (OperationalError, InterfaceError) as error:
        return _unanswered(error, path=request.path)


def _handled(request: HttpRequest, handle: Receiver, check: Check) -> HttpResponse:
    push = authenticate(request)
    check(request)
    return_connection()  # whoever waits or decodes needs none
    with turn(push.organization.pk):
        return handle(request, push)


def _unanswered(error: Exception, *, path: str) -> HttpResponse:
    if isinstance(error.__cause__, LockNotAvailable | QueryCanceled):
        return problem(status=429, code="busy", detail=BUSY, headers=WAIT)
    logger.warning("database.away", extra={"path": path})
    return problem(
        status=503,
        code="unavailable",
        detail="Nothing was stored; send it again.",
        headers=WAIT,
    )
