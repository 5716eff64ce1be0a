"""A cluster's parts at one instant as its page shows them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.reliability.fleet_grid.values import FleetNode, FleetView, Standing
from apps.web.display.choices import SegmentLink
from apps.web.display.instants import dated
from apps.web.display.levels import shared_mark
from apps.web.fleet.columns import columns_of
from apps.web.fleet.fleet_words import ENTITIES, node_note, value_text
from apps.web.fleet.page import FleetAsked, FleetCell, FleetChoice, FleetPage, FleetRow, MetricGroup
from apps.web.fleet.peer_span import Peers, peer_span, peers_of
from apps.web.shell.address_filters import link

ROWS_SHOWN: Final = 100
SORTS: Final = ("worst", "name")
COLOURS: Final = ("value", "peers")
HOST: Final = "HOST"


def fleet_page(view: FleetView, *, asked: FleetAsked, now: datetime) -> FleetPage:
    """Return what the page shows; the table has the first nodes, the grid all."""
    nodes = view.nodes
    if asked.sort == "name":
        nodes = tuple(sorted(nodes, key=lambda node: node.host))
    values = columns_of(view)
    peers = peers_of(view.nodes)
    address = [asked.org, asked.cluster]
    return FleetPage(
        asked=asked,
        cluster_name=view.cluster.name,
        is_simulated=view.is_simulated,
        heading=heading(view),
        metric_title=_(view.signal.title),
        unit=values["unit"],
        when=dated(view.at),
        at_seconds=int(view.at.timestamp()),
        oldest_seconds=_minute(view.oldest) + 60,
        newest_seconds=_minute(now),
        newest_query=query_of(replace(asked, at="")),
        metrics=tuple(_metrics(view)),
        sessions=tuple(_sessions(view, asked)),
        sorts=tuple(_links(asked, "sort", {"worst": _("Least like peers"), "name": _("Name")})),
        colours=tuple(_links(asked, "colour", {"value": _("Value"), "peers": _("Unlike peers")})),
        rows=tuple(_row(node, view, asked, peers) for node in nodes[:ROWS_SHOWN]),
        part_count=max((len(node.parts) for node in nodes[:ROWS_SHOWN]), default=0),
        node_count=len(nodes),
        hidden_rows=max(0, len(nodes) - ROWS_SHOWN),
        others=", ".join(each.name for each in view.others),
        has_source=view.has_source,
        is_bare=not (nodes or asked.session or asked.host or asked.at),
        has_values=bool(view.told),
        values=values,
        values_address=reverse("web:fleet_values", args=address),
        curve_address=reverse("web:fleet_curve", args=address),
        node_address=reverse("web:fleet_node", args=[*address, HOST]),
        json_address=f"/api/v1/o/{asked.org}/fleet/"
        + link(cluster=asked.cluster, metric=view.signal.name, at=f"{view.at:%Y-%m-%dT%H:%M:%SZ}"),
    )


def _minute(at: datetime) -> int:
    return int(at.timestamp()) // 60 * 60


def heading(view: FleetView) -> str:
    """Return the sentence under the title: when it is, and how many nodes tell what."""
    return _("At %(when)s: %(lead)s.") % {"when": dated(view.at), "lead": _lead(view)}


def _lead(view: FleetView) -> str:
    held = sum(node.standing is Standing.HELD for node in view.nodes)
    silent = sum(node.standing is Standing.NO_DATA for node in view.nodes)
    hidden = sum(node.standing is Standing.HIDDEN for node in view.nodes)
    out = sum(bool(node.out) for node in view.nodes)
    count = len(view.nodes)
    told = [
        ngettext("%(n)s node", "%(n)s nodes", count) % {"n": count},
        _("%(n)s with values") % {"n": held},
        _("%(n)s without data") % {"n": silent} if silent else "",
        _("%(n)s held by others, hidden by policy") % {"n": hidden} if hidden else "",
        _("%(n)s left out") % {"n": out} if out else "",
    ]
    return ", ".join(filter(None, told))


def _metrics(view: FleetView) -> Iterator[MetricGroup]:
    known = {each.name: each for each in (*view.signals, view.signal)}
    for entity, title in ENTITIES.items():
        some = sorted(
            (each for each in known.values() if each.entity == entity), key=lambda one: _(one.title)
        )
        if some:
            yield MetricGroup(
                title=str(title),
                choices=tuple(
                    FleetChoice(
                        value=each.name,
                        text=f"{_(each.title)} ({each.name})",
                        is_on=each.name == view.signal.name,
                    )
                    for each in some
                ),
            )


def _sessions(view: FleetView, asked: FleetAsked) -> Iterator[FleetChoice]:
    known = {each.public_id: each for each in view.sessions}
    for each in known.values():
        yield FleetChoice(
            value=each.public_id,
            text=f"{each.name} #{each.number}",
            is_on=each.public_id == asked.session,
        )


def _links(asked: FleetAsked, name: str, texts: dict[str, str]) -> Iterator[SegmentLink]:
    for value, text in texts.items():
        there = replace(asked, **{name: value})
        yield SegmentLink(text=text, query=query_of(there), is_on=getattr(asked, name) == value)


def query_of(asked: FleetAsked) -> str:
    """Return the address's query that asks for this."""
    names = ("metric", "at", "session", "host", "sort", "colour")
    return link(**{name: value for name in names if (value := getattr(asked, name))})


def _row(node: FleetNode, view: FleetView, asked: FleetAsked, peers: Peers) -> FleetRow:
    hit = {node.place_of(each, view.signal) for each in node.xids}
    worst = node.worst
    return FleetRow(
        host=node.host,
        href="" if node.shared else reverse("web:node", args=[asked.org, asked.cluster, node.host]),
        worst="" if worst is None else f"{worst:+.1f}",
        cells=tuple(
            FleetCell(
                text=f"{part}: {value_text(value, view.signal)}"
                if part
                else value_text(value, view.signal),
                is_marked=at in hit,
            )
            for at, (part, value) in enumerate(zip(node.parts, node.values, strict=True))
        ),
        span=peer_span(node, peers=peers, signal=view.signal),
        note=node_note(node),
        session=f"{node.session.name} #{node.session.number}" if node.session else "",
        session_id=node.session.public_id if node.session else "",
        shown_by=shared_mark(node.shared) if node.shared else "",
    )
