"""JSON of schedulers → reports of sessions. What is no report is named and left out."""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from apps.diagnosis.input_values import (
    MOST,
    MOST_RANKS,
    rank_number,
)
from apps.diagnosis.model import EndState
from apps.diagnosis.spelling import meant, one_of, shown, slipped
from apps.fleet.sessions.session_reports import SessionReport
from apps.telemetry.formats.compression.limits import MEBIBYTE, check_json
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable
from apps.telemetry.formats.schedulers.json_values import (
    MOST_GPUS,
    SIMULATED,
    BadReport,
    each_report,
    list_of,
    name_of,
    number_of,
    object_of,
    require_known,
    required_text,
    text_of,
    time_of,
)
from apps.telemetry.formats.schedulers.state_words import SCHEDULERS, STATES
from apps.training.lifecycle.state_table import known_results, meaning_of

NAME_LIMIT = 200
HOSTS_LIMIT = 20_000
ALIASES_LIMIT = 16  # of one event; a component of a job tells its own
TOLD_BYTES = 24 * MEBIBYTE  # reports are made of them, which take as much again
# What is known of each object. Another key is a slip of somebody's pen: what it says would be lost.
EVENT = (
    *("cluster", "session", "aliases", "attempt", "scheduler", "job", "project", "state", "at"),
    *("hosts", "ranks", "exit_codes", "world_size", SIMULATED),
    *("scheduler_state", "member", "result", "reason"),
)
STATE_LIMIT, MEMBER_LIMIT, RESULT_LIMIT, REASON_LIMIT = 60, 120, 40, 80
# A code, no sentence: every party of the session reads it.
CODE = re.compile(r"[\w.:+/-]+(?: [\w.:+/-]+){0,3}")
RANK = ("host", "gpu", "pci", "uuid")


def document(*, body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; raise NothingUsable, TooBig."""
    check_json(body=body, most=TOLD_BYTES)
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise NothingUsable(f"the body is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise NothingUsable("the body must be one JSON object")
    return found


def session_reports(
    *, said: Mapping[str, Any], complaints: Complaints
) -> list[tuple[str, SessionReport]]:
    """Return (cluster, report) of one event or of `{"events": […]}`."""
    events = said.get("events", [said])
    if not isinstance(events, list):
        raise NothingUsable("`events` must be a list")
    return each_report(events, _session_report, complaints)


def check_envelope(*, said: Mapping[str, Any]) -> None:
    """Raise NothingUsable for a key beside `events`, which would tell nothing."""
    try:
        require_known(said, ("events",))
    except BadReport as error:
        raise NothingUsable(str(error)) from error


def _session_report(said: Mapping[str, Any]) -> tuple[str, SessionReport]:
    require_known(said, EVENT)
    attempt = number_of(said, "attempt")
    return text_of(said.get("cluster", "")), SessionReport(
        session=required_text(said, "session")[:NAME_LIMIT],
        attempt=1 if attempt is None else attempt,
        aliases=tuple(
            name[:NAME_LIMIT]
            for alias in list_of(said, "aliases")[:ALIASES_LIMIT]
            if (name := name_of(alias))
        ),
        scheduler=_scheduler(said),
        job=name_of(said.get("job", ""))[:NAME_LIMIT],
        project=name_of(said.get("project", ""))[:120],
        state=_state(said) or _state_meant(said),
        at=time_of(said),
        hosts=tuple(
            name[:253] for host in list_of(said, "hosts")[:HOSTS_LIMIT] if (name := name_of(host))
        ),
        ranks=_ranks(said),
        exit_codes=_exit_codes(said),
        world_size=number_of(said, "world_size", most=MOST_RANKS),
        scheduler_state=_word(said, "scheduler_state", STATE_LIMIT),
        member=_word(said, "member", MEMBER_LIMIT),
        result=_result(said),
        reason=_word(said, "reason", REASON_LIMIT),
    )


def _scheduler(said: Mapping[str, Any]) -> str:
    """Return the scheduler's name; raise BadReport for a known one with a slip in it."""
    word = text_of(said.get("scheduler", ""))[:40]
    found = None if word.lower() in SCHEDULERS else slipped(word=word, known=SCHEDULERS)
    if found:
        raise BadReport(f"there is no scheduler `{shown(word=word)}`; did you mean `{found}`?")
    return word


def _state(said: Mapping[str, Any]) -> EndState | None:
    word = said.get("state")
    if word is None:
        return None
    if not isinstance(word, str) or word not in set(EndState):
        hint = meant(word=str(word), known=EndState, synonyms=STATES)
        raise BadReport(
            f"there is no state `{shown(word=str(word))}`; {one_of(known=EndState)}{hint}"
        )
    return EndState(word)


def _state_meant(said: Mapping[str, Any]) -> EndState | None:
    """Return what a word of the scheduler means; None before it runs, and of one nobody knows.

    Of an end that the word alone does not explain it is `unknown`: nobody says how it ended.
    """
    word = _word(said, "scheduler_state", STATE_LIMIT)
    if not word:
        return None
    return meaning_of(scheduler=text_of(said.get("scheduler", "")), word=word).state


def _word(said: Mapping[str, Any], name: str, limit: int) -> str:
    """Return a code of at most four words; raise BadReport for a text."""
    word = text_of(said.get(name) or "")
    if word and (len(word) > limit or CODE.fullmatch(word) is None):
        raise BadReport(f"`{name}` must be a code of at most {limit} letters, not a text")
    return word


def _result(said: Mapping[str, Any]) -> str:
    """Return what a try came to: a known result in the spelling of its table, another as it is."""
    word = _word(said, "result", RESULT_LIMIT)
    return word.upper() if word.upper() in known_results() else word


def _ranks(said: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    ranks = object_of(said, "ranks")
    if not all(_is_rank(rank) and isinstance(place, dict) for rank, place in ranks.items()):
        raise BadReport('`ranks` must be {"<rank>": {"host", "gpu", "pci"}}')
    for place in ranks.values():
        require_known(place, RANK)
    return {
        rank: {
            "host": text_of(place.get("host", ""))[:253],
            "gpu": number_of(place, "gpu", most=MOST_GPUS),
            "pci": text_of(place.get("pci") or "").lower(),
            "uuid": text_of(place.get("uuid") or "").lower().removeprefix("gpu-"),
        }
        for rank, place in ranks.items()
    }


def _exit_codes(said: Mapping[str, Any]) -> dict[str, int]:
    codes = object_of(said, "exit_codes")
    if not all(_is_rank(rank) and _is_code(code) for rank, code in codes.items()):
        raise BadReport('`exit_codes` must be {"<rank>": <code>}')
    return codes


def _is_rank(text: str) -> bool:
    # `01` and `1` would be one rank told twice.
    number = rank_number(text)
    return number is not None and str(number) == text


def _is_code(value: Any) -> bool:
    return type(value) is int and -MOST <= value <= MOST
