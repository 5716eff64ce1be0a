"""What one party says about one attempt of a session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from apps.diagnosis.model import EndState


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReport:
    """What one party says about one attempt. Empty and None: not said."""

    session: str
    attempt: int = 1
    aliases: tuple[str, ...] = ()  # what else the scheduler calls the session
    scheduler: str = ""
    job: str = ""
    project: str = ""
    state: EndState | None = None
    at: datetime | None = None
    hosts: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()  # nodes that the job asked not to run on
    ranks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    exit_codes: Mapping[str, int] = field(default_factory=dict)
    world_size: int | None = None
    scheduler_state: str = ""  # as the scheduler calls it; `state` is what the portal makes of it
    member: str = ""  # the pod or node of which the state is said; empty: the whole attempt
    result: str = ""  # what the scheduler says of its try to move the session on
    reason: str = ""  # a code, no text
    is_begin: bool = False  # its job says that it began then, and nothing of its state
