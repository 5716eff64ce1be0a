"""The table of who may say what, as docs/connecting.md shows it."""

from typing import Final

from apps.fleet.authority.rules import NAMES, PARTS, ROWS, SUBJECTS, Cell, SenderStanding

WORDS: Final = {
    (SenderStanding.ASSERTED, SenderStanding.ASSERTED): "asserts",
    (SenderStanding.ASSERTED, SenderStanding.REFUSED): "asserts its own",
    (SenderStanding.CLAIMED, SenderStanding.CLAIMED): "claims",
    (SenderStanding.CLAIMED, SenderStanding.REFUSED): "claims its own",
    (SenderStanding.REFUSED, SenderStanding.REFUSED): "refused",
}


def as_markdown() -> str:
    """Return the table, one line a subject."""
    heads = ["what", *(NAMES[part] for part in PARTS)]
    lines = [_line(heads), _line(["---"] * len(heads))]
    for subject, cells in ROWS.items():
        lines.append(_line([SUBJECTS[subject], *(_word(cell) for cell in cells)]))
    return "\n".join(lines)


def _word(cell: Cell) -> str:
    word = WORDS[cell.own, cell.others]
    return f"{word}; asserts if agreed" if cell.agreed else word


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
