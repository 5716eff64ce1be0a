"""Evidence and moments that former versions stored in words, as the facts that they tell.

What is not recognised stays in its words.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import cache, lru_cache
from typing import Any

from apps.diagnosis.causes.load import PLACE, Cause, CauseSymptom, load_causes
from apps.diagnosis.model import Statement, statement, statement_json
from apps.diagnosis.observed import FINDING, METRIC, measurement
from apps.diagnosis.signatures.load import NUMBERS, load_catalog

Fields = Mapping[str, str]
UNKNOWN_VALUE = "…"
SIGNAL = r"(?P<signal>[a-z]+(?:\.[a-z0-9_]+)+|a metric)"
MEASURED = re.compile(rf"(?P<detector>[a-z]+(?: [a-z]+)*) of {SIGNAL}")
SEEN_OF_PART = re.compile(
    r"consistent with (?P<detector>[a-z ]+) at (?P<kind>server|mount|program|switch|link)"
    r"(?: (?P<name>.+))?, seen on (?P<count>\d+) hosts"
)
NUMBERED = re.compile(r"(?P<meaning>.+) \((?P<called>SXid|Xid) (?P<number>\d+)\)")
ON_HOSTS = re.compile(r"(?P<what>.+) on (?P<count>\d+) hosts")
SPAN = r"(?P<span>\d+) (?P<unit>s|min|h|days)"
SPANS = {
    "ended-before": re.compile(rf"it ended {SPAN} before the failure"),
    "came-after-stop": re.compile(rf"it came {SPAN} after the session had stopped"),
    "over-before": re.compile(rf"it was over {SPAN} before the failure"),
    "came-before-last-fault": re.compile(rf"it came {SPAN} before the last fault of its log"),
    "kernel-counts-on": re.compile(
        rf"the kernel's log prints no time, and goes on for {SPAN} after it"
    ),
}
SECONDS = {"s": 1, "min": 60, "h": 3600, "days": 86_400}
OF_OTHERS = re.compile(r"(?P<host>\S+) was not part of this session")
FIXED = {
    "the session began to fail": statement("began-to-fail"),
    "it was over again; nobody says when": statement("over-again"),
    "the session made further steps after it": statement("session-went-on"),
    "another worker had failed before, by the table of its launcher": statement(
        "later-than-another-worker"
    ),
    "somebody ended a session that had become slow": statement("ended-as-slow"),
    "the session's log does not say when it ran": statement("session-untimed"),
    "the session's log says neither when it ran nor on which hosts": statement(
        "session-untimed-and-unplaced"
    ),
}


def evidence_fact(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a piece of evidence tells."""
    words, known = str(row["text"]), row.get("fact") or {}
    fields = known.get("fields") or {}
    causes = (str(row["cause"]).rpartition("/")[2],)
    told = _line(words, known.get("signature"), fields) or _fact(words, causes)
    return statement_json(told or statement("text", text=words))


