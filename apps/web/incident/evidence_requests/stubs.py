"""Where something is hidden, what can be asked for: by what is shown and who runs what, never by
what there is.
"""

from django.utils.translation import gettext as _

from apps.incidents.projection.values import EvidencePiece, IncidentView
from apps.sharing.terms import LAYERS, Level
from apps.tenancy.values import OrganizationName
from apps.web.display.data_classes import data_name
from apps.web.incident.evidence_requests.page import AskStub

# Who runs what metrics are read of: these are asked for charts, whatever they have of them.
RUNNING = frozenset({"operator", "platform", "gpu_vendor", "network_vendor", "storage_vendor"})


def charts_of_others(view: IncidentView) -> tuple[AskStub, ...]:
    """Return whom to ask for the metrics of the blamed layer."""
    layer = view.header.incident.layer
    if layer not in LAYERS or layer == "unknown":
        return ()
    return tuple(
        _stub(party.organization, f"metrics:{layer}")
        for party in view.header.parties
        if not party.is_reader
        and party.organization.id in view.present
        and RUNNING & {*party.parts}
    )


def hidden_of(item: EvidencePiece) -> tuple[AskStub, ...]:
    """Return what to ask for of a shown piece of evidence of which the level hides something.

    A signal may stand for what a line or what a metric told: which of the two it does not say.
    """
    if item.shared is None:
        return ()
    classes = [item.hidden_line] if item.hidden_line else []
    if item.shared.level is Level.SIGNAL and item.layer in LAYERS:
        classes = [f"events:{item.layer}", f"metrics:{item.layer}"]
    return tuple(_stub(item.shared.holder, data) for data in classes)


def _stub(holder: OrganizationName, data: str) -> AskStub:
    told = {"name": holder.name, "data": data_name(data)}
    return AskStub(holder=holder.slug, data=data, text=_("Ask %(name)s: %(data)s") % told)
