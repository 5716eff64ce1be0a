"""What the list of warnings may be narrowed and ordered by."""

from typing import Final

from django.utils.translation import gettext as _

from apps.tenancy.access import Actor
from apps.web.display.choices import SegmentLink
from apps.web.lists.choices import (
    cause_field,
    cluster_field,
    host_field,
    layer_field,
    span_fields,
)
from apps.web.lists.compose import segment_links
from apps.web.lists.fields import FieldKind, FilterField, ListAsk
from apps.web.lists.paging import Columns, SortColumn

COLUMNS: Final[Columns] = {
    "raised": SortColumn(column="raised_at", is_time=True),
    "layer": SortColumn(column="layer"),
    "evidence": SortColumn(column="score"),
}
USUAL: Final = "-raised"


def fields_for(*, actor: Actor) -> tuple[FilterField, ...]:
    """Return them, with the choices that an organization has."""
    states = {"on": _("goes on"), "over": _("over"), "withdrawn": _("withdrawn")}
    return (
        _links("kind", _("Kind"), {"signals": _("Signals")}),
        _links("of", _("Whose"), {"others": _("Shown by others")}),
        layer_field(),
        FilterField(name="state", label=_("State"), kind=FieldKind.CHOICE, choices=states),
        cause_field(),
        host_field(),
        cluster_field(actor=actor),
        *span_fields(),
    )


def _links(name: str, label: str, choices: dict[str, str]) -> FilterField:
    return FilterField(name=name, label=label, kind=FieldKind.SEGMENT, choices=choices)


def segments(ask: ListAsk) -> dict[str, tuple[SegmentLink, ...]]:
    """Return the links above the list: kinds, whose they are, layers."""
    kinds, holders, layers = ask.fields[:3]
    return {
        "kinds": segment_links(ask=ask, field=kinds, every=_("Warnings")),
        "holders": segment_links(ask=ask, field=holders, every=_("Ours")),
        "layers": segment_links(ask=ask, field=layers, every=_("Any layer")),
    }
