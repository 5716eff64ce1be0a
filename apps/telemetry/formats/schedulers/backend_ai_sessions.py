"""Sessions of Backend.AI, their scheduling history and its callbacks → session events.

A session tells its states by `status_history` (as an object or a list), the scheduling history what
became of each try of the coordinator, a callback one step.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from apps.telemetry.formats.schedulers.json_objects import json_objects
from apps.telemetry.formats.schedulers.json_values import BadReport
from apps.telemetry.formats.schedulers.session_event import SessionEvent

IDS: Final = ("session_id", "id", "row_id")
PROJECTS: Final = ("project", "group_name", "project_name", "group_id")
# How a session went where its state alone does not say it; a person's wish comes first.
ENDS: Final = {"success": "finished", "failure": "failed"}
BY_HAND: Final = frozenset({"user-requested", "force-terminated", "user-purged"})
OVER: Final = frozenset({"TERMINATED", "CANCELLED", "ERROR"})
# Events of callbacks that are not called like the state that they lead to.
CALLBACKS: Final = {
    "enqueued": "PENDING",
    "scheduled": "SCHEDULED",
    "preparing": "PREPARING",
    "pulling": "PULLING",
    "creating": "CREATING",
    "started": "RUNNING",
    "restarted": "RUNNING",
    "terminating": "TERMINATING",
    "terminated": "TERMINATED",
    "cancelled": "CANCELLED",
    "success": "TERMINATED",
    "failure": "TERMINATED",
}

# A history as text: JSON in a string of the body, whose values were not counted with the others.
MOST_HISTORY_LETTERS: Final = 64 * 1024

Said = Mapping[str, Any]


def read(body: bytes, zone: str) -> Iterator[SessionEvent | BadReport]:
    """Yield what sessions, rows of the scheduling history and callbacks tell."""
    for said in json_objects(body=body):
        try:
            yield from _events(said)
        except BadReport as error:
            yield error


def _events(said: Said) -> Iterator[SessionEvent]:
    name = _first(said, IDS)
    if not name:
        raise BadReport(f"an entry names its session by one of {', '.join(IDS)}")
    if "event" in said:
        yield from _callback(said, name)
    elif "to_status" in said or "from_status" in said:
        yield _try(said, name)
    else:
        yield from _session(said, name)


def _callback(said: Said, name: str) -> Iterator[SessionEvent]:
    event = _text(said, "event").removeprefix("session_")
    word = CALLBACKS.get(event, event.upper())
    yield SessionEvent(
        scheduler="backend.ai",
        session=name,
        scheduler_state=word,
        state=ENDS.get(event, ""),
        at=_text(said, "when"),
        reason=_text(said, "reason"),
    )


def _try(said: Said, name: str) -> SessionEvent:
    """Return one row of the history: what the coordinator tried, and what came of it."""
    return SessionEvent(
        scheduler="backend.ai",
        session=_text(said, "session_id") or name,
        scheduler_state=_text(said, "to_status") or _text(said, "from_status"),
        at=_first(said, ("created_at", "updated_at")),
        result=_text(said, "result").upper(),
        reason=_first(said, ("error_code", "phase")),
    )


def _session(said: Said, name: str) -> Iterator[SessionEvent]:
    history = list(_history(said.get("status_history")))
    status = _text(said, "status")
    if status and status not in {word for word, _at in history}:
        history.append((status, _first(said, ("status_changed", "terminated_at"))))
    for word, at in history:
        is_over = word in OVER and word == status
        yield SessionEvent(
            scheduler="backend.ai",
            session=name,
            job=_text(said, "name"),
            project=_first(said, PROJECTS),
            scheduler_state=word,
            at=at,
            state=_end(said) if is_over else "",
            reason=_text(said, "status_info") if is_over else "",
            hosts=_hosts(said) if word == "RUNNING" else (),
        )


def _history(found: Any) -> Iterator[tuple[str, str]]:
    if isinstance(found, str):
        if len(found) > MOST_HISTORY_LETTERS:
            raise BadReport(f"`status_history` has more than {MOST_HISTORY_LETTERS} letters")
        try:
            found = orjson.loads(found)
        except orjson.JSONDecodeError as error:
            raise BadReport("`status_history` is no JSON") from error
    if isinstance(found, dict):
        yield from ((str(word), at) for word, at in found.items() if isinstance(at, str))
    elif isinstance(found, list):
        for each in found:
            if isinstance(each, dict) and (word := _text(each, "status")):
                yield word, _first(each, ("timestamp", "at", "created_at"))


def _end(said: Said) -> str:
    if _text(said, "status_info") in BY_HAND:
        return "cancelled"
    return ENDS.get(_text(said, "result").lower(), "")


def _hosts(said: Said) -> tuple[str, ...]:
    """Return the nodes: agents are called i-<node> there."""
    found = said.get("agent_ids") or said.get("agents") or ()
    names = [each for each in found if isinstance(each, str)] if isinstance(found, list) else []
    return tuple(sorted({name.removeprefix("i-") for name in names}))


def _first(said: Said, names: tuple[str, ...]) -> str:
    return next((word for name in names if (word := _text(said, name))), "")


def _text(said: Said, name: str) -> str:
    found = said.get(name)
    return found if isinstance(found, str) else ""
