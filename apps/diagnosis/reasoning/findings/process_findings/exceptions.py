"""Exceptions of a rank's own: not about communication, GPUs or files that went away."""

import re
from collections.abc import Iterator, Sequence, Set

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.echo_exceptions import is_echo
from apps.diagnosis.exits import is_shared
from apps.diagnosis.model import Event, Layer, Observation, Role
from apps.diagnosis.observed import HostOf, Instant, finding, rank_of
from apps.diagnosis.reasoning.findings.process_findings.subjects import RAISED, subjects_of

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
# So many others that wait say that the rank was alone.
LEAST_OTHERS = 2
SURROUNDINGS = re.compile(
    r"\b(?:files?|director(?:y|ies)|folders?|paths?|disks?|storage|mounts?|devices?|memory|ram|shm"
    r"|network|hosts?|nodes?|address|ports?|ip|connect\w*|servers?|url|https?|gpus?|cuda|hip|rocm"
    r"|npu|xpu|tpu|driver|nvml|placement|resources?|process(?:es)?|workers?|actors?|killed|signal"
    r"|spawn|backends?|init\w*|clusters?|ranks?|world|shards?|checkpoints?|downloads?|librar(?:y|ies)"
    r"|lib\w+|symbol|compiled|versions?|permission|denied|locks?|corrupt\w*|cannot open|unavailable"
    r"|heartbeat|healthy|unhealthy|died|dead|crashed|exited|lost"
    r"|failed to (?:create|start|open|load|read|write))\b"
)


def raised(events: Sequence[Event], instant: Instant, host_of: HostOf) -> Iterator[Observation]:
    """Yield exceptions of a rank's own: not about communication, GPUs or files that went away."""
    own = [e for e in events if e.signature in RAISED and not is_echo(e)]
    if not own:
        return
    ranks = {rank for e in own if (rank := rank_of(e)) is not None}
    told = {rank for e in events if e.role is Role.CASCADE and (rank := rank_of(e)) is not None}
    host = host_of(own[0]) if len(ranks) <= 1 else None
    telling = [e for e in own if _is_of_the_program(e)]
    if telling:
        is_lone = len(ranks) <= 2 or len(ranks) * 4 <= len(told)
        # Before a rank has its name, each traceback in the same words is another one's.
        is_lone = is_lone and not is_shared(events=events)
        host = host if is_lone else None
        name = "lone-exception" if is_lone else "shared-exception"
        yield finding(name, telling, instant, host, Layer.SOFTWARE, ranks)
    elif opaque := [e for e in own if _is_opaque(e) or _is_lone_lack(e, ranks, told)]:
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


def _is_lone_lack(event: Event, ranks: Set[int], told: Set[int]) -> bool:
    """Say whether one rank asked for a file that isn't there while others only waited: a mount that
    is gone is gone for every rank of its host.
    """
    kind = event.fields.get("exc", "").rpartition(".")[2]
    return kind == "FileNotFoundError" and len(ranks) == 1 and len(told - ranks) >= LEAST_OTHERS


def _is_about_others(event: Event) -> bool:
    """Say whether the words of an exception stand for a cause outside the program."""
    layers = {load_causes()[slug].layer for slug in subjects_of(event.line.text)}
    return bool(layers - {Layer.SOFTWARE})


def _speaks_of_surroundings(event: Event) -> bool:
    fields = event.fields
    return (
        SURROUNDINGS.search(f"{fields.get('exc', '')} {fields.get('msg', '')}".lower()) is not None
    )
