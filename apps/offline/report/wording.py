"""Parts, places, names and times as a note writes them."""

from collections.abc import Iterable
from datetime import datetime

from apps.diagnosis.model import Device
from apps.wording import ENGLISH
from apps.wording.devices import addressed

MOST_NAMES = 6


def device(one: Device) -> str:
    """Name a part as pages do, with the address by which it is found."""
    return addressed(one, ENGLISH)


def place_text(source: str | None, line: int | None) -> str:
    """Return file and line."""
    if not source:
        return ""
    return f"{source}:{line}" if line else source


def some(names: Iterable[str]) -> str:
    """Join names, the first few of many."""
    known = list(names)
    more = f" and {len(known) - MOST_NAMES} more" if len(known) > MOST_NAMES else ""
    return ", ".join(known[:MOST_NAMES]) + more


def listed(names: Iterable[str]) -> str:
    """Join names, each once, the first few of many."""
    return some(tuple(dict.fromkeys(names)))


def dated(at: datetime) -> str:
    """Return a time with its day."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
