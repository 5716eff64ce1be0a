"""An evidence bundle in plain words, and its lines as files that a diagnosis reads."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from apps.diagnosis.input_values import visible
from apps.diagnosis.model import Stream
from apps.sharing.bundles.bundle_file import BundleFile

LINES: Final = "lines.ndjson"
# What becomes a name of a file is another party's word: nothing that leads out of the folder, that
# a terminal reads as more than text, or that no file can be called.
SAFE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
STREAMS: Final = frozenset(str(each) for each in Stream)
MOST_LOGS: Final = 2_000  # files; a bundle cites at most a thousand lines and their neighbours
MOST_SHOWN: Final = 200  # letters of one value
SHOWN_NAME: Final = 60  # letters of a name that is refused
REASONS: Final[Mapping[str, str]] = {
    "not-yours": "another party's",
    "names-another-party": "they name another party",
    "not-kept": "not kept any more",
    "over-limit": "more than a bundle holds",
}


class BadLogs(ValueError):
    """The lines of a bundle can't be written; the text says why."""


def summary(bundle: BundleFile) -> Iterator[str]:
    """Yield what a bundle is and holds, a line each. What it says of itself is any text."""
    told = bundle.manifest
    yield f"The bundle is as it was made. SHA-256 {bundle.digest}"
    yield f"{_said(told, 'bundle')}, of incident {_said(told, 'incident')}"
    yield f"from {_name(told.get('holder'))} for {', '.join(map(_name, _list(told, 'recipients')))}"
    if told.get("simulated"):
        yield "simulated data"
    if told.get("purpose"):
        yield f"what for: {_said(told, 'purpose')}"
    yield f"made {_said(told, 'made_at')}, to be used until {_said(told, 'expires_at')}"
    redaction = _mapping(told, "redaction")
    yield " ".join(["names:", *(_said(redaction, each) for each in ("level", "profile"))]).rstrip()
    counts = _mapping(told, "counts")
    yield ", ".join(f"{_text(count)} {_text(what)}" for what, count in counts.items())
    for each in _list(told, "withheld"):
        if isinstance(each, Mapping):
            why = REASONS.get(str(each.get("why")), "")
            yield f"withheld: {_said(each, 'count')} {_said(each, 'what')} ({why})"


def write_logs(*, bundle: BundleFile, folder: Path) -> int:
    """Write the lines as `<stream>/<host>.log` into a new folder; return how many files.

    Raises BadLogs, OSError.
    """
    logs: dict[tuple[str, str], list[str]] = {}
    told = bundle.files.get(LINES, b"").decode("utf-8", "replace").splitlines()
    for number, line in enumerate(told, start=1):
        stream, host, text = _line(line, at=f"{LINES} line {number}")
        logs.setdefault((stream, host), []).append(text)
        if len(logs) > MOST_LOGS:
            raise BadLogs(f"{LINES} names more than {MOST_LOGS:,} logs: nothing was written")
    if not logs:
        raise BadLogs("the bundle holds no lines")
    folder.mkdir(parents=True)
    for (stream, host), texts in logs.items():
        path = folder / stream / f"{host}.log"
        path.parent.mkdir(exist_ok=True)
        # JSON may spell halves of letters, which no file holds.
        path.write_text("\n".join(texts) + "\n", "utf-8", errors="replace")
    return len(logs)


def _line(line: str, *, at: str) -> tuple[str, str, str]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise BadLogs(f"{at}: no JSON object")
    stream, host = (str(told.get(each) or "unknown") for each in ("stream", "host"))
    if stream not in STREAMS:
        raise BadLogs(f"{at}: no kind of log is called {_refused(stream)}")
    if not SAFE.fullmatch(host):
        raise BadLogs(f"{at}: {_refused(host)} can't be the name of a file")
    return stream, host, str(told.get("text", ""))


def _refused(name: str) -> str:
    cut = "…" if len(name) > SHOWN_NAME else ""
    return f"“{visible(name[:SHOWN_NAME])}{cut}”"


def _name(told: object) -> str:
    if not isinstance(told, Mapping):
        return "?"
    return _text(told.get("name") or told.get("outside"))


def _said(told: Mapping[str, Any], name: str) -> str:
    return _text(told.get(name) or "")


def _text(value: object) -> str:
    return visible(" ".join(str(value).split()))[:MOST_SHOWN]


def _list(told: Mapping[str, Any], name: str) -> list[Any]:
    value = told.get(name)
    return value if isinstance(value, list) else []


def _mapping(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = told.get(name)
    return value if isinstance(value, Mapping) else {}
