"""What lines that tell of a failure speak of, where nothing else speaks."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from apps.diagnosis.causes.load import CauseSymptom, load_causes
from apps.diagnosis.model import Event, Mark, Observation, Role
from apps.diagnosis.observed import Instant, finding
from apps.diagnosis.reasoning.findings.process_findings.exceptions import is_echo
from apps.diagnosis.reasoning.findings.process_findings.subjects import RAISED, TOLD, subjects_of
from apps.diagnosis.signatures.marks import marked

SPEAKING = frozenset({Role.INITIATING, Role.CONFIRMATION})
# PyTorch's sentence for a result of NCCL, with NCCL's own last words behind it.
RETOLD = marked(Mark.RETOLD)
LAST = RAISED | TOLD | RETOLD
# Warnings and frames of stacks name much and tell nothing.
ASIDES = ("Warning: ", "WARNING: ", "INFO", "frame #", ", line ", "::", "no error file defined")
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
# What weighs less leaves the question open.
STATES = 4.0
MOST_TOLD = 400


def spoken(events: Sequence[Event], instant: Instant) -> Iterator[Observation]:
    """Yield what the lines that tell of a failure speak of, where nothing else speaks and they
    speak of one layer.
    """
    if any(_speaks(e) for e in events):
        return
    told = [e for e in events if e.signature in LAST and not _is_aside(e)]
    about: dict[str, list[Event]] = defaultdict(list)
    for event in told[:MOST_TOLD]:
        for slug in subjects_of(event.line.text):
            about[slug].append(event)
    causes = load_causes()
    if len({causes[slug].layer for slug in about}) != 1:
        return
    slug = max(sorted(about), key=lambda one: len(about[one]))
    layer = causes[slug].layer
    yield replace(finding("last-words", about[slug], instant, None, layer), fields={"about": slug})


def _is_aside(event: Event) -> bool:
    """Say whether a line only warns, repeats what became of others, or is a frame of a stack."""
    if event.signature in RETOLD:
        return False
    if event.signature in RAISED and is_echo(event):
        return True
    text = event.line.text
    return any(mark in text for mark in ASIDES) or any(mark in text.lower() for mark in ENDINGS)


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
