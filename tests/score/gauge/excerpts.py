"""Which lines of its thread a case's text is made of: by digest, so that no text lies here."""

import csv
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXCERPTS = Path(__file__).with_name("excerpts.csv")
SHORT = 12  # hexadecimal digits: enough within one page, and the label's digest judges the whole


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of a page or a part of one, by the begin of its SHA-256 and its characters."""

    digest: str
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """One log of a case, without its text."""

    stream: str | None
    host: Piece | None
    rank: int | None
    lines: tuple[Piece, ...]


class Page:
    """The lines of a thread's page, found again by digest."""

    def __init__(self, text: str) -> None:
        """Split the text of a page into its lines."""
        self._lines = text.replace("\r\n", "\n").split("\n")
        whole = [*self._lines, *(line.strip() for line in self._lines)]
        self._whole = {piece_of(line): line for line in whole}

    def find(self, piece: Piece) -> str | None:
        """Return the line, else the part of a line, with this digest; None: not on the page."""
        found = self._whole.get(piece)
        return self._part(piece) if found is None else found

    def _part(self, piece: Piece) -> str | None:
        parts = (part for line in self._lines for part in _parts(line, piece.length))
        return next((part for part in parts if piece_of(part) == piece), None)


def _parts(line: str, length: int) -> Iterator[str]:
    return (line[start : start + length] for start in range(len(line) - length + 1))


def piece_of(text: str) -> Piece:
    """Return what a line or a part of one is found again by."""
    return Piece(hashlib.sha256(text.encode()).hexdigest()[:SHORT], len(text))


def read_excerpts(*, path: Path = EXCERPTS) -> dict[str, list[Excerpt]]:
    """Return the logs of each case whose lines are known, by its id."""
    found: dict[str, list[Excerpt]] = {}
    with path.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            found.setdefault(row["id"], []).append(_excerpt(row))
    return found


def _excerpt(row: dict[str, str]) -> Excerpt:
    return Excerpt(
        stream=row["stream"] or None,
        host=_piece(row["host"]) if row["host"] else None,
        rank=int(row["rank"]) if row["rank"] else None,
        lines=tuple(map(_piece, row["lines"].split())),
    )


def _piece(written: str) -> Piece:
    digest, length = written.split("/")
    return Piece(digest, int(length))


def rebuilt(*, excerpts: Sequence[Excerpt], page: Page) -> tuple[list[dict[str, Any]], int]:
    """Return the logs of a case as its page has them, and how many lines and hosts it lacks."""
    logs, lacking = [], 0
    for one in excerpts:
        lines = [page.find(piece) for piece in one.lines]
        host = page.find(one.host) if one.host else None
        lacking += lines.count(None) + (one.host is not None and host is None)
        text = "\n".join(line for line in lines if line is not None)
        logs.append({"stream": one.stream, "host": host, "rank": one.rank, "text": text})
    return logs, lacking
