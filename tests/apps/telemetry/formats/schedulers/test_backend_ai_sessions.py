"""Sessions, scheduling history and callbacks of Backend.AI become states with their results."""

from collections.abc import Sequence
from typing import Any

import orjson
import pytest

from apps.telemetry.formats.schedulers import backend_ai_sessions
from apps.telemetry.formats.schedulers.json_values import BadReport
from apps.telemetry.formats.schedulers.session_event import SessionEvent
from tests.cast.backend_ai_sessions import HISTORY, SESSION


def events(found: Any) -> Sequence[SessionEvent]:
    """Return the events of a body in which nothing is wrong."""
    made = list(backend_ai_sessions.read(orjson.dumps(found), ""))
    told = [each for each in made if isinstance(each, SessionEvent)]
    assert told == made
    return told


@pytest.mark.parametrize(
    "history",
    [
        HISTORY,
        orjson.dumps(HISTORY).decode(),
        [{"status": word, "timestamp": at} for word, at in HISTORY.items()],
    ],
)
def test_a_session_tells_its_states_in_each_form_of_its_history(history: Any) -> None:
    told = events({"sessions": [SESSION | {"status_history": history}]})
    assert [each.scheduler_state for each in told] == [*HISTORY]
    assert told[2].hosts == ("gpu001", "gpu002")
    last = told[-1]
    assert (last.state, last.reason, last.job, last.project) == (
        *("failed", "self-terminated"),
        *("solar-218", "solar"),
    )


@pytest.mark.parametrize(
    ("changed", "state"),
    [
        ({"result": "success"}, "finished"),
        ({"result": "undefined"}, ""),
        ({"status_info": "user-requested"}, "cancelled"),
    ],
)
def test_how_it_ended_is_its_result_unless_somebody_wished_it(
    changed: dict[str, str], state: str
) -> None:
    assert events(SESSION | changed)[-1].state == state


def test_each_try_of_the_coordinator_keeps_its_result() -> None:
    row = {
        "id": "r1",
        "session_id": "0b6f",
        "phase": "schedule",
        "from_status": "PENDING",
        "to_status": None,
        "created_at": "2026-11-21T01:00:30Z",
    }
    results = ["SUCCESS", "need_retry", "EXPIRED", "GIVE_UP", "SKIPPED"]
    told = events({"history": [row | {"result": result} for result in results]})
    assert [each.result for each in told] == [result.upper() for result in results]
    assert {(each.session, each.scheduler_state, each.reason) for each in told} == {
        ("0b6f", "PENDING", "schedule")
    }


@pytest.mark.parametrize(
    ("event", "word", "state"),
    [
        ("started", "RUNNING", ""),
        ("success", "TERMINATED", "finished"),
        ("failure", "TERMINATED", "failed"),
        ("session_cancelled", "CANCELLED", ""),
        ("checking_precondition", "CHECKING_PRECONDITION", ""),
    ],
)
def test_a_callback_is_one_state_and_a_new_one_is_kept(event: str, word: str, state: str) -> None:
    said = {"event": event, "session_id": "0b6f", "when": "2026-11-21T01:00:00Z"}
    (told,) = events(said)
    assert (told.scheduler_state, told.state, told.at) == (word, state, said["when"])


def test_the_newest_state_counts_beside_a_history_without_it() -> None:
    told = events({"id": "x", "status": "ERROR", "status_changed": "2026-11-21T03:00:00Z"})
    assert [(each.scheduler_state, each.at) for each in told] == [("ERROR", "2026-11-21T03:00:00Z")]


def test_entries_without_a_session_are_named() -> None:
    (wrong,) = backend_ai_sessions.read(b'{"status": "PENDING"}', "")
    assert isinstance(wrong, BadReport)
    assert "session_id" in str(wrong)


def test_a_history_as_text_that_takes_much_to_read_is_refused() -> None:
    told = SESSION | {"status_history": "[" + "[]," * 40_000 + "[]]"}
    (wrong,) = backend_ai_sessions.read(orjson.dumps(told), "")
    assert isinstance(wrong, BadReport)
    assert "65536 letters" in str(wrong)
