"""Why somebody didn't get in through a provider, in words for that person."""

from django.utils.translation import gettext as _


def reason_in_words(reason: str) -> str:
    """Return the sentence for a reason."""
    by_admin = _("Ask an admin of your organization.")
    known = {
        "address-refused": _("The portal may not reach the provider.") + " " + by_admin,
        "bad-answer": _("The provider's answer can't be used.") + " " + by_admin,
        "bad-assertion": _("The provider's answer proves nothing here.") + " " + by_admin,
        "bad-token": _("The provider's answer proves nothing here.") + " " + by_admin,
        "barred": _("Your access was ended here.") + " " + by_admin,
        "cancelled": _("Signing in was broken off at the provider."),
        "account-exists": _(
            "A member of your organization has your mail address already. If it is you, sign in"
            " with your password and connect the account under Settings, Account."
        ),
        "connected-already": _("This sign-in is connected to an account already."),
        "groups-elsewhere": _("The provider sent too many groups to read.") + " " + by_admin,
        "mail-domain": _("Your mail address is of no confirmed domain.") + " " + by_admin,
        "mail-unverified": _("The provider doesn't say that your mail address is verified.")
        + " "
        + by_admin,
        "no-answer": _("The provider doesn't answer. Try again in a minute."),
        "no-group": _("None of your groups has access here.") + " " + by_admin,
        "no-state": _("This sign-in took too long or began in another browser. Begin again."),
        "not-managed": _("Your account at the provider is not managed by your organization.")
        + " "
        + by_admin,
        "other-issuer": _("The provider calls itself another issuer.") + " " + by_admin,
        "other-person": _("Somebody else signed in here meanwhile. Begin again."),
        "provider-error": _("The provider refused to sign you in.") + " " + by_admin,
        "replayed": _("This answer of the provider was used already. Begin again."),
        "saml-missing": _("SAML is not installed on this portal.") + " " + by_admin,
        "several-organizations": _("This account signs in with its password."),
        "unsolicited": _("This sign-in did not begin here. Begin it with the button below."),
        "too-many": _("Too many attempts. Wait a few minutes, then try again."),
    }
    return known.get(reason, _("Signing in failed. Begin again."))
