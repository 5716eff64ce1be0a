"""What the list of incidents may be narrowed and ordered by."""

from typing import Final

from django.utils.translation import gettext as _

from apps.tenancy.access import Actor
from apps.web import words
from apps.web.display.choices import SegmentLink
from apps.web.lists.choices import (
    cause_field,
    cluster_field,
    host_field,
    layer_field,
    party_field,
    span_fields,
)
from apps.web.lists.compose import segment_links
from apps.web.lists.fields import FieldKind, FilterField, ListAsk
from apps.web.lists.paging import Columns, SortColumn

STATES: Final = ("open", "resolved", "withdrawn")
COLUMNS: Final[Columns] = {
    "began": SortColumn(column="moment", is_time=True),
    "layer": SortColumn(column="shown_layer"),
    "state": SortColumn(column="shown_status"),
}
USUAL: Final = "-began"


def fields_for(*, actor: Actor) -> tuple[FilterField, ...]:
    """Return them, with the choices that an organization has."""
    states = {each: _(words.sentence_case(each)) for each in STATES}
    return (
        FilterField(name="status", label=_("State"), kind=FieldKind.SEGMENT, choices=states),
        layer_field(),
        FilterField(
            name="with",
            label=_("In whose hands"),
            kind=FieldKind.SEGMENT,
            choices={"us": _("With us")},
        ),
        cause_field(),
        host_field(),
        FilterField(name="session", label=_("Session"), kind=FieldKind.TEXT),
        party_field(actor=actor),
        cluster_field(actor=actor),
        *span_fields(),
    )


def segments(ask: ListAsk) -> dict[str, tuple[SegmentLink, ...]]:
    """Return the links above the list: states, layers, in whose hands."""
    names = {"status": ("states", _("All")), "layer": ("layers", _("Any layer"))}
    names |= {"with": ("hands", _("Anybody"))}
    return {name: _links(ask, field, every) for field, (name, every) in names.items()}


def _links(ask: ListAsk, name: str, every: str) -> tuple[SegmentLink, ...]:
    (field,) = (each for each in ask.fields if each.name == name)
    return segment_links(ask=ask, field=field, every=every)
