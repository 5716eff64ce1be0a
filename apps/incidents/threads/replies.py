"""Threads of one level: a reply is read by nobody who does not read what it answers."""

from collections.abc import Sequence
from datetime import datetime

from apps.incidents.models import Annotation, Incident
from apps.incidents.refusals import ReplyMisplaced
from apps.incidents.snapshots import until_left


def answered(*, incident: Incident, public_id: str) -> Annotation:
    """Return the newest version of the annotation that a reply answers, as the scope reads it.

    Raises ReplyMisplaced where there is none, and where it is a reply itself or withdrawn.
    """
    rows = Annotation.objects.filter(incident=incident, public_id=public_id)
    found = until_left(rows=rows, incident=incident).order_by("-version", "-id").first()
    if found is None:
        raise ReplyMisplaced("there is no such annotation")
    if found.answers:
        raise ReplyMisplaced("a reply is answered at the annotation that it answers")
    if found.is_withdrawn:
        raise ReplyMisplaced("it was withdrawn")
    return found


def readers_of(row: Annotation) -> frozenset[int]:
    """Return the ids of the organizations that read an annotation."""
    return frozenset({row.organization_id, *row.audience})


def in_threads(rows: Sequence[Annotation]) -> list[Annotation]:
    """Return the newest versions with each reply behind what it answers, the oldest first.

    `rows` are all versions that somebody reads. A reply to what the reader does not read, or reads
    no more, is left out.
    """
    newest: dict[tuple[int, str], Annotation] = {}
    began: dict[tuple[int, str], tuple[datetime, int]] = {}  # an edit moves nothing
    for row in sorted(rows, key=lambda row: (row.version, row.pk)):
        key = (row.organization_id, row.public_id)
        newest[key] = row
        began.setdefault(key, (row.created_at, row.pk))
    ordered = [newest[key] for key in sorted(newest, key=began.__getitem__)]
    replies: dict[str, list[Annotation]] = {}
    for row in ordered:
        if row.answers:
            replies.setdefault(row.answers, []).append(row)
    return [
        each
        for row in ordered
        if not row.answers
        for each in (row, *replies.get(row.public_id, ()))
    ]
