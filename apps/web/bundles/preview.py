"""What a bundle's holder has beside what its recipients get, line by line."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from django.utils.translation import gettext as _

from apps.diagnosis.input_values import instant
from apps.sharing.bundles.bundle_contents import BundleSection, WithheldReason
from apps.web import words
from apps.web.bundles.bundle_form import section_name
from apps.web.display.instants import dated

SHOWN_ROWS = 500  # of a part


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewPiece:
    """A part of a line: what stands in the place of something hidden is marked."""

    text: str
    kind: str = ""  # of what was hidden; empty: as it was


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewRow:
    """One thing as its holder has it, and as it is received."""

    at: str
    place: str  # log and host, or layer
    original: str
    pieces: tuple[PreviewPiece, ...]
    withheld: str  # why nothing of it goes; empty: it does
    is_cited: bool
    is_same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewPart:
    """One part of a bundle, side by side."""

    name: str
    title: str
    rows: tuple[PreviewRow, ...]
    more: int  # rows beyond those that are shown


def preview_parts(
    preview: Mapping[str, Sequence[Mapping[str, Any]]],
) -> tuple[PreviewPart, ...]:
    """Return the parts of a bundle that hold something."""
    return tuple(
        PreviewPart(
            name=str(section),
            title=section_name(section),
            rows=tuple(map(_row, preview[section][:SHOWN_ROWS])),
            more=len(preview[section][SHOWN_ROWS:]),
        )
        for section in BundleSection
        if preview.get(section)
    )


def _row(row: Mapping[str, Any]) -> PreviewRow:
    why = row.get("why", "")
    sent = row.get("sent", "")
    return PreviewRow(
        at=_moment(row.get("at")),
        place=_place(row),
        original=row["original"],
        pieces=tuple(_pieces(sent, row["original"], row.get("spans"))),
        withheld=_why(why) if why else "",
        is_cited=bool(row.get("cited")),
        is_same=sent == row["original"],
    )


def _pieces(
    sent: str, original: str, spans: Sequence[Sequence[Any]] | None
) -> Iterator[PreviewPiece]:
    """Yield what is received in parts. Without places, words that were not there are marked."""
    if spans is None:
        known = set(original.split())
        for word in sent.split(" "):
            yield PreviewPiece(text=f"{word} ", kind="" if word in known else "name")
        return
    last = 0
    for start, end, kind in spans:
        yield PreviewPiece(text=sent[last:start])
        yield PreviewPiece(text=sent[start:end], kind=kind)
        last = end
    yield PreviewPiece(text=sent[last:])


def _place(row: Mapping[str, Any]) -> str:
    if "stream" in row:
        return f"{words.said(words.STREAMS, row['stream'], row['stream'])} · {row['host']}"
    return words.layer(row["layer"]) if "layer" in row else ""


def _why(why: str) -> str:
    texts = {
        WithheldReason.NAMES_OTHERS: _("withheld: it names another party"),
        WithheldReason.OF_OTHERS: _("withheld: it is of a session of another tenant"),
    }
    return texts.get(WithheldReason(why), _("withheld"))


def _moment(text: str | None) -> str:
    at = instant(text)
    return dated(at.astimezone(UTC), seconds=True) if at else ""
