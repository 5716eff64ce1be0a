"""The organization from the URL path: who asks inside which one, and the scope around the page."""

import logging
import re
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone
from django.views.defaults import page_not_found

from apps.tenancy.access import Actor, NotFound, SecondFactorMissing, actor_for_user
from apps.tenancy.audit.audit_log import remote_address_of
from apps.tenancy.audit.refusals import refuse_actor, refuse_person
from apps.tenancy.models import Organization, User
from apps.tenancy.outbound.refusal_audit import watched
from apps.tenancy.people.memberships import organizations_of
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)
Handler = Callable[[HttpRequest], HttpResponseBase]
View = TypeVar("View", bound=Callable[..., HttpResponse])
PAGES = re.compile(r"^/o/(?P<slug>[^/]+)(?:/|$)")


class OrganizationRequest(HttpRequest):
    """A request for a page of one organization."""

    actor: Actor
    user: User


class Undone(Exception):
    """Carries an answer out of a scope whose writes must not stay."""

    def __init__(self, response: HttpResponseBase) -> None:
        self.response = response


def undo_if_failed(response: HttpResponseBase) -> HttpResponseBase:
    """Return the answer of a request that went well; raise Undone for any other.

    Django makes answers of exceptions before they reach a middleware: only the status tells.
    """
    if response.status_code >= 400 and not getattr(response, "keeps_writes", False):
        raise Undone(response)
    return response


def with_writes_kept(response: HttpResponse) -> HttpResponse:
    """Let what was written stay beside a refusal whose page shows what others hold.

    That they were shown it is in their ledger, and stays there. What was refused has to be undone
    before.
    """
    response.keeps_writes = True  # type: ignore[attr-defined]  # read where the scope is closed
    return response


class OrganizationMiddleware:
    """Hold the organization's scope around the view and the rendering of its template.

    The interface for machines resolves its credentials itself and opens its own scope.
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer outside organizations as usual; inside, as the actor or not at all."""
        _refuse_nul(request)
        found = PAGES.match(request.path_info)
        if found is None:
            return self.get_response(request)
        if not isinstance(request.user, User):
            return _to_sign_in(request)
        try:
            actor = actor_for_user(user=request.user, slug=found["slug"])
        except SecondFactorMissing as missing:
            return _ask_for_second_factor(request, request.user, missing.organization)
        except NotFound:
            _refused(request, request.user)
            raise Http404 from None
        request.actor = actor  # type: ignore[attr-defined]  # see OrganizationRequest
        now = timezone.now()  # noqa: TID251  a door
        opens_scope = request.method in _opens_scope(request)
        with watched(actor=actor, request=request, now=now):
            response = self.get_response(request) if opens_scope else self._in_scope(request, actor)
        response.headers.setdefault("Cache-Control", "private, no-store")
        if response.status_code == 404:
            refuse_actor(
                actor=actor,
                subject=request.path,
                remote_address=remote_address_of(request=request),
                error=getattr(request, "refusal", None),
                now=now,
            )
        return response

    def _in_scope(self, request: HttpRequest, actor: Actor) -> HttpResponseBase:
        try:
            with organization_scope(actor.organization.pk):
                return undo_if_failed(self.get_response(request))
        except Undone as undone:
            return undone.response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Turn what a door refused into the page for things that are not there."""
        if isinstance(error, NotFound):
            request.refusal = error  # type: ignore[attr-defined]  # read where the scope is closed
            return page_not_found(request, error)
        return None


def without_scope(view: View) -> View:
    """Let a view open the scope itself: it does something that takes long before, in none."""
    view.opens_scope = frozenset({"POST"})  # type: ignore[attr-defined]
    return view


def without_any_scope(view: View) -> View:
    """Let a view open scopes itself however it is asked: it waits for a server between them."""
    view.opens_scope = frozenset({"GET", "HEAD", "POST"})  # type: ignore[attr-defined]
    return view


def _opens_scope(request: HttpRequest) -> frozenset[str]:
    """Return the methods for which a view opens its scopes itself."""
    try:
        found: frozenset[str] = getattr(resolve(request.path_info).func, "opens_scope", frozenset())
    except Resolver404:
        return frozenset()
    return found


def _refuse_nul(request: HttpRequest) -> None:
    # PostgreSQL takes no NUL in text, and nothing that exists has one in its name.
    if "\x00" in request.path_info:
        raise Http404
    if "%00" in request.META.get("QUERY_STRING", ""):
        raise BadRequest("a NUL is no text")


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    # The same for organizations that exist and those that don't.
    if request.method not in {"GET", "HEAD"}:
        raise Http404
    wanted = urlencode({"next": request.get_full_path()})
    target = f"{settings.LOGIN_URL}?{wanted}"
    if request.headers.get("HX-Request"):
        return HttpResponse(status=204, headers={"HX-Redirect": settings.LOGIN_URL})
    if "text/event-stream" in request.headers.get("Accept", ""):
        # It would follow to the page, whose cookie then is another than that of an open form.
        return HttpResponse(status=204)
    return HttpResponseRedirect(target)


def _ask_for_second_factor(
    request: HttpRequest, user: User, organization: Organization
) -> HttpResponse:
    # Said to members only: for others the organization is not there.
    is_script, is_read = request.headers.get("HX-Request"), request.method in {"GET", "HEAD"}
    if is_script and is_read:
        return HttpResponse(status=204, headers={"HX-Redirect": request.path_info})
    others = [each for each in organizations_of(user=user) if not each.requires_second_factor]
    values = {"organization": organization.name, "others": others}
    answer = render(request, "second_factor_required.html", values, status=403)
    answer.headers["Cache-Control"] = "private, no-store"
    if is_script:  # what it sent was not done: it says so, and leads to where a factor is set up
        answer.headers["HX-Redirect"] = reverse("mfa_index")
    return answer


def _refused(request: HttpRequest, user: User) -> None:
    refuse_person(
        user=user,
        subject=request.path,
        remote_address=remote_address_of(request=request),
        now=timezone.now(),  # noqa: TID251  a door
    )
