"""What fields of lists may be chosen from: causes, layers, clusters and parties that one knows."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from apps.fleet.access import access_clusters
from apps.incidents.facade.reads import parties_met
from apps.tenancy.access import Actor
from apps.web import words
from apps.web.lists.fields import FieldKind, FilterField
from apps.wording.causes import CAUSES, spoken


def span_fields() -> tuple[FilterField, ...]:
    """Return the two days of a span."""
    return (
        FilterField(name="since", label=_("From, UTC"), kind=FieldKind.DAY),
        FilterField(name="until", label=_("Until, that day included"), kind=FieldKind.DAY),
    )


def layer_field() -> FilterField:
    """Return the choice of a layer."""
    layers = {each: words.layer(each) for each in words.LAYERS}
    return FilterField(name="layer", label=_("Layer"), kind=FieldKind.SEGMENT, choices=layers)


def cause_field() -> FilterField:
    """Return the choice of a cause, by name."""
    named = ((slug, spoken(slug).name) for slug in CAUSES)
    return _choice("cause", _("Cause"), sorted(named, key=lambda each: each[1].casefold()))


def host_field() -> FilterField:
    """Return the name of a host."""
    return FilterField(name="host", label=_("Host"), kind=FieldKind.HOST)


def cluster_field(*, actor: Actor) -> FilterField:
    """Return the choice of one's clusters."""
    named = ((each.slug, each.name) for each in access_clusters(actor=actor))
    return _choice("cluster", _("Cluster"), named)


def party_field(*, actor: Actor) -> FilterField:
    """Return the choice of the parties that one met."""
    named = ((each.slug, each.name) for each in parties_met(actor=actor))
    return _choice("party", _("Party"), named)


def _choice(name: str, label: str, choices: Iterable[tuple[str, str]]) -> FilterField:
    return FilterField(name=name, label=label, kind=FieldKind.CHOICE, choices=dict(choices))
