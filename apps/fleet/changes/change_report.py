"""What one party says that it changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from apps.diagnosis.model import Layer
from apps.fleet.models import ChangedThing

# What a change of a kind is of, where its sender names no layer.
USUAL_LAYERS: Final[Mapping[ChangedThing, Layer]] = {
    ChangedThing.DEPLOY: Layer.SOFTWARE,
    ChangedThing.CONFIGURATION: Layer.SOFTWARE,
    ChangedThing.DRIVER: Layer.GPU,
    ChangedThing.FIRMWARE: Layer.HOST,
    ChangedThing.KERNEL: Layer.HOST,
    ChangedThing.MAINTENANCE: Layer.HOST,
    ChangedThing.OTHER: Layer.UNKNOWN,
}
LAYERS: Final = (
    *(Layer.GPU, Layer.NETWORK, Layer.STORAGE, Layer.HOST, Layer.SOFTWARE, Layer.UNKNOWN),
)
# The longest of each text, in letters: one that is longer is refused, never cut.
LIMITS: Final[Mapping[str, int]] = {
    "key": 200,
    "title": 200,
    "before": 80,
    "after": 80,
    "reference": 120,
    "url": 500,
    "by": 120,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeReport:
    """Something was changed. Empty: not said; without hosts it is all of the cluster."""

    key: str
    kind: ChangedThing
    layer: Layer
    starts_at: datetime
    title: str
    ends_at: datetime | None = None
    hosts: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    reference: str = ""
    url: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeIntake:
    """What came of one message. The same message again is `accepted` and changes nothing."""

    accepted_count: int
    new_count: int  # keys that were not known
    updated_count: int  # known ones of which something else was said before
    unknown_hosts: tuple[str, ...] = ()  # names that match no host its teller knows of now, sorted


def is_link(url: str) -> bool:
    """Say whether an address may be followed from a page: of the web, and without a password."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
