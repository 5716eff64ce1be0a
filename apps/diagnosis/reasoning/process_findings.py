"""Facts that processes tell by how many of them raised or left, and with what."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from apps.diagnosis.causes.load import Symptom, load_causes, load_subjects
from apps.diagnosis.model import Event, Layer, Observation, Role
from apps.diagnosis.observed import HostOf, Instant, finding, rank_of
from apps.diagnosis.signatures.load import load_catalog

# Ends of exceptions that only tell what happened to others, or what a signature of its own tells.
ECHOES = (
    "distbackenderror",
    "distnetworkerror",
    "diststoreerror",
    "childfailederror",
    "rendezvous",
    "nccl",
    "connectionreset",
    "brokenpipe",
    "connection closed",
    "connection reset",
    "signalexception",
    "keyboardinterrupt",
    "systemexit",
    "cuda error",
    "acceleratorerror",
    "outofmemoryerror",
    "broken pipe",
    "gloo",
    "stale file",
    "actordied",
    "actorhandle",
    "raytaskerror",
    "calledprocesserror",
    "process group",
    "timed out",
    "timeout",
    "watchdog",
    "enginedeaderror",
    "engine core",
    "xlaruntimeerror",
    "jaxruntimeerror",
    "dataloader worker",
    "errno 28",
    "no space left",
    "collectives on ranks",
    "remote",
    "socket",
    "enforce fail",
    "refused",
    "gaierror",
    "unreachable",
    "name resolution",
    "not known",
    "memoryerror",
    "bad_alloc",
    "cannot allocate memory",
    "errno 5",
    "errno 12",
    "quota",
    "too many open files",
    "start new thread",
)
SPEAKING = frozenset({Role.INITIATING, Role.CONFIRMATION})
# An exception of any class, and a line that tells of a failure in words nothing else knows.
RAISED, TOLD = "py-exception-final", "yet-unknown-failure"
# PyTorch's sentence for a result of NCCL, with NCCL's own last words behind it.
RETOLD = "pg-nccl-interpret"
LAST = frozenset({RAISED, TOLD, RETOLD})
# Warnings and frames of stacks name much and tell nothing.
ASIDES = ("Warning: ", "WARNING: ", "INFO", "frame #", ", line ", "::")
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
# So near to the word of failure stands what failed.
NEAR = 140
MOST_TOLD = 400
OWN = "rank-exception"
# Python raises these for what a program did itself; others are raised for anything.
OF_THE_PROGRAM = frozenset(
    {
        "ArithmeticError",
        "AssertionError",
        "AttributeError",
        "ConfigAttributeError",
        "ConfigKeyError",
        "ImportError",
        "IndentationError",
        "IndexError",
        "JSONDecodeError",
        "KeyError",
        "ModuleNotFoundError",
        "NameError",
        "NotImplementedError",
        "OverflowError",
        "RecursionError",
        "ShapeError",
        "SyntaxError",
        "TemplateError",
        "TypeError",
        "UnboundLocalError",
        "UndefinedError",
        "UnicodeDecodeError",
        "UnicodeEncodeError",
        "UnicodeError",
        "ValidationError",
        "ValueError",
        "ZeroDivisionError",
    }
)
# The program's own where the message does not speak of what surrounds it.
WIDE = frozenset({"AssertionError", "ImportError", "ValueError", "NotImplementedError"})
SURROUNDINGS = re.compile(
    r"\b(?:files?|director(?:y|ies)|folders?|paths?|disks?|storage|mounts?|devices?|memory|ram|shm"
    r"|network|hosts?|nodes?|address|ports?|ip|connect\w*|servers?|url|https?|gpus?|cuda|hip|rocm"
    r"|npu|xpu|tpu|driver|nvml|placement|resources?|process(?:es)?|workers?|actors?|killed|signal"
    r"|spawn|backends?|init\w*|clusters?|ranks?|world|shards?|checkpoints?|downloads?|librar(?:y|ies)"
    r"|lib\w+|symbol|compiled|versions?|permission|denied|locks?|corrupt\w*|cannot open|unavailable"
    r"|heartbeat|healthy|unhealthy|died|dead|crashed|exited|lost"
    r"|failed to (?:create|start|open|load|read|write))\b"
)
FAILED = load_catalog()[TOLD].pattern


def derive(*, events: Sequence[Event], instant: Instant, host_of: HostOf) -> list[Observation]:
    """Return what exceptions and exits say together and no line says alone."""
    return [
        *_exceptions(events, instant, host_of),
        *_exits(events, instant, host_of),
        *_last_words(events, instant),
    ]


def _exceptions(
    events: Sequence[Event], instant: Instant, host_of: HostOf
) -> Iterator[Observation]:
    """Yield exceptions of a rank's own: not about communication, GPUs or files that went away."""
    own = [e for e in events if e.signature == RAISED and not _is_echo(e)]
    if not own:
        return
    ranks = {rank for e in own if (rank := rank_of(e)) is not None}
    told = {rank for e in events if e.role is Role.CASCADE and (rank := rank_of(e)) is not None}
    host = host_of(own[0]) if len(ranks) <= 1 else None
    telling = [e for e in own if _is_of_the_program(e)]
    if telling:
        is_lone = len(ranks) <= 2 or len(ranks) * 4 <= len(told)
        name = "lone-exception" if is_lone else "shared-exception"
        yield finding(name, telling, instant, host, Layer.SOFTWARE, ranks)
    elif opaque := [e for e in own if _is_opaque(e)]:
        yield finding("opaque-exception", opaque, instant, host, Layer.SOFTWARE, ranks)


