"""Where a person is signed in, and ending it there."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.diagnosis.input_values import whole_number
from apps.tenancy.models import User
from apps.tenancy.sign_in.open_sessions import end_others, sessions_of
from apps.web.shell.render import theme_of


@require_GET
@never_cache
@login_required
def sessions(request: HttpRequest) -> HttpResponse:
    """List the browsers that are signed in as the reader."""
    values = {
        "sessions": sessions_of(request=request, user=cast("User", request.user)),
        "theme": theme_of(request),
    }
    return render(request, "web/sign_in/sessions.html", values)


@require_POST
@login_required
def end(request: HttpRequest) -> HttpResponse:
    """End another session of the reader, or all others."""
    named = request.POST.get("session", "")
    only = None if named == "others" else whole_number(named) or 0
    user = cast("User", request.user)
    end_others(request=request, user=user, only=only, now=timezone.now())
    return redirect("usersessions_list")
