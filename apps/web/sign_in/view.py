"""The door: signing in and out, and where one goes from there."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.tenancy.models import User
from apps.tenancy.people.memberships import first_organization_of
from apps.tenancy.sign_in import password
from apps.tenancy.sign_in.passkeys import are_possible
from apps.tenancy.single_sign_on.remembered_provider import remembered
from apps.web.shell.render import theme_of


@require_GET
@never_cache
def start(request: HttpRequest) -> HttpResponse:
    """Lead to the first organization of whoever is signed in, others to the door."""
    if not isinstance(request.user, User):
        return redirect("web:sign_in")
    place = first_organization_of(user=request.user)
    if place:
        return redirect("web:home", place.slug)
    return render(request, "web/sign_in/no_organization.html", {"theme": theme_of(request)})


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def sign_in(request: HttpRequest) -> HttpResponse:
    """Ask for name and password; lead to where the reader wanted to go."""
    wanted = request.POST.get("next", request.GET.get("next", ""))
    if request.method != "POST":
        if isinstance(request.user, User):
            return redirect(password.safe_next(request=request, wanted=wanted))
        return _show(request, wanted=wanted)
    username = request.POST.get("username", "")
    outcome = password.sign_in(
        request=request,
        username=username,
        password=request.POST.get("password", ""),
        wanted=wanted,
        now=timezone.now(),
    )
    if isinstance(outcome, HttpResponse):
        return outcome
    is_locked = outcome is password.SignInOutcome.LOCKED
    problem = (
        _("Too many failed attempts. Wait a quarter of an hour, then try again.")
        if is_locked
        else _("Name or password is wrong.")
    )
    status = 429 if is_locked else 401
    return _show(request, wanted=wanted, problem=problem, username=username, status=status)


def refuse_passkey(request: HttpRequest) -> HttpResponse:
    """Show the door to whose passkey opens nothing here, and say no more of why."""
    problem = _("This passkey signs nobody in here. Sign in with your password.")
    return _show(request, wanted=request.POST.get("next", ""), problem=problem, status=401)


def _show(
    request: HttpRequest, *, wanted: str, problem: str = "", username: str = "", status: int = 200
) -> HttpResponse:
    found = remembered(request=request)
    values = {
        "problem": problem,
        "username": username,
        "next": wanted,
        "has_passkeys": are_possible(),
        # The provider that this browser used last, if it used one.
        "code": found.code if found else "",
        "organization": found.organization.name if found else "",
        "theme": theme_of(request),
    }
    return render(request, "web/sign_in/page.html", values, status=status)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session."""
    password.sign_out(request=request, now=timezone.now())
    messages.info(request, _("You are signed out."))
    return redirect("web:sign_in")
