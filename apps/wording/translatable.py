"""Texts that are translated where they are shown. Files are read without Django's settings."""


def gettext_noop(message: str) -> str:
    """Return a text as it is, found by `make messages`."""
    return message
