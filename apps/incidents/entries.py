"""What people enter on an incident: annotations, opinions of its verdict, steps of work."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.incidents.states import Judgement

TEXT_LIMIT: Final = 10_000  # characters of an annotation
COUNT_LIMIT: Final = 1_000  # annotations of one organization on one incident, replies among them
# The lane of the words that go with a judgement: they are an annotation with its own audience.
LANE: Final = "feedback"
STEP_LANE: Final = "hand-over"  # of those with a step of work: likewise


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Who reads an annotation: its own organization always, and these."""

    organizations: tuple[str, ...] = ()  # slugs
    all_parties: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The words of an annotation, and where they belong: on the timeline, or in a thread."""

    text: str
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    lane: str = ""
    answers: str = ""  # the public id of the annotation that this is a reply to


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What one party says of a verdict."""

    judgement: Judgement
    layer: str = ""  # what it really was; empty: not known
    cause: str = ""  # empty: none of the list, or not known
    revision: int | None = None  # of the verdict that was looked at; None: of the one that stands


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEntry:
    """Why somebody does something with an incident."""

    reason: str = ""
    text: str = ""  # in their own words


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOverEntry(StepEntry):
    """To whom an incident is handed over, why, and until when it should be done."""

    to: str  # slug
    due_at: datetime | None = None
    ticket: str = ""  # the sender's own number


OWN: Final = Audience()
