"""What a stored line speaks of: who may say that, decides what it is worth."""

from apps.diagnosis.model import Stream
from apps.diagnosis.signatures.lines.host_lines import host_signatures
from apps.fleet.authority.rules import Subject, subject_of
from apps.telemetry.models import Event

PHYSICAL = frozenset({Stream.STORAGE, Stream.FABRIC})  # of parts that many nodes use


def subjects_of_row(row: Event) -> set[Subject]:
    """Return what a stored line speaks of."""
    return subjects_of(
        stream=row.stream.kind,
        line=row.body["stream"],
        layer=row.layer,
        signature=row.signature,
    )


def subjects_of(*, stream: str, line: str | None, layer: str, signature: str = "") -> set[Subject]:
    """Return what a line speaks of: as its stream says, as it looks itself, and by what it tells.

    What nobody recognised is what an application printed. A line of storage or of the fabric tells
    of that layer, or it is no line of theirs: one of no layer (a step, an end, a dump) is what a
    program of a session prints. What a kernel prints is a host's in any stream.
    """
    kinds = {stream or Stream.SESSION, line or stream or Stream.SESSION}
    found = {subject_of(stream=kind, layer=layer) for kind in kinds}
    if stream in PHYSICAL:
        found.add(subject_of(stream="", layer=layer) if layer else Subject.SESSION_LOG)
    elif stream not in PHYSICAL and stream != Stream.ALERTS and signature in host_signatures():
        found.add(Subject.HOST)
    return found
