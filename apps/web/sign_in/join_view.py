"""A link that works once: become a member with a new account or an old one, or set a password."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from apps.tenancy.models import Invitation, User
from apps.tenancy.people import link_acceptance
from apps.tenancy.people.account import BadAccount, NewAccount
from apps.tenancy.people.link_acceptance import LinkGone, MemberAlready, TooManyNames
from apps.tenancy.sign_in import link
from apps.tenancy.single_sign_on.provider_lookup import link_for_address
from apps.web.shell.render import theme_of

TYPED = ("username", "name", "email")


@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Show what the link is for, and do it when asked. Looking does not use it up."""
    now = timezone.now()
    try:
        invitation = link_acceptance.look_at(code=code, now=now)
        return _answer(request, invitation, code=code, now=now)
    except LinkGone:
        return render(
            request, "web/sign_in/link_expired.html", {"theme": theme_of(request)}, status=404
        )


def _answer(
    request: HttpRequest, invitation: Invitation, *, code: str, now: datetime
) -> HttpResponse:
    if request.method != "POST":
        return _ask(request, invitation, code=code)
    try:
        return _follow(request, invitation, code=code, now=now)
    except MemberAlready:
        messages.warning(request, _("You belong to it already; the link is still unused."))
    except BadAccount as error:
        problems = {error.field: str(error)}
        status = 429 if isinstance(error, TooManyNames) else 422
        return _ask(request, invitation, code=code, problems=problems, status=status)
    return redirect("web:home", invitation.organization.slug)


def _follow(
    request: HttpRequest, invitation: Invitation, *, code: str, now: datetime
) -> HttpResponse:
    home = reverse("web:home", args=[invitation.organization.slug])
    if invitation.user is None and isinstance(request.user, User):
        link.join_as(request=request, code=code, user=request.user, now=now)
        return redirect(home)
    password = request.POST.get("password", "")
    if password != request.POST.get("again", ""):
        raise BadAccount("again", _("The two are not the same."))
    if invitation.user is not None:
        return link.sign_in_with_password(
            request=request, code=code, password=password, wanted=home, now=now
        )
    account = NewAccount(**{name: request.POST.get(name, "") for name in TYPED}, password=password)
    return link.sign_in_as_new(request=request, code=code, account=account, wanted=home, now=now)


def _ask(
    request: HttpRequest,
    invitation: Invitation,
    *,
    code: str,
    problems: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    first = {"username": "", "name": invitation.name, "email": invitation.email}
    typed = {name: request.POST.get(name, first[name]) for name in TYPED}
    values = {
        "organization": invitation.organization.name,
        "person": invitation.user.get_username() if invitation.user else "",
        "reader": request.user.get_username() if isinstance(request.user, User) else "",
        "code": code,
        "invited": invitation.email,
        "provider": _provider_for(invitation),
        "typed": typed,
        "problems": problems or {},
        "theme": theme_of(request),
    }
    return render(request, "web/sign_in/join.html", values, status=status)


def _provider_for(invitation: Invitation) -> str:
    """Return the code of the provider that signs the invited address in, if there is one."""
    if invitation.user is not None:
        return ""
    return link_for_address(organization=invitation.organization, email=invitation.email)
