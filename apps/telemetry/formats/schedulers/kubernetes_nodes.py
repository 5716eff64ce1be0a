"""What `kubectl get nodes` and `kubectl get events` print as JSON → which nodes are left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from apps.diagnosis.input_values import instant
from apps.fleet.exclusions.exclusion_report import ExclusionBatch, ExclusionReport, ReturnReport
from apps.fleet.models import ExclusionKind
from apps.telemetry.formats.lines.complaints import Complaints, TooBig
from apps.telemetry.formats.schedulers.exclusions_json import LIMITS, MOST_ENTRIES
from apps.telemetry.formats.schedulers.json_values import BadReport, each_report, text_of

KINDS: Final = frozenset({"List", "Node", "NodeList", "Event", "EventList"})
CORDONED: Final = "node.kubernetes.io/unschedulable"
# Set by Kubernetes itself while a node does not answer; they say nothing of who left it out.
KEEPS_AWAY: Final = frozenset({"NoSchedule", "NoExecute"})
BEGINS, ENDS = "NodeNotSchedulable", "NodeSchedulable"
KUBERNETES: Final = (ExclusionKind.CORDON, ExclusionKind.TAINT)


@dataclass(frozen=True, slots=True, kw_only=True)
class _FreeNode:
    """A node that is not left out in this way."""

    host: str
    kind: ExclusionKind


Entry = ExclusionReport | ReturnReport | _FreeNode


def kubernetes_batch(
    *, said: Mapping[str, Any], complaints: Complaints, now: datetime
) -> ExclusionBatch:
    """Return what an object or a list of Kubernetes says, printed now. Raises TooBig."""
    items = said.get("items", [said])
    if not isinstance(items, list) or len(items) > MOST_ENTRIES:
        raise TooBig(f"the list has more than {MOST_ENTRIES} items; send it in parts")
    entries = [
        entry
        for found in each_report(items, lambda each: [*_entries(each, now)], complaints)
        for entry in found
    ]
    return ExclusionBatch(
        exclusions=tuple(each for each in entries if isinstance(each, ExclusionReport)),
        returns=(
            *(each for each in entries if isinstance(each, ReturnReport)),
            *_in_use([each for each in entries if isinstance(each, _FreeNode)], now),
        ),
    )


def _in_use(free: Sequence[_FreeNode], now: datetime) -> Iterator[ReturnReport]:
    """Yield one return for all nodes of a list: it is printed every few minutes."""
    for kind in KUBERNETES:
        hosts = tuple(each.host for each in free if each.kind is kind)
        if hosts:
            yield ReturnReport(kind=kind, at=now, in_use=hosts)


def _entries(item: Mapping[str, Any], now: datetime) -> Iterator[Entry]:
    if "involvedObject" in item or "regarding" in item:
        yield from _event(item)
    else:
        yield from _node(item, now)


def _node(item: Mapping[str, Any], now: datetime) -> Iterator[Entry]:
    host = _text(_object(item, "metadata"), "name", LIMITS["host"])
    spec = _object(item, "spec")
    if not host:
        raise BadReport("a node has no `metadata.name`")
    taints = [each for each in spec.get("taints") or () if isinstance(each, dict)]
    found = {kind: _taints(host, taints, kind) for kind in KUBERNETES}
    if spec.get("unschedulable") and not found[ExclusionKind.CORDON]:
        raise BadReport(f"since when {host[:80]} is cordoned is not said; send its events")
    for kind, reports in found.items():
        yield from (replace(each, seen_at=now) for each in reports)
        if not reports:
            yield _FreeNode(host=host, kind=kind)


def _taints(host: str, taints: list[dict[str, Any]], kind: ExclusionKind) -> list[ExclusionReport]:
    return [
        ExclusionReport(host=host, kind=kind, at=at, reason=_taint(each))
        for each in taints
        if each.get("effect") in KEEPS_AWAY
        and (each.get("key") == CORDONED) is (kind is ExclusionKind.CORDON)
        and (at := instant(each.get("timeAdded"))) is not None
    ]


def _taint(taint: Mapping[str, Any]) -> str:
    key, value = _text(taint, "key", 200), _text(taint, "value", 200)
    return "" if key == CORDONED else f"{key}={value}".rstrip("=")


def _event(item: Mapping[str, Any]) -> Iterator[Entry]:
    about = _object(item, "involvedObject") or _object(item, "regarding")
    word = item.get("reason")
    if about.get("kind") != "Node" or word not in {BEGINS, ENDS}:
        return
    host = _text(about, "name", LIMITS["host"])
    at = next(
        (found for name in ("eventTime", "firstTimestamp", "lastTimestamp")
         if (found := instant(item.get(name)))),
        None,
    )  # fmt: skip
    if not host or at is None:
        raise BadReport("an event of a node has no name or no time")
    if word == BEGINS:
        yield ExclusionReport(host=host, kind=ExclusionKind.CORDON, at=at)
    else:
        yield ReturnReport(host=host, kind=ExclusionKind.CORDON, at=at)


def _object(said: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = said.get(name)
    return found if isinstance(found, dict) else {}


def _text(said: Mapping[str, Any], name: str, limit: int) -> str:
    return text_of(said.get(name) or "")[:limit]