def moment_fact(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a moment tells."""
    title, detail = str(row["title"]), row["detail"] or {}
    fields = detail.get("fields") or {}
    name = fields.get("alert")
    if name and title.endswith(f": {name}"):
        what = _moment(title[: -len(f": {name}")], detail.get("signature"), fields)
        told = statement("alert-named", what=what, name=name) if what else None
    else:
        told = _moment(title, detail.get("signature"), fields)
    return statement_json(told or statement("text", text=title))


def _moment(title: str, signature: str | None, fields: Fields) -> Statement | None:
    found = ON_HOSTS.fullmatch(title)
    what = _on_part(found["what"], signature, fields) if found else None
    if found and what:
        return statement("on-hosts", what=what, count=int(found["count"]))
    return _on_part(title, signature, fields)


def _on_part(title: str, signature: str | None, fields: Fields) -> Statement | None:
    causes = tuple(load_causes())
    if known := _line(title, signature, fields) or _fact(title, causes):
        return known
    rest, _comma, part = title.rpartition(", ")
    what = (_line(rest, signature, fields) or _fact(rest, causes)) if rest else None
    return statement("of-part", what=what, part=part) if what else None


def _line(words: str, signature: str | None, fields: Fields) -> Statement | None:
    """Return what a line of a signature says, where these are its words."""
    known = load_catalog().get(signature or "")
    if known is None:
        return None
    told = {name: str(value) for name, value in fields.items()}
    bare = {name: value for name, value in told.items() if name not in dict(NUMBERS)}
    meant = (each for each in (told, bare) if known.meaning_of(fields=each) == words)
    return next((known.fact_of(fields=each) for each in meant), None)


@lru_cache(maxsize=4096)
def _fact(words: str, causes: tuple[str, ...]) -> Statement | None:
    told = _begun_small(words)
    return FIXED.get(told) or next(_readings(words, told, causes), None)


def _readings(words: str, told: str, causes: tuple[str, ...]) -> Iterator[Statement]:
    if words.startswith(FINDING):
        yield statement("finding", name=words.removeprefix(FINDING))
    if words.startswith(METRIC):
        yield measurement(kind=words.removeprefix(METRIC), signal=None)
    yield from _symptoms(told, causes)
    yield from _meanings(words)
    if found := MEASURED.fullmatch(told):
        yield _measured(found["detector"], found["signal"])
    if found := SEEN_OF_PART.fullmatch(told):
        part = statement("part", kind=found["kind"], name=found["name"])
        what = _measured(found["detector"], "")
        yield statement("seen-of-part", what=what, part=part, count=int(found["count"]))
    if found := OF_OTHERS.fullmatch(words):
        yield statement("host-of-others", host=found["host"])
    for kind, pattern in SPANS.items():
        if found := pattern.fullmatch(told):
            span = timedelta(seconds=int(found["span"]) * SECONDS[found["unit"]])
            yield Statement(kind, (("span", span),))


def _measured(detector: str, signal: str) -> Statement:
    is_named = "." in signal
    return measurement(kind=detector.replace(" ", "-"), signal=signal if is_named else None)


def _symptoms(told: str, causes: tuple[str, ...]) -> Iterator[Statement]:
    for slug, symptom in _plain().get(told, ()):
        if slug in causes:
            yield load_causes()[slug].symptom_fact(symptom=symptom, fields={})
    for cause, symptom in _with_places():
        found = _in_places(_begun_small(symptom.text), told) if cause.slug in causes else None
        if found is not None:
            pairs = zip(PLACE.findall(symptom.text), found, strict=True)
            fields = {name: value for name, value in pairs if value != UNKNOWN_VALUE}
            yield cause.symptom_fact(symptom=symptom, fields=fields)


@cache
def _plain() -> Mapping[str, list[tuple[str, CauseSymptom]]]:
    found: dict[str, list[tuple[str, CauseSymptom]]] = {}
    for slug, cause in load_causes().items():
        for symptom in cause.symptoms:
            if not PLACE.search(symptom.text):
                found.setdefault(_begun_small(symptom.text), []).append((slug, symptom))
    return found


@cache
def _with_places() -> list[tuple[Cause, CauseSymptom]]:
    return [
        (cause, symptom)
        for cause in load_causes().values()
        for symptom in cause.symptoms
        if PLACE.search(symptom.text)
    ]


def _in_places(text: str, told: str) -> list[str] | None:
    """Return what stands in the places of a text, None where the words are others."""
    first, *parts = PLACE.split(text)[::2]  # texts and names of places in turn
    if not told.startswith(first):
        return None
    values, at = [], len(first)
    for part in parts:
        end = told.find(part, at) if part else len(told)
        if end <= at:
            return None
        values.append(told[at:end])
        at = end + len(part)
    return values if at == len(told) else None


def _meanings(words: str) -> Iterator[Statement]:
    """Yield what a line says by its meaning alone: rows of former versions name no signature."""
    if key := _by_meaning().get(words):
        yield load_catalog()[key].fact_of(fields={})
    if (found := NUMBERED.fullmatch(words)) and (key := _by_meaning().get(found["meaning"])):
        names = {called: name for name, called in NUMBERS}
        yield load_catalog()[key].fact_of(fields={names[found["called"]]: found["number"]})


@cache
def _by_meaning() -> Mapping[str, str]:
    return {each.meaning: key for key, each in load_catalog().items() if each.meaning}


def _begun_small(words: str) -> str:
    return words[:1].lower() + words[1:]
