"""Answers of a metrics server: whether they can be read, are small enough, and refuse the query."""

from typing import Any, Final

import orjson

from apps.diagnosis.json_weight import has_more_values, is_heavier

# Of an answer that only a JSON parser reads: a sample takes twelve times its letters.
MOST_MEMORY: Final = 64 * 2**20
MEMORY_A_BYTE: Final = 6
# A large server has some ten thousand.
MOST_NAMES: Final = 200_000


class AnswerUnreadable(Exception):
    """The answer is no result of the Prometheus HTTP API."""


class QueryRefused(Exception):
    """The server understood the request and refused it; the message is its own, cut short."""


def results(body: bytes, *, kind: str) -> list[dict[str, Any]]:
    """Return `data.result` of an answer, checked; raise what is wrong with it."""
    return list(checked(loaded(body), kind=kind)["data"]["result"])


def loaded(body: bytes) -> Any:
    """Return an answer as objects; raise AnswerUnreadable."""
    check_answer(body)
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise AnswerUnreadable(f"not JSON but {_looks_like(body)}") from error


def check_answer(body: bytes) -> None:
    """Raise AnswerUnreadable for JSON that would take far more memory than samples do."""
    if is_heavier(text=body, most=MOST_MEMORY + MEMORY_A_BYTE * len(body)):
        raise AnswerUnreadable("JSON of far more values than its size is for")


def check_names(body: bytes) -> None:
    """Raise AnswerUnreadable for more values than any server has names; they are parsed later."""
    if has_more_values(text=body, most=MOST_NAMES):
        raise AnswerUnreadable(f"JSON of more than {MOST_NAMES:,} values")


def checked(answer: Any, *, kind: str) -> dict[str, Any]:
    if isinstance(answer, dict) and answer.get("status") == "error":
        raise QueryRefused(str(answer.get("error", ""))[:200])
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(answer, dict) or not isinstance(data, dict) or data.get("resultType") != kind:
        raise AnswerUnreadable(f"JSON, but no {kind} of the Prometheus HTTP API")
    result = data.get("result")
    if not isinstance(result, list) or not all(isinstance(each, dict) for each in result):
        raise AnswerUnreadable("JSON, but its result is no list of series")
    return answer


def remark(answer: dict[str, Any], *, is_empty: bool = False) -> str:
    """Return the first thing a server warns of beside its answer, or nothing."""
    if is_empty and answer["data"]["result"]:
        raise ValueError("a series of another shape")
    warnings = answer.get("warnings") or []
    if isinstance(warnings, list) and warnings:
        return str(warnings[0])[:120]
    return "it says that its answer is partial" if answer.get("isPartial") is True else ""


def _looks_like(body: bytes) -> str:
    head = body[:200].lstrip().lower()
    if not head:
        return "empty"
    return "an HTML page" if head.startswith((b"<!doctype", b"<html")) else "something else"
