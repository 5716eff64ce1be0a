"""Reading what a page shows: with what others show, as long as their ledger can have it."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib import messages
from django.utils.translation import gettext as _

from apps.sharing.ledger.entries import LedgerUnavailable
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.middleware import OrganizationRequest

Read = TypeVar("Read")


def read_with_shared(
    request: OrganizationRequest, read: Callable[[LedgerChannel | None], Read]
) -> Read:
    """Return what `read` does; without a channel, and saying so, where no ledger takes the look."""
    try:
        return read(LedgerChannel.PAGE)
    except LedgerUnavailable:
        messages.warning(
            request,
            _("What others show can't be written into their ledger now, so it is not shown."),
        )
        return read(None)
