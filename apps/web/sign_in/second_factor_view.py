"""A second factor: asked for after the password, added, confirmed, removed. allauth does the work.

Each page answers for whoever is signed in, or about to; it belongs to no organization.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from allauth.account.views import ReauthenticateView as ConfirmByPassword
from allauth.mfa.base import views as base
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth.decorators import login_required
from django.core.serializers.json import DjangoJSONEncoder
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from apps.tenancy.people.required_factor import must_keep_one
from apps.tenancy.sign_in.adapters import TOO_MANY
from apps.tenancy.sign_in.passkeys import passkeys_of
from apps.tenancy.sign_in.second_factors import one_change_at_a_time
from apps.web.shell.render import theme_of
from apps.web.sign_in.passkey_rows import passkey_row

guarded = [never_cache, sensitive_post_parameters()]


class ThemedPage:
    """A page outside organizations, in the theme that the reader chose."""

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """Add the theme to what allauth shows."""
        values: dict[str, Any] = super().get_context_data(**more)  # type: ignore[misc]
        values |= more  # some of allauth's views leave it out
        request = self.request  # type: ignore[attr-defined]  # of the view beside it
        forms = (values.get("form"), values.get("webauthn_form"))
        asked = values.get("js_data", {})
        options = asked.get("creation_options") or asked.get("request_options")
        return values | {
            "theme": theme_of(request),
            "problem": next((_problem(form) for form in forms if form and form.is_bound), ""),
            "next": request.POST.get("next", request.GET.get("next", "")),
            "alternatives": _alternatives(values.get("reauthentication_alternatives", ())),
            "options": json.dumps(options, cls=DjangoJSONEncoder) if options else "",
        }

    def render_to_response(self, context: dict[str, Any], **more: Any) -> HttpResponse:
        """Answer what was refused as such: 422, and 429 to who tries too often."""
        request = self.request  # type: ignore[attr-defined]
        if request.method == "POST" and context["problem"]:
            more["status"] = 429 if context["problem"] == str(TOO_MANY) else 422
        answer: HttpResponse = super().render_to_response(context, **more)  # type: ignore[misc]
        return answer


def _alternatives(methods: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the other ways to confirm, in the portal's words."""
    words = {
        "reauthenticate": _("By password"),
        "mfa_reauthenticate": _("By a code"),
        "mfa_reauthenticate:webauthn": _("By passkey"),
    }
    known = (each for each in methods if each["id"] in words)
    return [{"url": each["url"], "text": words[each["id"]]} for each in known]


def _problem(form: Form) -> str:
    return str(next(iter(form.errors.values()), [""])[0])


@method_decorator(guarded, name="dispatch")
class AuthenticatePage(ThemedPage, base.AuthenticateView):  # type: ignore[misc]
    """Ask for the code before anybody is signed in."""

    template_name = "web/sign_in/second_factor/authenticate.html"

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """Say what this person has, so that nothing else is asked for."""
        user = self.stage.login.user
        return super().get_context_data(**more) | {
            "has_passkey": is_mfa_enabled(user, [Authenticator.Type.WEBAUTHN]),
            "has_app": is_mfa_enabled(user, [Authenticator.Type.TOTP]),
        }


@method_decorator([*guarded, login_required], name="dispatch")
class ConfirmPasswordPage(ThemedPage, ConfirmByPassword):  # type: ignore[misc]
    """Ask for the password again before a factor changes."""

    template_name = "web/sign_in/second_factor/confirm.html"
    extra_context: ClassVar[dict[str, bool]] = {"by_password": True}


@method_decorator(guarded, name="dispatch")
class ConfirmCodePage(ThemedPage, base.ReauthenticateView):  # type: ignore[misc]
    """Ask for a code again before a factor changes: of who has no password."""

    template_name = "web/sign_in/second_factor/confirm.html"


@method_decorator(guarded, name="dispatch")
class IndexPage(ThemedPage, base.IndexView):  # type: ignore[misc]
    """Say which factors there are."""

    template_name = "web/sign_in/second_factor/index.html"

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """List the passkeys, and say whether an organization asks for a factor."""
        user = self.request.user
        return super().get_context_data(**more) | {
            "passkeys": [passkey_row(each) for each in passkeys_of(user=user)],
            "is_required": must_keep_one(user=user),
        }


@method_decorator(guarded, name="dispatch")
class AddAppPage(ThemedPage, totp.ActivateTOTPView):  # type: ignore[misc]
    """Show the code to scan, and take the first number that the app shows."""

    template_name = "web/sign_in/second_factor/add_app.html"


class RemovesFactor:
    """One removal of a person at a time: of two at once, each would see the other's factor."""

    def post(self, request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        """Remove it under lock."""
        with one_change_at_a_time(username=request.user.get_username()):
            answer: HttpResponse = super().post(request, *args, **more)  # type: ignore[misc]
            return answer


@method_decorator(guarded, name="dispatch")
class RemoveAppPage(RemovesFactor, ThemedPage, totp.DeactivateTOTPView):  # type: ignore[misc]
    """Remove the app."""

    template_name = "web/sign_in/second_factor/remove_app.html"


@method_decorator(guarded, name="dispatch")
class RecoveryCodesPage(ThemedPage, codes.ViewRecoveryCodesView):  # type: ignore[misc]
    """Show the codes, once."""

    template_name = "web/sign_in/second_factor/recovery_codes.html"


@method_decorator(guarded, name="dispatch")
class NewRecoveryCodesPage(ThemedPage, codes.GenerateRecoveryCodesView):  # type: ignore[misc]
    """Make others; the former ones open nothing."""

    template_name = "web/sign_in/second_factor/new_recovery_codes.html"


authenticate = AuthenticatePage.as_view()
confirm_password = ConfirmPasswordPage.as_view()
confirm_code = ConfirmCodePage.as_view()
index = IndexPage.as_view()
add_app = AddAppPage.as_view()
remove_app = RemoveAppPage.as_view()
recovery_codes = RecoveryCodesPage.as_view()
new_recovery_codes = NewRecoveryCodesPage.as_view()
