"""What a note is made of: sentences, each with the line it quotes, under titles."""

from dataclasses import dataclass

from apps.diagnosis.model import Event
from apps.offline.report.wording import place_text

MOST_QUOTE = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteItem:
    """One sentence of the note."""

    text: str
    weight: float | None = None  # log-odds of a piece of evidence
    place: str = ""  # file and line
    quote: str = ""  # the line itself, cut short
    is_answer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A titled list of sentences."""

    title: str
    items: tuple[NoteItem, ...]


def quoted(event: Event | None) -> str:
    """Return the line of an event, cut short."""
    return " ".join(event.line.text.split())[:MOST_QUOTE] if event else ""


def citing(*, text: str, event: Event) -> NoteItem:
    """Return a sentence with the line that says so."""
    line = event.line
    return NoteItem(
        text=text, place=place_text(line.origin.source, line.number), quote=quoted(event)
    )
