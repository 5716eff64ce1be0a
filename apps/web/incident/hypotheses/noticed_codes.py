"""Codes of the driver that the story tells where no cause is known, and what they mean."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apps.diagnosis.model import Severity, statement_of
from apps.diagnosis.noticed_codes import NoticedCode, noticed_code
from apps.incidents.projection.values import TimelineMoment
from apps.wording import READERS, Speaker
from apps.wording.codes import CODE_NAMES, advice_text, stops_text

MOST_CODES: Final = 8
GRAVE: Final = tuple(reversed(Severity))  # the gravest first


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticedCodeRow:
    """A code as the page shows it."""

    code: str  # Xid 63
    title: str  # what its line says
    place: str  # host and address, as far as the reader may know; may be empty
    stops: str
    advice: str


def noticed_rows(timeline: Sequence[TimelineMoment]) -> tuple[NoticedCodeRow, ...]:
    """Return each code of a part once, the gravest first, of what the reader may read."""
    found = sorted(_codes(timeline), key=lambda each: GRAVE.index(each[1].severity))
    rows = dict.fromkeys(_row(moment, code, READERS) for moment, code in found)
    return tuple(rows)[:MOST_CODES]


def _codes(timeline: Sequence[TimelineMoment]) -> Iterator[tuple[TimelineMoment, NoticedCode]]:
    for moment in timeline:
        code = noticed_code(fact=moment.detail or {})
        if code is not None:
            yield moment, code


def _row(moment: TimelineMoment, code: NoticedCode, speaker: Speaker) -> NoticedCodeRow:
    pci = (code.device or {}).get("pci")
    return NoticedCodeRow(
        code=f"{CODE_NAMES[code.kind]} {code.code}",
        title=speaker.headline(statement_of(moment.statement)),
        place=" ".join(str(each) for each in (code.host, pci) if each),
        stops=stops_text(stops_job=code.stops_job, speaker=speaker),
        advice=advice_text(advice=code.advice, speaker=speaker),
    )
