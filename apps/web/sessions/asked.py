"""What the list of sessions may be narrowed and ordered by."""

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

COLUMNS: Final[Columns] = {
    "started": SortColumn(column="shown_at", is_time=True),
    "name": SortColumn(column="name"),
}
USUAL: Final = "-started"


def fields_for(*, actor: Actor) -> tuple[FilterField, ...]:
    """Return them, with the choices that an organization has."""
    states = {each: words.said(words.STATES, each) for each in words.STATES}
    return (
        layer_field(),
        FilterField(name="name", label=_("Name or job"), kind=FieldKind.TEXT),
        FilterField(name="state", label=_("State"), kind=FieldKind.CHOICE, choices=states),
        cause_field(),
        host_field(),
        party_field(actor=actor),
        cluster_field(actor=actor),
        *span_fields(),
    )


def layers(ask: ListAsk) -> tuple[SegmentLink, ...]:
    """Return the links above the list: the layer of an incident that hit a session."""
    return segment_links(ask=ask, field=ask.fields[0], every=_("Any layer"))
