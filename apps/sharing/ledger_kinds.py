"""What entries of the ledger are told apart by: the way out, what allowed it, who looked."""

from django.db.models import TextChoices


class LedgerChannel(TextChoices):
    """By which way something was handed out."""

    PAGE = "page"
    REST = "rest"
    EXPORT = "export"
    STREAM = "stream"
    EMAIL = "email"
    WEBHOOK = "webhook"


class GroundKind(TextChoices):
    """What allowed it."""

    AGREEMENT = "agreement"
    REQUEST = "request"
    BUNDLE = "bundle"


class ReaderKind(TextChoices):
    """Who looked, as the holder is told: which person it was stays with the reader's side."""

    VIEWER = "viewer"
    RESPONDER = "responder"
    ADMIN = "admin"
    TOKEN = "token"  # noqa: S105  a kind of reader
    PORTAL = "portal"  # what it sends by itself
