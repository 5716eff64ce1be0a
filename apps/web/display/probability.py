"""How sure an answer or a cause is, in one number and one word."""

from dataclasses import dataclass

from apps.diagnosis.odds import LIKELY, odds_text
from apps.web import words
from apps.web.display.figures import NO_NUMBER


@dataclass(frozen=True, slots=True, kw_only=True)
class Probability:
    """How sure, against the gate that `likely` has to pass, if any. Positions in percent."""

    text: str
    word: str
    value: float
    gate: float = 0.0

    @property
    def tick(self) -> float:
        """Return where the mark of the value begins."""
        return round(min(max(self.value - 0.7, 0.0), 98.6), 1)


def probability(*, value: float, status: str) -> Probability:
    """Return how sure the answer is. One that did not pass the gate has no number of its own."""
    if status in {"unknown", "no-failure"}:
        return Probability(text=NO_NUMBER, word=words.said(words.CERTAINTY, status), value=0)
    return Probability(
        text=odds_text(value),
        word=words.said(words.CERTAINTY, status, status),
        gate=LIKELY * 100,
        value=round(value * 100, 1),
    )


def odds_of(value: float, *, word: str = "") -> Probability:
    """Return the probability of one cause: the gate, and so its word, is for the answer."""
    return Probability(text=odds_text(value), word=word, value=round(value * 100, 1))
