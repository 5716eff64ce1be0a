"""Sections of the scorecard that are measured by commands of their own, and stay until then."""

import re
from pathlib import Path

CARD = Path(__file__).parents[2] / "docs" / "scorecard.md"
SECTION = re.compile(r"<!-- (?P<name>[\w-]+) -->\n.*?<!-- end of (?P=name) -->\n", re.DOTALL)


def sections_of(card: str) -> list[str]:
    """Return the sections of a card, marks included."""
    return [found[0] for found in SECTION.finditer(card)]


def with_sections(card: str, former: str) -> str:
    """Return a new card with the sections that the former one had."""
    return "\n".join([card.rstrip("\n") + "\n", *sections_of(former)])


def put(name: str, body: str, *, path: Path = CARD) -> None:
    """Write one section of the card, in place of what it was."""
    text = path.read_text(encoding="utf-8") if path.is_file() else "# Scorecard\n"
    section = f"<!-- {name} -->\n{body.strip()}\n<!-- end of {name} -->\n"
    begins = f"<!-- {name} -->\n"
    kept = [section if one.startswith(begins) else one for one in sections_of(text)]
    if section not in kept:
        kept.append(section)
    bare = SECTION.sub("", text).rstrip("\n") + "\n"
    path.write_text("\n".join([bare, *kept]), encoding="utf-8")
