"""What a letter with a link that works once says: little, and nothing that somebody typed freely.

Whoever asks for such a letter may have typed a stranger's address.
"""

import secrets
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import override

from apps.notifications.email.emails import envelope
from apps.notifications.payload import page
from apps.tenancy.models import Invitation, User


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What is said, in the language of who reads it."""

    subject: str
    said: str
    button: str
    url: str
    otherwise: str  # what to do for who did not expect it
    language: str


def asking(*, user: User, code: str) -> Words:
    """Return the letter that asks whether an address is this person's."""
    language = user.language or settings.LANGUAGE_CODE
    with override(language):
        said = _(
            "An account on this portal is to be told of incidents at this address; the link says"
            " which one. Nothing is sent here before you confirm it."
        )
        return Words(
            subject=_("Is this your address? Confirm it for Faultline"),
            said=said,
            button=_("Confirm this address"),
            url=page("web:confirm_address", code),
            otherwise=_(
                "The link works once, for three days. If this is not you, do nothing:"
                " no more than this is sent to you."
            ),
            language=language,
        )


def inviting(*, invitation: Invitation, code: str) -> Words:
    """Return the letter that invites, or lets a member choose a password."""
    language = (invitation.user and invitation.user.language) or settings.LANGUAGE_CODE
    with override(language):
        names = {"organization": invitation.organization.name, "person": invitation.user}
        if invitation.user is not None:
            subject = _("Choose your password for %(organization)s on Faultline") % names
            said = _("An account %(person)s of %(organization)s was made for you.") % names
        else:
            subject = _("%(organization)s invites you to Faultline") % names
            said = _("An admin of %(organization)s wants you as a member there.") % names
        return Words(
            subject=subject,
            said=said,
            button=_("Open the link"),
            url=page("web:join", code),
            otherwise=_(
                "The link works once, for a week; whoever opens it is taken for you,"
                " so pass it on to nobody. If you did not expect it, do nothing."
            ),
            language=language,
        )


def letter_of(*, words: Words, to: Address, host: str, now: datetime) -> EmailMultiAlternatives:
    """Return the letter, plain and HTML; raises ValueError for an address that is none."""
    values = {"words": words, "host": host}
    letter = envelope(subject=words.subject, to=to, name=secrets.token_hex(10), now=now)
    letter.body = render_to_string("notifications/link_email.txt", values)
    letter.attach_alternative(
        render_to_string("notifications/link_email.html", values), "text/html"
    )
    return letter
