"""Passkeys: added, renamed, removed, and used at the door or to confirm. allauth does the work."""

from typing import Any

from allauth.core.internal import ratelimit
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import DeactivateTOTPForm as RemovePasskeyForm
from allauth.mfa.webauthn import views as webauthn
from django.conf import settings
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator

from apps.tenancy.sign_in import passkeys
from apps.tenancy.sign_in.password import safe_next
from apps.web.sign_in.second_factor_view import RemovesFactor, ThemedPage, guarded
from apps.web.sign_in.view import refuse_passkey

INDEX = reverse_lazy("mfa_index")


class OwnPasskey:
    """A page of one of the reader's passkeys, by its reference in the path."""

    request: HttpRequest
    kwargs: dict[str, Any]

    def get_object(self, queryset: Any = None) -> Authenticator:
        """Return it; those of others are not there."""
        for each in passkeys.passkeys_of(user=self.request.user):  # type: ignore[arg-type]
            if passkeys.reference_of(each) == self.kwargs["passkey"]:
                return each
        raise Http404


@method_decorator(guarded, name="dispatch")
class AddPasskeyPage(ThemedPage, webauthn.AddWebAuthnView):  # type: ignore[misc]
    """Let the browser make a passkey, and keep what it says of it."""

    template_name = "web/sign_in/second_factor/add_passkey.html"

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """Say where passkeys work, for who is elsewhere."""
        return super().get_context_data(**more) | {
            "may_alone": self.request.user.has_usable_password(),
            "are_possible": passkeys.are_possible(),
            "base_url": settings.PORTAL_BASE_URL,
            "name_limit": passkeys.NAME_LIMIT,
        }


@method_decorator(guarded, name="dispatch")
class RenamePasskeyPage(ThemedPage, OwnPasskey, webauthn.EditWebAuthnView):  # type: ignore[misc]
    """Give a passkey another name."""

    template_name = "web/sign_in/second_factor/rename_passkey.html"
    success_url = INDEX
    extra_context = {"name_limit": passkeys.NAME_LIMIT}  # noqa: RUF012  as Django declares it


@method_decorator(guarded, name="dispatch")
class RemovePasskeyPage(
    RemovesFactor,
    ThemedPage,
    OwnPasskey,
    webauthn.RemoveWebAuthnView,  # type: ignore[misc]
):
    """Remove a passkey."""

    template_name = "web/sign_in/second_factor/remove_passkey.html"
    success_url = INDEX
    form_class = RemovePasskeyForm

    def get_form_kwargs(self) -> dict[str, Any]:
        """Say at once where it has to stay, as with the app."""
        given: dict[str, Any] = super().get_form_kwargs()
        return given | {"data": {}, "authenticator": self.object}


@method_decorator(guarded, name="dispatch")
class ConfirmPasskeyPage(ThemedPage, webauthn.ReauthenticateWebAuthnView):  # type: ignore[misc]
    """Ask for a passkey again before a factor changes."""

    template_name = "web/sign_in/second_factor/confirm.html"

    def form_invalid(self, form: Form) -> HttpResponse:
        """Say what is wrong where it was done."""
        answer: HttpResponse = self.render_to_response(self.get_context_data(form=form))
        return answer


@method_decorator(guarded, name="dispatch")
class SignInPasskey(webauthn.LoginWebAuthnView):  # type: ignore[misc]
    """Give a browser something to sign, and let in who signed it."""

    def get(self, request: HttpRequest, *args: Any, **more: Any) -> HttpResponse:
        """Answer scripts; each answer is a row of sessions, so there are few for one address."""
        limited = ratelimit.consume_or_429(
            request, app="allauth.mfa", action="webauthn_options", limit_get=True
        )
        answer: HttpResponse = limited or super().get(request, *args, **more)
        return answer

    def form_invalid(self, form: Form) -> HttpResponse:
        """Show the door again, and why it stays closed."""
        return refuse_passkey(self.request)

    def form_valid(self, form: Form) -> HttpResponse:
        """Sign in, and lead to where the reader wanted to go."""
        passkey = form.cleaned_data["credential"]
        wanted = safe_next(request=self.request, wanted=self.request.POST.get("next", ""))
        login = webauthn.Login(user=passkey.user, redirect_url=wanted)
        answer: HttpResponse = webauthn.flows.perform_passwordless_login(
            self.request, passkey, login
        )
        return answer


add_passkey = AddPasskeyPage.as_view()
rename_passkey = RenamePasskeyPage.as_view()
remove_passkey = RemovePasskeyPage.as_view()
confirm_passkey = ConfirmPasskeyPage.as_view()
sign_in_passkey = SignInPasskey.as_view()
