"""Drawn entries and columns as SVG: a long story has hundreds, too many for a template.

Whatever a stranger wrote passes through `escape` here, as a template would do it.
"""

from collections.abc import Iterable
from html import escape

from django.utils.safestring import SafeString

from apps.web.lanes.drawing import DensityBar
from apps.web.lanes.elements import Item

GLYPH, LESSER = 12, 8  # how wide a glyph is, and that of what can have had no part


def items_markup(items: Iterable[Item]) -> SafeString:
    """Return the entries of one lane, each with what is said when a pointer rests on it."""
    return SafeString("".join(map(_item, items)))


def bars_markup(bars: Iterable[DensityBar]) -> SafeString:
    """Return the columns of the density strip, those of a layer as one drawing."""
    paths: dict[str, list[str]] = {}
    for bar in bars:
        paths.setdefault(bar.layer, []).append(f"M{bar.x} {bar.y}h3.6v{bar.height}h-3.6z")
    return SafeString(
        "".join(
            f'<path class="density layer-{escape(layer)}" d="{"".join(drawn)}"/>\n'
            for layer, drawn in paths.items()
        )
    )


def _item(item: Item) -> str:
    parts = (_glyph(item),) if item.is_mark else _parts(item)
    layer, hint = escape(item.entry.layer), escape(item.hint)
    return f'<g class="plot-item layer-{layer}"><title>{hint}</title>{"".join(parts)}</g>\n'


def _parts(item: Item) -> Iterable[str]:
    """Yield what an entry is drawn of, from back to front."""
    if item.x_end:
        yield _range(item)
    if item.box_width:
        yield _box(item)
    elif item.whisker_left is not None:
        yield f'<path class="whisker" d="{item.whisker}"/>'
    if item.is_untimed and not item.box_width:
        yield f'<circle class="untimed" cx="{item.x}" cy="{item.y}" r="10"/>'
    if item.is_ringed:
        yield f'<circle class="glyph-halo" cx="{item.centre_x}" cy="{item.centre_y}" r="9.5"/>'
    if not item.x_end or item.is_ringed or item.box_width:
        yield _glyph(item)
    if item.label:
        yield _words(item)


def _glyph(item: Item) -> str:
    is_lesser = item.entry.is_lesser
    kind = f"{item.treatment} glyph-lesser" if is_lesser else item.treatment
    size, inset = (LESSER, (GLYPH - LESSER) / 2) if is_lesser else (GLYPH, 0)
    return (
        f'<use class="glyph glyph-{kind}" href="#g-{escape(item.entry.layer)}" '
        f'x="{item.glyph_x + inset}" y="{item.glyph_y + inset}" width="{size}" height="{size}"/>'
    )


def _range(item: Item) -> str:
    kind, fill = "range", ""
    if item.entry.is_no_data:
        kind, fill = "range-none", ' fill="url(#no-data)"'
    elif item.treatment == "context":
        kind = "range-context"
    return (
        f'<rect class="{kind}"{fill} x="{item.x}" y="{item.range_y}" '
        f'width="{item.range_width}" height="{item.range_height}" rx="2"/>'
    )


def _box(item: Item) -> str:
    kind = "box box-hidden" if item.entry.is_hidden else "box"
    return (
        f'<rect class="{kind}" x="{item.box_x}" y="{item.box_y}" '
        f'width="{item.box_width}" height="{item.box_height}" rx="6"/>'
    )


def _words(item: Item) -> str:
    kind = "label"
    if item.is_ringed:
        kind += " label-chief"
    elif item.treatment == "context":
        kind += " label-quiet"
    if item.has_inner_label:
        kind += " label-inner"
    sign = "≈ " if item.is_untimed and not item.entry.is_hidden else ""
    place = f'x="{item.label_x}" y="{{}}" text-anchor="{item.anchor}"'
    label = f'<text class="{kind}" {place.format(item.label_y)}>{sign}{escape(item.label)}</text>'
    if not item.detail_y:
        return label
    detail = escape(item.detail)
    return f'{label}<text class="detail" {place.format(item.detail_y)}>{detail}</text>'
