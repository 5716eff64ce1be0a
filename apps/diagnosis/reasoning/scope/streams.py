"""Before the steps: a log of which only some lines say what kind it is, or none.

NCCL's lines say that they are a session's; the launcher's and the framework's beside them, in the
same file, say nothing. Where no other kind of log speaks in a source, all of it is the session's:
so it is where only a program speaks, whose lines never name their kind. A kernel's words are known,
too, where nothing before them says whose they are: all of a source that knows no others is its.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from apps.diagnosis.model import Event, Extent, Mark, Reading, Stream
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.marks import marked

# What training programs, their libraries and their launchers print, and nobody else does.
PROGRAMS = frozenset(
    f"{family}.toml"
    for family in (
        *("c10d", "cuda", "frameworks", "gloo", "megatron", "nccl_faults", "nccl_ib", "nccl_ras"),
        *("nccl_setup", "nccl_socket", "nvrx", "python", "torchft", "torchrun"),
    )
)

# What only kernels and their drivers print.
KERNELS = frozenset(
    f"{family}.toml"
    for family in (
        *("block", "kernel", "lustre", "machine_check", "memory", "mlx5", "nfs", "nvrm"),
        *("parts_kernel", "pcie"),
    )
)

# A trainer's closing word stands among the endings of all kinds of programs.
CLOSING = marked(Mark.OF_TRAINING)
ANYBODYS = marked(Mark.UNKNOWN_FAILURE) - marked(Mark.OF_PART)


def of_sessions(*, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings, those of sources in which only sessions speak called so."""
    spoke: dict[str, set[Stream]] = defaultdict(set)
    for one in readings:
        events = (*one.events, *one.progress)
        told = (event.line.stream for event in events)
        heard = (extent.stream for extent in one.extents)
        spoke[one.origin.source] |= {stream for stream in (*told, *heard) if stream is not None}
        if any(_is_of_program(event) for event in events):
            spoke[one.origin.source].add(Stream.SESSION)
    return [
        _called(one, Stream.SESSION) if spoke[one.origin.source] == {Stream.SESSION} else one
        for one in readings
    ]


def of_kernels(*, readings: Sequence[Reading]) -> list[Reading]:
    """Return the readings, those of sources in which only kernels' words are known called so."""
    known: dict[str, set[str]] = defaultdict(set)
    named: set[str] = set()
    for one in readings:
        told = (*one.events, *one.progress)
        known[one.origin.source] |= {_family(event) for event in told} - {""}
        if any(event.line.stream for event in told) or any(each.stream for each in one.extents):
            named.add(one.origin.source)
    return [
        _called(one, Stream.KERNEL)
        if one.origin.source not in named and set() < known[one.origin.source] <= KERNELS
        else one
        for one in readings
    ]


def _family(event: Event) -> str:
    """Return the file of a signature, empty for words that anybody may print."""
    signature = load_catalog().get(event.signature)
    return "" if signature is None or event.signature in ANYBODYS else signature.file


def extents_of_session(*, readings: Sequence[Reading]) -> list[tuple[Reading, Extent]]:
    """Return how far the session's logs reach; where none is told to be one, those of all whose
    kind nobody told.
    """
    kinds = [
        (reading.origin.stream or extent.stream, reading, extent)
        for reading in readings
        for extent in reading.extents
    ]
    told = [(reading, extent) for kind, reading, extent in kinds if kind is Stream.SESSION]
    return told or [(reading, extent) for kind, reading, extent in kinds if kind is None]


def _is_of_program(event: Event) -> bool:
    signature = load_catalog().get(event.signature)
    is_known = signature is not None and signature.file in PROGRAMS
    return is_known or event.signature in CLOSING


def _called(reading: Reading, stream: Stream) -> Reading:
    if reading.origin.stream is not None:
        return reading
    origin = replace(reading.origin, stream=stream)
    return replace(
        reading,
        origin=origin,
        events=tuple(replace(e, line=replace(e.line, origin=origin)) for e in reading.events),
        progress=tuple(replace(e, line=replace(e.line, origin=origin)) for e in reading.progress),
    )
