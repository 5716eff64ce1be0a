"""A range answer of the Prometheus HTTP API → numpy, without an object per sample."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from apps.diagnosis.metrics.frames import Samples

HEAD = b'{"status":"success"'
TYPE = b'"resultType":"matrix"'
START = b'{"metric":{'
EMPTY = b'"result":[]'
WARNINGS = b'"warnings":["'
VALUES = b'},"values":[['
TO_SPACE = bytes.maketrans(b'[]",', b"    ")


class AnswerUnreadable(Exception):
    """The answer is no result of the Prometheus HTTP API."""


class QueryRefused(Exception):
    """The server understood the request and refused it; the message is its own, cut short."""


def parse(body: bytes) -> list[Samples]:
    """Return the series of a matrix answer; native histograms are left out.

    The quick way looks for marks that cannot stand inside a JSON string (a quote there is
    escaped), so label values may hold anything. What it does not know goes through a JSON parser.
    """
    if body.startswith(HEAD) and TYPE in body[:200]:
        try:
            return list(_scan(body))
        except ValueError:
            pass
    return list(_decode(body))


def _scan(body: bytes) -> Iterator[Samples]:
    start = body.find(START)
    # An answer without series is short: a JSON parser says whether it is whole.
    if start < 0 and (EMPTY not in body[:200] or not orjson.loads(body)):
        raise ValueError("no series, and no empty list of them")
    while start >= 0:
        following = body.find(START, start + len(START))
        limit = following if following >= 0 else len(body)
        values = body.find(VALUES, start, limit)
        if values >= 0:
            end = body.find(b"]]", values, limit)
            if end < 0:
                raise ValueError("cut short")
            labels = orjson.loads(body[start + len(START) - 1 : values + 1])
            if not all(isinstance(value, str) for value in labels.values()):
                raise ValueError("a label is no text")
            pairs = _numbers(body[values + len(VALUES) : end])
            yield Samples(labels=labels, at=pairs[:, 0], values=pairs[:, 1])
        start = following
    if not body.rstrip().endswith(b"}"):
        raise ValueError("cut short")


def _numbers(text: bytes) -> NDArray[np.float64]:
    """Return the (time, value) pairs; what is no number raises ValueError."""
    return np.fromstring(text.translate(TO_SPACE), dtype=np.float64, sep=" ").reshape(-1, 2)


def _decode(body: bytes) -> Iterator[Samples]:
    for entry in results(body, kind="matrix"):
        try:
            pairs = entry.get("values", [])
            labels = {str(key): str(value) for key, value in entry["metric"].items()}
            at = np.array([float(pair[0]) for pair in pairs], dtype=np.float64)
            values = np.array([float(pair[1]) for pair in pairs], dtype=np.float64)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise AnswerUnreadable("a series of the answer has another shape") from error
        if len(at):
            yield Samples(labels=labels, at=at, values=values)


def first_warning(body: bytes) -> str:
    """Return the first thing a server warns of beside its answer, or nothing; cut short."""
    start = body.rfind(WARNINGS)
    if start < 0:
        return ""
    text = body[start + len(WARNINGS) - 2 : start + 64 * 1024]
    try:
        warnings = orjson.loads(text[: text.find(b'"]') + 2])
    except orjson.JSONDecodeError:
        return "the server warns of something"
    return str(warnings[0])[:120] if warnings else ""


def results(body: bytes, *, kind: str) -> list[dict[str, Any]]:
    """Return `data.result` of an answer, checked; raise what is wrong with it."""
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise AnswerUnreadable(f"not JSON but {_looks_like(body)}") from error
    if isinstance(answer, dict) and answer.get("status") == "error":
        raise QueryRefused(str(answer.get("error", ""))[:200])
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, dict) or data.get("resultType") != kind:
        raise AnswerUnreadable(f"JSON, but no {kind} of the Prometheus HTTP API")
    result = data.get("result")
    if not isinstance(result, list) or not all(isinstance(each, dict) for each in result):
        raise AnswerUnreadable("JSON, but its result is no list of series")
    return result


def _looks_like(body: bytes) -> str:
    head = body[:200].lstrip().lower()
    if not head:
        return "empty"
    return "an HTML page" if head.startswith((b"<!doctype", b"<html")) else "something else"
