"""One session event, as forms of schedulers are turned into it."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvent:
    """The keys of an event of POST /api/v1/session-events. Empty and None: not said."""

    scheduler: str
    session: str
    scheduler_state: str
    at: str = ""
    attempt: int | None = None
    job: str = ""
    project: str = ""
    state: str = ""
    member: str = ""
    result: str = ""
    reason: str = ""
    aliases: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def without_empty(event: SessionEvent) -> dict[str, Any]:
    """Return an event as JSON has it, without what is not said."""
    said = {name: value for name, value in asdict(event).items() if value not in {"", None, ()}}
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in said.items()
    }
