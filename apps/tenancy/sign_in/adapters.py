"""What allauth asks the house: how secrets are kept, and what follows a sign-in."""

from typing import Any, ClassVar

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.tenancy.audit.audit_log import AuditAction, record_for_person, remote_address_of
from apps.tenancy.credentials import seal, unseal
from apps.tenancy.models import User
from apps.tenancy.people.required_factor import must_keep_one
from apps.tenancy.sign_in import devices, passkeys
from apps.tenancy.sign_in.client_networks import network_of_request
from apps.tenancy.sign_in.password import SignInOutcome, confirm, safe_next

TOO_MANY = gettext_lazy("Too many failed attempts. Wait five minutes, then try again.")


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Accounts are made by invitation; signing in is written down where it is complete."""

    error_messages: ClassVar[dict[str, Promise]] = DefaultAccountAdapter.error_messages | {
        "incorrect_password": gettext_lazy("This is not your password."),
        "too_many_login_attempts": TOO_MANY,
        "rate_limited": TOO_MANY,
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Refuse: people come by invitation."""
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return where a request comes from, as limits count it."""
        return network_of_request(request)

    def is_safe_url(self, url: str) -> bool:
        """Lead to pages of this portal only."""
        return bool(url) and safe_next(request=self.request, wanted=url) == url

    def reauthenticate(self, user: User, password: str) -> bool:
        """Compare a password; failures count as at the door."""
        return confirm(request=self.request, password=password) is SignInOutcome.WELCOME

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        """Lead whose account was closed meanwhile to the door, where nothing opens."""
        return redirect("web:sign_in")

    def post_login(self, request: HttpRequest, user: User, **hooks: Any) -> HttpResponse:
        """Write the sign-in down, and let this browser be known next time."""
        response: HttpResponse = super().post_login(request, user, **hooks)
        act = AuditAction(
            action="sign_in.done",
            actor=user.label,
            remote_address=remote_address_of(request=request),
        )
        record_for_person(user=user, act=act, now=timezone.now())  # noqa: TID251  a door
        devices.remember(response=response, username=user.get_username())
        return response

    def add_message(self, *args: Any, **more: Any) -> None:
        """Say nothing beside the page: it shows what became of the act."""


class FactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Secrets of second factors are sealed as those of sources are; passkeys are the portal's."""

    error_messages: ClassVar[dict[str, Promise]] = DefaultMFAAdapter.error_messages | {
        "incorrect_code": gettext_lazy("This code is wrong, or it was used already."),
        "incorrect_passkey": gettext_lazy("The passkey was not accepted. Try again."),
        "copied_passkey": gettext_lazy(
            "This passkey counted less than before: there may be a copy of it."
            " Sign in another way, and remove it."
        ),
        "cannot_delete_authenticator": gettext_lazy(
            "An organization of yours requires a second factor. Add another one, then remove this."
        ),
        "too_many_passkeys": gettext_lazy("There are 20 passkeys already. Remove one first."),
    }

    def encrypt(self, text: str) -> str:
        """Seal a secret."""
        return seal(secret=text).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Open it."""
        return unseal(sealed=encrypted_text.encode())

    def get_totp_label(self, user: User) -> str:
        """Name the account in the person's app."""
        return user.get_username()

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """Keep the last one of who belongs to an organization that requires one."""
        user: User = authenticator.user
        codes = Authenticator.Type.RECOVERY_CODES
        others = Authenticator.objects.filter(user=user).exclude(pk=authenticator.pk)
        return others.exclude(type=codes).exists() or not must_keep_one(user=user)

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002  allauth's
        """Name a passkey whose owner gave it no name."""
        return _("Passkey")

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """Bind passkeys to the portal's own name, whatever name a request came by."""
        return {"id": passkeys.own_host(), "name": "Faultline"}

    def get_public_key_credential_user_entity(self, user: User) -> dict[str, Any]:
        """Name the person on the person's device; by a random reference, not by a row's number."""
        return {
            "id": user.reference.encode(),
            "display_name": user.get_full_name() or user.get_username(),
            "name": user.get_username(),
        }
