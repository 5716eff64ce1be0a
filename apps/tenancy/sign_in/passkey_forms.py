"""What browsers send of passkeys, as allauth's views take it: MFA_FORMS names these forms."""

from typing import Any

from allauth.core import context
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.internal.flows import check_rate_limit
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import forms as allauth_forms
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from apps.tenancy.models import User
from apps.tenancy.sign_in import factor_audit, passkeys

CREDENTIAL_LIMIT = 20_000  # letters; browsers send two thousand


class CredentialField(forms.JSONField):
    """What a browser signed, bounded before it is read."""

    default_error_messages = {  # noqa: RUF012  as Django declares it
        "invalid": _("The passkey was not accepted. Try again."),
        "required": _("The passkey was not accepted. Try again."),
    }

    def to_python(self, value: Any) -> Any:
        """Return it read."""
        try:
            if value and len(value) <= CREDENTIAL_LIMIT:
                return super().to_python(value)
        except RecursionError:
            pass
        raise ValidationError(self.error_messages["invalid"], code="invalid")


class AddPasskeyForm(allauth_forms.AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    """A new passkey and its name."""

    name = forms.CharField(required=False, max_length=passkeys.NAME_LIMIT)
    credential = CredentialField()

    def clean(self) -> dict[str, Any]:
        """Take what was understood of it, in place of what was sent."""
        if len(passkeys.passkeys_of(user=self.user)) >= passkeys.MOST:
            raise get_adapter().validation_error("too_many_passkeys")
        if credential := self.cleaned_data.get("credential"):
            self.cleaned_data["credential"] = passkeys.read_registration(
                credential=credential, is_alone=self.cleaned_data.get("passwordless", False)
            )
        with passkeys.as_refusal():
            cleaned: dict[str, Any] = super().clean()
        return cleaned


class RenamePasskeyForm(allauth_forms.EditWebAuthnForm):  # type: ignore[misc]
    """Another name for a passkey."""

    name = forms.CharField(max_length=passkeys.NAME_LIMIT)


class PasskeyForm(allauth_forms.AuthenticateWebAuthnForm):  # type: ignore[misc]
    """A passkey after the password."""

    credential = CredentialField()

    def clean_credential(self) -> Authenticator:
        """Return the passkey that signed; count and write down what was wrong."""
        forget = check_rate_limit(self.user)
        found = self.verified(self.user, is_alone=False)
        forget()
        return found

    def verified(self, user: User, *, is_alone: bool) -> Authenticator:
        """Return the passkey of a person, and write down where there is none."""
        credential = self.cleaned_data["credential"]
        try:
            return passkeys.verify(user=user, credential=credential, is_alone=is_alone)
        except passkeys.CopiedPasskey:
            factor_audit.copied(request=context.request, user=user)
            raise
        except ValidationError:
            factor_audit.failed(request=context.request, user=user)
            raise


class ConfirmPasskeyForm(PasskeyForm):
    """A passkey before something of the account changes."""

    reauthenticated = True


class SignInPasskeyForm(PasskeyForm):
    """A passkey in place of the password."""

    passwordless = True

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, user=None, **more)

    def clean_credential(self) -> Authenticator:
        """Return the passkey that signed, of whoever it says it is.

        Nothing of it can be guessed, so there is no limit by which others could be locked out.
        """
        user = passkeys.person_of(credential=self.cleaned_data["credential"])
        if user is None:
            raise get_adapter().validation_error("incorrect_passkey")
        return self.verified(user, is_alone=True)
