"""A file of the session before it is laid out on disk."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFile:
    """Bytes with what a manifest or a path may say about them."""

    stream: str
    body: bytes
    place: int = -1  # of its host; -1 where it holds several or none
    rank: int = -1
    zone: str = ""  # of its stamps without zone, where it is known
    name: str = "log"  # what a person would call it
    changed_at: float = 0.0  # last change
    names_host: bool = True  # its lines or its records say whose they are
