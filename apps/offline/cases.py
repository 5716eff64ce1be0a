"""Cases of logs, one JSON object a line: what `diagnose --cases` reads."""

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from apps.diagnosis import zone_names
from apps.diagnosis.input_values import MOST_RANKS
from apps.diagnosis.model import Origin, Reading, Stream
from apps.diagnosis.signatures.read import read_source
from apps.diagnosis.spelling import meant, nearest, one_of, shown
from apps.telemetry.files.folder_files import files_in
from apps.telemetry.files.path_suggestions import path_meant
from apps.telemetry.files.unusable_input import UnusableInput

DATE = re.compile(r"\b(20[0-4]\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\b")
SUFFIXES = (".jsonl", ".ndjson", ".json", ".jsonlines")
MOST_FIRST_BYTES = 16 * 2**20
LOGS = "logs"  # beside it a case may hold whatever its owner wants to find again
TEXTS = ("stream", "host", "text", "tz")
LOG = (*TEXTS, "rank")


def read_cases(*, path: Path) -> Iterator[dict[str, Any]]:
    """Yield the cases of a file; raise UnusableInput, naming the line."""
    if not path.exists() or path.is_dir():  # a pipe is read, too: <(…) of a shell
        raise UnusableInput(f"{path}: no such file{path_meant(path=path)}")
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _case(line, f"{path}:{number}")


def refuse_cases(*, paths: Iterable[str], follows_links: bool) -> None:
    """Raise UnusableInput where a file named as a log, or in a folder, holds cases instead."""
    for path in map(Path, paths):
        inside = files_in(root=path, follows_links=follows_links) if path.is_dir() else (path,)
        for one in inside:
            if one.suffix in SUFFIXES and one.is_file() and _begins_with_case(one):
                raise UnusableInput(
                    f"{one}: it holds cases (a line of JSON each, with `id` and `{LOGS}`), not the "
                    f"log of one session: read it with `--cases {one}`, and logs without it"
                )


def _begins_with_case(path: Path) -> bool:
    with path.open("rb") as lines:
        first = lines.readline(MOST_FIRST_BYTES)
    try:
        case = json.loads(first)
    except (ValueError, RecursionError):
        return False
    logs = case.get(LOGS) if isinstance(case, dict) and "id" in case else None
    return isinstance(logs, list) and bool(logs) and not any(map(_refusal, logs))


def case_readings(*, case: dict[str, Any]) -> list[Reading]:
    """Return the readings of one case: `logs` with stream, host, rank, text and tz."""
    logs = case[LOGS]
    latest = _latest_date(log.get("text") or "" for log in logs)
    return [
        read_source(origin=_origin(position, log, latest), text=log.get("text") or "")
        for position, log in enumerate(logs)
    ]


def _case(line: str, where: str) -> dict[str, Any]:
    try:
        case = json.loads(line)
    except ValueError as error:
        raise UnusableInput(f"{where}: not JSON") from error
    if not isinstance(case, dict):
        raise UnusableInput(f"{where}: not an object")
    if LOGS not in case:
        raise UnusableInput(f"{where}: {_no_logs(case)}")
    if not isinstance(case[LOGS], list):
        raise UnusableInput(f"{where}: `{LOGS}` must be a list of objects: {one_of(known=LOG)}")
    for position, log in enumerate(case[LOGS]):
        if refusal := _refusal(log):
            raise UnusableInput(f"{where}: {LOGS}[{position}]: {refusal}")
    return case


def _no_logs(case: dict[str, Any]) -> str:
    """Return that nothing is there to be read, and under which name it probably is."""
    for name in case:
        if nearest(word=name, known=(LOGS,)):
            return f"there is no key `{shown(word=name)}` here{meant(word=name, known=(LOGS,))}"
    return f"`{LOGS}` is missing: a list of objects with {', '.join(LOG)}"


def _refusal(log: Any) -> str:
    """Return what is wrong with one log of a case; empty: nothing."""
    if not isinstance(log, dict):
        return "not an object"
    found = (_wrong_key(name) or _wrong_value(name, value) for name, value in log.items())
    return next((words for words in found if words), "")


def _wrong_key(name: str) -> str:
    if name in LOG:
        return ""
    words = one_of(known=LOG) + meant(word=name, known=LOG)
    return f"there is no key `{shown(word=name)}` here; {words}"


def _wrong_value(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "rank":
        is_one = type(value) is int and 0 <= value <= MOST_RANKS
        return "" if is_one else f"`rank` must be a whole number from 0 to {MOST_RANKS}"
    if not isinstance(value, str):
        return f"`{name}` must be a text"
    return f"`{name}`: {words}" if (words := CHECKS.get(name, _any)(value)) else ""


def _any(_value: str) -> str:
    return ""


def _zone(value: str) -> str:
    is_one = not value or zone_names.is_zone(name=value)
    return "" if is_one else zone_names.refusal(name=value)


def _stream(value: str) -> str:
    """Refuse a misspelt kind; a word like none says that nobody knows, and the text tells."""
    hint = "" if value in set(Stream) else meant(word=value, known=Stream)
    words = f"there is no kind of stream `{shown(word=value)}`; {one_of(known=Stream)}"
    return f"{words}{hint}" if hint else ""


CHECKS = {"tz": _zone, "stream": _stream}


def _latest_date(texts: Iterable[str]) -> datetime | None:
    """Return the latest date with a year that any text prints: yearless stamps beside it are of
    that year.
    """
    found = [one for text in texts for one in DATE.findall(text)]
    dates = [datetime(int(y), int(m), min(int(d), 28), tzinfo=UTC) for y, m, d in found]
    return max(dates, default=None)


def _origin(position: int, log: dict[str, Any], latest: datetime | None) -> Origin:
    said = log.get("stream")
    return Origin(
        source=f"log{position}",
        stream=Stream(said) if said in set(Stream) else None,
        host=log.get("host"),
        rank=log.get("rank"),
        zone=log.get("tz"),
        received_at=latest,
    )
