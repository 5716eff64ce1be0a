"""A layer: its glyph, its colour, its name."""

from dataclasses import dataclass

from apps.web import words


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerMark:
    """A layer: its glyph, its colour, its name."""

    slug: str
    name: str


def layer_mark(slug: str) -> LayerMark:
    """Return the glyph and name of a layer; what is none of them is unknown."""
    known = slug if slug in words.LAYERS else "unknown"
    return LayerMark(slug=known, name=words.layer(known))
