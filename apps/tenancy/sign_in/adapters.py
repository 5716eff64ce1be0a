"""What allauth asks the house: how secrets are kept, and what follows a sign-in."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from apps.tenancy.audit.audit_log import AuditAction, record_for_person, remote_address_of
from apps.tenancy.credentials import seal, unseal
from apps.tenancy.models import User
from apps.tenancy.sign_in import devices
from apps.tenancy.sign_in.client_networks import network_of_request
from apps.tenancy.sign_in.password import SignInOutcome, confirm, safe_next


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Accounts are made by invitation; signing in is written down where it is complete."""

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

    def post_login(self, request: HttpRequest, user: User, **hooks: Any) -> HttpResponse:
        """Write the sign-in down, and let this browser be known next time."""
        response: HttpResponse = super().post_login(request, user, **hooks)
        deed = AuditAction(
            action="sign_in.done",
            actor=user.label,
            remote_address=remote_address_of(request=request),
        )
        record_for_person(user=user, deed=deed, now=timezone.now())  # noqa: TID251  a door
        devices.remember(response=response, username=user.get_username())
        return response

    def add_message(self, *args: Any, **more: Any) -> None:
        """Say nothing beside the page: it shows what became of the act."""


class FactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Secrets of second factors are sealed as those of sources are."""

    def encrypt(self, text: str) -> str:
        """Seal a secret."""
        return seal(secret=text).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Open it."""
        return unseal(sealed=encrypted_text.encode())

    def get_totp_label(self, user: User) -> str:
        """Name the account in the person's app."""
        return user.get_username()
