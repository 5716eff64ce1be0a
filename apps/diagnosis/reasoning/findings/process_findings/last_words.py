"""What lines that tell of a failure speak of, where nothing else speaks."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache

from apps.diagnosis.causes.load import CauseSymptom, load_causes
from apps.diagnosis.echo_exceptions import is_echo
from apps.diagnosis.model import Event, Mark, Observation, Role
from apps.diagnosis.observed import Instant, finding
from apps.diagnosis.reasoning.findings.process_findings.subjects import RAISED, TOLD, subjects_of
from apps.diagnosis.signatures.marks import first_words_of_failure, marked

SPEAKING = frozenset({Role.INITIATING, Role.CONFIRMATION})
# PyTorch's sentence for a result of NCCL, with NCCL's own last words behind it.
RETOLD = marked(Mark.RETOLD)
LAST = RAISED | TOLD | RETOLD
OF_PARTS = marked(Mark.OF_PART)
# Warnings and frames of stacks name much and tell nothing.
ASIDES = ("Warning: ", "WARNING: ", "INFO", "frame #", ", line ", "::", "no error file defined")
# Lines of reports: the title of a table, and what was counted or looked for and is not there, or
# was put right by the part itself.
TITLE = re.compile(r"\s*(?:[A-Z][\w-]{0,30} ){0,4}(?:Error|Failure|Fault)s?\s*:?\s*", re.ASCII)
NOTHING_THERE = re.compile(
    r"[:=]\s{0,4}(?:no|none|0|n/?a|not active|inactive|false|disabled|ok|pass(?:ed)?)[.;,]?\s*$"
    r"|\b(?:no|0|zero) (?:\w{1,20} ){0,2}(?:errors?|failures?|faults?)\b"
    r"|(?:^|[^-\w])corrected (?:\w{1,12} ){0,2}errors?(?: (?:received|detected|found)|[,:]|$)",
    re.ASCII | re.IGNORECASE,
)
# What is left of others' failures.
ENDINGS = (
    "connection reset",
    "connection closed",
    "closed by peer",
    "broken pipe",
    "watchdog",
    "remote process",
    "process group",
    "nccl error",
    "socket timeout",
    "store->get",
    "store based barrier",
    "sigterm",
    "sigabrt",
    "exitcode",
    "non-zero exit",
    "was aborted",
    "keepalive",
    "likely closed",
    "recvvalue",
    "heartbeat",
)
# A list of what it may have been states none of it.
GUESSES = ("possible cause", "possible reason", "potential cause", "potential root cause")
# What weighs less leaves the question open.
STATES = 4.0
MOST_TOLD = 400
# Other ranks may still print the step that they had done when one failed.
WENT_ON_AFTER, WENT_ON_LINES = timedelta(seconds=30), 10
STEPS = marked(Mark.STEP)


def spoken(events: Sequence[Event], instant: Instant) -> Iterator[Observation]:
    """Yield what the lines that tell of a failure speak of, where nothing else speaks and they
    speak of one layer.
    """
    if any(_speaks(e) for e in events):
        return
    told = [e for e in events if e.signature in LAST and not _is_aside(e)]
    last = _last_steps(events, instant)
    told = [e for e in told if e.signature not in TOLD or not _is_lived_through(e, last, instant)]
    about: dict[str, list[Event]] = defaultdict(list)
    for event in told[:MOST_TOLD]:
        for slug in _subjects(event):
            about[slug].append(event)
    causes = load_causes()
    if len({causes[slug].layer for slug in about}) != 1:
        return
    slug = max(sorted(about), key=lambda one: len(about[one]))
    layer = causes[slug].layer
    yield replace(finding("last-words", about[slug], instant, None, layer), fields={"about": slug})


def _last_steps(events: Sequence[Event], instant: Instant) -> dict[str, Event]:
    """Return the last step of each log, and the latest of all under no name."""
    steps = [e for e in events if e.signature in STEPS]
    last = {e.line.origin.source: e for e in sorted(steps, key=lambda one: one.order_key)}
    dated = [(at, *e.order_key, e) for e in last.values() if (at := instant(e)[0]) is not None]
    return last | ({"": max(dated)[-1]} if dated else {})


def _is_lived_through(event: Event, last: Mapping[str, Event], instant: Instant) -> bool:
    """Say whether training went on for long after a line that nothing knows: it warned only."""
    at, error = instant(event)
    latest, mine = last.get(""), last.get(event.line.origin.source)
    until, wide = instant(latest) if latest else (None, error)
    if at is not None and until is not None:
        return until - at >= WENT_ON_AFTER + error + wide
    return mine is not None and mine.line.number - event.line.number >= WENT_ON_LINES


def _subjects(event: Event) -> Sequence[str]:
    """Return the causes that an event speaks of: by its words, else by the part that prints it."""
    if event.signature not in OF_PARTS:
        return subjects_of(event.line.text)
    if first_words_of_failure(text=event.line.text) is None:
        return ()  # a part warns of much that harms nobody
    return subjects_of(event.line.text) or event.causes


def _is_aside(event: Event) -> bool:
    """Say whether a line only warns, repeats what became of others, or is a frame of a stack."""
    if event.signature in RETOLD:
        return False
    if event.signature in RAISED and is_echo(event):
        return True
    text = event.line.text
    if TITLE.fullmatch(text) or NOTHING_THERE.search(text):
        return True
    low = text.lower()
    return any(mark in text for mark in ASIDES) or any(one in low for one in (*ENDINGS, *GUESSES))


def _speaks(event: Event) -> bool:
    """Say whether a line states what some cause weighs, or names causes that none lists."""
    if event.role not in SPEAKING or not event.causes or event.signature in RAISED:
        return False
    listed = _listed().get(event.signature, ())
    return not listed or any(
        one.weight >= STATES
        and one.contains in event.line.text.lower()
        and all(event.fields.get(name, "") in said for name, said in one.where.items())
        for one in listed
    )


@cache
def _listed() -> dict[str, list[CauseSymptom]]:
    """Return what the causes list, by the signature."""
    found: dict[str, list[CauseSymptom]] = defaultdict(list)
    for cause in load_causes().values():
        for one in cause.symptoms:
            found[one.sign].append(one)
    return found
