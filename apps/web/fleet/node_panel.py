"""One node beside the grid: its GPUs, what hit it, what runs there, what is open of it."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Signal
from apps.fleet.devices.node_identity import PartView
from apps.reliability.facade.fleet import NODE_SIGNALS
from apps.reliability.facade.fleet_node import NodeLook, NodeQuestion, node_look
from apps.reliability.fleet_grid.values import FleetNode
from apps.tenancy.middleware import OrganizationRequest
from apps.web.display.instants import day_text
from apps.web.display.levels import shared_mark
from apps.web.fleet.fleet_words import SHORT, node_note, out_word, value_text
from apps.web.fleet.page import GpuRow, NodePanel, PanelLine
from apps.web.incidents.rows import incident_row
from apps.web.nodes.rows import run_row, warning_lines
from apps.web.shell.shared_reads import read_with_shared


def node_panel(
    request: OrganizationRequest,
    *,
    cluster: str,
    host: str,
    metric: str,
    at: datetime,
    now: datetime,
) -> NodePanel:
    """Return what the reader may know of a node at an instant. Raises NotFound."""
    wanted = tuple(dict.fromkeys(filter(catalog().signals.get, (metric, *NODE_SIGNALS))))
    look = read_with_shared(
        request,
        lambda channel: node_look(
            actor=request.actor,
            asked=NodeQuestion(cluster=cluster, host=host, signals=wanted, at=at),
            channel=channel,
            now=now,
        ),
    )
    org = request.actor.organization.slug
    signals = [catalog().signals[each] for each in look.nodes]
    first = next(iter(look.nodes.values()))
    shared = next((each.shared for each in look.nodes.values() if each.shared), None)
    return NodePanel(
        host=host,
        why=_why(first),
        href=reverse("web:node", args=[org, cluster, host]) if look.is_known else "",
        when=day_text(at, now=now),
        out=out_word(first.out),
        note=node_note(first),
        shown_by=shared_mark(shared) if shared else "",
        titles=tuple(str(SHORT.get(each.name, _(each.title))) for each in signals),
        gpus=tuple(_gpus(look, signals)),
        xids=tuple(
            PanelLine(text=f"Xid {each.code}" + _gpu(each.gpu), when=day_text(each.at, now=now))
            for each in look.xids
        ),
        sessions=tuple(_sessions(look, org, now)),
        incidents=tuple(_incidents(look, org, now)),
        warnings=tuple(
            PanelLine(text=each.title, when=each.when)
            for each in warning_lines(look.warnings, now=now)
        ),
    )


def _why(node: FleetNode) -> str:
    return _("Hit by an Xid in the last hour") if node.xids else _("Least like its peers")


def _gpu(number: int | None) -> str:
    return "" if number is None else f" · GPU {number}"


def _gpus(look: NodeLook, signals: Sequence[Signal]) -> Iterator[GpuRow]:
    """Yield the GPUs that the inventory or any of the signals names, by number."""
    parts: Mapping[str, PartView] = {
        str(each.index): each
        for each in (look.identity.parts if look.identity else ())
        if each.kind == "gpu" and each.index is not None
    }
    told = [_by_part(look.nodes[each.name]) for each in signals]
    labels = sorted({*parts, *(label for each in told for label in each)}, key=_number)
    hit = {each.gpu for each in look.xids}
    for label in labels:
        yield GpuRow(
            index=label,
            identity=_identity(parts.get(label)),
            values=tuple(
                value_text(each.get(label), signal)
                for each, signal in zip(told, signals, strict=True)
            ),
            is_marked=whole_number(label) in hit,
        )


def _number(label: str) -> tuple[int, str]:
    number = whole_number(label)
    return (-1 if number is None else number, label)


def _by_part(node: FleetNode) -> dict[str, float | None]:
    return dict(zip(node.parts, node.values, strict=True))


def _identity(part: PartView | None) -> str:
    return " · ".join(filter(None, (part.uuid, part.serial, part.pci))) if part else ""


def _sessions(look: NodeLook, org: str, now: datetime) -> Iterator[PanelLine]:
    for row in (run_row(each, now=now) for each in look.runs):
        yield PanelLine(
            text=f"{row.name} #{row.number}, {row.size}",
            when=row.when,
            href=reverse("web:session", args=[org, row.session_id]),
        )


def _incidents(look: NodeLook, org: str, now: datetime) -> Iterator[PanelLine]:
    for header in look.incidents:
        row = incident_row(header=header, now=now)
        yield PanelLine(
            text=f"{row.public_id}: {row.title}",
            when=day_text(header.moment, now=now),
            href=reverse("web:incident", args=[org, row.public_id]),
            layer=header.incident.layer,
        )
