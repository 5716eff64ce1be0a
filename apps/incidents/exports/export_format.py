"""What an export format is, and what it is given."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

INCIDENT_SCHEMA = "faultline.incident/1"
INCIDENTS_SCHEMA = "faultline.incidents/1"
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What an export says of itself."""

    schema: str
    organization: str  # slug of the reader: what is inside was projected for it
    exported_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentDocument:
    """One incident as its reader sees it, in the form of the REST interface."""

    incident: Json
    hypotheses: tuple[Json, ...]
    missing: tuple[Json, ...]
    timeline: tuple[Json, ...]
    annotations: tuple[Json, ...]
    hand_overs: tuple[Json, ...] = ()
    resolutions: tuple[Json, ...] = ()
    shared_sessions: tuple[Json, ...] = ()  # of other parties, for who reads of none
    changes: tuple[Json, ...] = ()  # what parties changed around it, as the reader reads of it
    charts: tuple[Json, ...] = ()  # kept metrics, for formats that draw


class FormatLacking(Exception):
    """A format that can't be made here; the text says what is missing and what to do."""


def lacks_nothing() -> str:
    """Return that nothing is missing: a format of this needs no extra."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """A file format: one incident with everything, or many as their headers."""

    name: str  # of the file's ending, and behind `export.` in the address
    label: str  # on the button of a page
    media_type: str
    is_text: bool  # for clients made of the interface's description: text, or an object
    order: int = 50  # lower ones are offered first
    is_binary: bool = False
    draws_charts: bool = False  # is given the kept metrics, too
    lacks: Callable[[], str] = lacks_nothing  # what it needs and is missing here, as a sentence
    one: Callable[[Header, IncidentDocument], Iterator[bytes]]
    many: Callable[[Header, Iterator[Json]], Iterator[bytes]]
