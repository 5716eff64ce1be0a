"""How a bundle may stand, and what can't be done as it does."""

from enum import StrEnum


class BundleState(StrEnum):
    """How a bundle stands."""

    MADE = "made"  # nothing has left yet
    SENT = "sent"
    REVOKED = "revoked"
    EXPIRED = "expired"


class BundleMoved(Exception):
    """The bundle stands otherwise meanwhile: look again, then decide."""


class BundleGone(Exception):
    """The bundle was taken back, or its time is over: what was in it is deleted."""


class RecipientLeft(Exception):
    """A recipient takes no part in the cluster any more; the text names it."""
