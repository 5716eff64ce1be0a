"""Utterances → physical lines, as pipes deliver them: bars without end, interleaving, merges."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from tests.score.sessions.scene import Utterance


@dataclass(frozen=True, slots=True)
class Line:
    """One line as a collector sees it; may hold `\\r`."""

    written: float
    kind: str
    place: int
    rank: int
    text: str
    is_error: bool


def lines(said: Iterable[Utterance], *, rng: Random) -> Iterator[Line]:
    """Yield physical lines in the order they reach their pipes.

    A progress bar ends with no newline: what its process prints next stands behind it.
    """
    pending: dict[tuple[str, int, int], str] = {}
    found: list[tuple[float, int, Line]] = []
    for one in sorted(said, key=lambda one: (one.written, one.order)):
        voice = (one.kind, one.place, one.rank)
        if one.text.startswith("\r"):
            pending[voice] = pending.get(voice, "") + one.text
            continue
        first = pending.pop(voice, "")
        if first and one.text.startswith("{'"):
            first += "\r" + " " * 80 + "\r"  # tqdm.write clears its bar
        moment = one.written
        for text in one.text.split("\n"):
            line = Line(moment, one.kind, one.place, one.rank, first + text, one.is_error)
            found.append((moment, len(found), line))
            first = ""
            moment += rng.uniform(0, 4e-5)
    end = max((moment for moment, _, _ in found), default=0.0)
    for (kind, place, rank), text in pending.items():
        found.append((end, len(found), Line(end, kind, place, rank, text, is_error=True)))
    for _, _, line in sorted(found, key=lambda one: (one[0], one[1])):
        yield line


def shared(printed: list[tuple[Line, str]], *, rng: Random, torn: float) -> str:
    """Join lines of many processes into one text; a few are merged into one, or one cut in two."""
    pieces: list[str] = []
    for line, text in printed:
        is_unlucky = rng.random() < torn and line.kind == "rank"
        if is_unlucky and len(text) > 300 and pieces and pieces[-1].endswith("\n"):
            at = rng.randrange(200, len(text) - 50)
            pieces.insert(len(pieces) - 1, text[:at])
            pieces.append(text[at:] + "\n")
        elif is_unlucky:
            pieces.append(text)
        else:
            pieces.append(text + "\n")
    return "".join(pieces)
