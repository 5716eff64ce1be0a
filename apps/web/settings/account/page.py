"""A person's own address in words: whether letters may go there, and what to do if not."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext as _

from apps.tenancy.models import Confirmation, User
from apps.web.display.instants import in_full
from apps.web.settings.notifications.page import FormChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressState:
    """How it stands with an address."""

    state: str  # fresh waiting failed
    text: str
    can_ask: bool = False  # for another letter


def address_state(
    *, user: User, asked: Confirmation | None, is_mail_set_up: bool, now: datetime
) -> AddressState | None:
    """Return how it stands with the reader's address; None where there is none."""
    if not user.email:
        return None
    if user.is_reachable:
        return AddressState(state="fresh", text=_("confirmed: letters go there"))
    if not is_mail_set_up:
        text = _("not confirmed; this portal sends no letters, so nothing has to be done")
        return AddressState(state="waiting", text=text)
    return _unconfirmed(asked, now)


def language_choices(chosen: str) -> tuple[FormChoice, ...]:
    """Return the languages that letters are written in."""
    own = chosen or settings.LANGUAGE_CODE
    return tuple(
        FormChoice(value=code, name=name, is_chosen=code == own)
        for code, name in settings.LANGUAGES
    )


def _unconfirmed(asked: Confirmation | None, now: datetime) -> AddressState:
    if asked is None:
        text = _("not confirmed: nothing is sent there")
        return AddressState(state="waiting", text=text, can_ask=True)
    if asked.said:
        text = _("not confirmed; the letter was not taken: %(said)s") % {"said": asked.said}
        return AddressState(state="failed", text=text, can_ask=asked.due_at is None)
    if asked.due_at is not None and asked.due_at > now:
        at = {"at": f"{asked.due_at:%H:%M} UTC"}
        text = _("not confirmed; the next letter with a link goes at %(at)s") % at
        return AddressState(state="waiting", text=text)
    if asked.due_at is not None:
        text = _("not confirmed; a letter with a link is on its way")
        return AddressState(state="waiting", text=text)
    sent_at = {"at": f"{in_full(asked.sent_at)} UTC" if asked.sent_at else ""}
    text = _("not confirmed; follow the link in the letter of %(at)s") % sent_at
    return AddressState(state="waiting", text=text, can_ask=True)