def _is_of_the_program(event: Event) -> bool:
    """Say whether the class of an exception tells that the program did it, not what it runs on."""
    kind = event.fields.get("exc", "").rpartition(".")[2]
    if kind not in OF_THE_PROGRAM:
        return False
    return kind not in WIDE or not (_speaks_of_surroundings(event) or _is_about_others(event))


def _is_opaque(event: Event) -> bool:
    """Say whether an exception may be the program's: nothing in it points elsewhere."""
    kind = event.fields.get("exc", "").rpartition(".")[2]
    if _is_about_others(event):
        return False
    return kind in OF_THE_PROGRAM or not _speaks_of_surroundings(event)


def _is_about_others(event: Event) -> bool:
    """Say whether the words of an exception stand for a cause outside the program."""
    layers = {load_causes()[slug].layer for slug in _subjects(event.line.text)}
    return bool(layers - {Layer.SOFTWARE})


def _speaks_of_surroundings(event: Event) -> bool:
    fields = event.fields
    return (
        SURROUNDINGS.search(f"{fields.get('exc', '')} {fields.get('msg', '')}".lower()) is not None
    )


def _is_echo(event: Event) -> bool:
    text = event.line.text.lower()
    return any(word in text for word in ECHOES)


def _last_words(events: Sequence[Event], instant: Instant) -> Iterator[Observation]:
    """Yield what the lines that tell of a failure speak of, where nothing else speaks and they
    speak of one layer.
    """
    if any(_speaks(e) for e in events):
        return
    told = [e for e in events if e.signature in LAST and not _is_aside(e)]
    about: dict[str, list[Event]] = defaultdict(list)
    for event in told[:MOST_TOLD]:
        for slug in _subjects(event.line.text):
            about[slug].append(event)
    causes = load_causes()
    if len({causes[slug].layer for slug in about}) != 1:
        return
    slug = max(sorted(about), key=lambda one: len(about[one]))
    layer = causes[slug].layer
    yield replace(finding("last-words", about[slug], instant, None, layer), fields={"about": slug})


def _is_aside(event: Event) -> bool:
    """Say whether a line only warns, repeats what became of others, or is a frame of a stack."""
    if event.signature == RETOLD:
        return False
    if event.signature == RAISED and _is_echo(event):
        return True
    text = event.line.text
    return any(mark in text for mark in ASIDES) or any(mark in text.lower() for mark in ENDINGS)


def _speaks(event: Event) -> bool:
    """Say whether a line states what some cause weighs, or names causes that none lists."""
    if event.role not in SPEAKING or not event.causes or event.signature == RAISED:
        return False
    listed = _listed().get(event.signature, ())
    return not listed or any(
        one.weight >= STATES
        and one.contains in event.line.text.lower()
        and all(event.fields.get(name, "") in said for name, said in one.where.items())
        for one in listed
    )


@cache
def _listed() -> dict[str, list[Symptom]]:
    """Return what the causes list, by the signature."""
    found: dict[str, list[Symptom]] = defaultdict(list)
    for cause in load_causes().values():
        for one in cause.symptoms:
            found[one.sign].append(one)
    return found


def _subjects(text: str) -> list[str]:
    """Return the causes that a line's words stand for; its own data only beside nothing else."""
    start = FAILED.search(text)
    near = text[max(0, start.start() - NEAR) : start.end() + NEAR] if start else text[:NEAR]
    found = {
        slug: {match[0].lower() for match in pattern.finditer(near)}
        for slug, pattern in load_subjects().items()
    }
    named: dict[Layer, set[str]] = defaultdict(set)
    for slug, words in found.items():
        if slug != OWN:
            named[load_causes()[slug].layer] |= words
    most = max((len(words) for words in named.values()), default=0)
    if not most:
        return [OWN] if found[OWN] else []
    return [
        slug
        for slug, words in found.items()
        if words and slug != OWN and len(named[load_causes()[slug].layer]) == most
    ]


def _exits(events: Sequence[Event], instant: Instant, host_of: HostOf) -> Iterator[Observation]:
    """Yield a first exit with a code of its own: killed, crashed or failed before the others were
    ended.
    """
    exits = [(code, e) for e in events if (code := _exit_code(e)) is not None]
    codes = {code for code, _ in exits}
    for code, name in ((-9, "killed-first"), (137, "killed-first"), (1, "lone-exit")):
        members = [e for left_with, e in exits if left_with == code]
        # Survivors are finished off with -9 half a minute after another rank's own error.
        is_cleanup = code in {-9, 137} and bool(codes & {1, -6, -11, -7, 134})
        if members and not is_cleanup and len({rank_of(e) for e in members}) <= 2:
            ranks = {rank for e in members if (rank := _exit_rank(e)) is not None}
            yield finding(name, members, instant, host_of(members[0]), None, ranks)


def _exit_code(event: Event) -> int | None:
    """Return the code a process left with; a signal counts as its negative."""
    code, signal = event.fields.get("exitcode", ""), event.fields.get("signal", "")
    if code.lstrip("-").isdigit():
        return int(code)
    return -int(signal) if event.signature == "mpi-exit-signal" and signal.isdigit() else None


def _exit_rank(event: Event) -> int | None:
    said = event.fields.get("rank", "")
    return int(said) if said.isdigit() else rank_of(event)
