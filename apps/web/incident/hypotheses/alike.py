"""Pieces of evidence that say the same: the first stands, those that add nothing are counted."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.utils.translation import ngettext

from apps.diagnosis.model import statement_of
from apps.incidents.projection.values import EvidencePiece
from apps.wording import headline

ADDS: Final = 0.05  # a smaller weight is shown as 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikePieces:
    """A piece, and how many more say the same without adding anything."""

    first: EvidencePiece
    more: int = 0


def folded(pieces: Sequence[EvidencePiece]) -> list[AlikePieces]:
    """Return pieces in their order; what repeats an earlier one of the same holder is counted."""
    found: list[AlikePieces] = []
    places: dict[Hashable, int] = {}
    for piece in pieces:
        place = places.setdefault(_said_by(piece), len(found))
        if place < len(found) and abs(piece.weight) < ADDS:
            found[place] = replace(found[place], more=found[place].more + 1)
        else:
            found.append(AlikePieces(first=piece))
    return found


def more_words(count: int) -> str:
    """Return how many more pieces say the same; nothing where none does."""
    if not count:
        return ""
    return ngettext("%(n)s more says the same", "%(n)s more say the same", count) % {"n": count}


def _said_by(piece: EvidencePiece) -> Hashable:
    shared = piece.shared
    who = (shared.holder.slug, shared.level) if shared else ()
    return headline(statement_of(piece.statement)), piece.layer, piece.is_claimed, who
