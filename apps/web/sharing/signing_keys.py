"""Keys that sign answers, as the page of sharing shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from apps.sharing.signing.signing_keys import PublicKey, public_keys
from apps.tenancy.access import Actor
from apps.web.display.instants import Instant, instant

SHOWN_AT_MOST: Final = 50  # the newest; REST has all


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRow:
    """One key: whose, since when, and the name by which two sides compare it."""

    whose: str
    state: str
    fingerprint: str
    at: Instant


def key_rows(*, actor: Actor, zone: ZoneInfo | None, now: datetime) -> Sequence[KeyRow]:
    """Return one's own keys, and those by which others answered, the newest first."""
    return tuple(_row(each, zone, now) for each in public_keys(actor=actor)[:SHOWN_AT_MOST])


def _row(key: PublicKey, zone: ZoneInfo | None, now: datetime) -> KeyRow:
    states = {True: _("signs now"), False: _("signed before"), None: _("signed an answer to you")}
    return KeyRow(
        whose=_("Yours") if key.is_own else key.organization.name,
        state=states[key.is_current],
        fingerprint=key.fingerprint,
        at=instant(key.made_at, zone=zone, now=now),
    )
