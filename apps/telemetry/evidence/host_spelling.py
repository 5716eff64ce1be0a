"""How a source itself spells the hosts that are asked for."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from apps.diagnosis.detection.metrics.frames import Grid
from apps.diagnosis.detection.metrics.identity import host_name
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.detection.metrics.selectors import write_selector
from apps.diagnosis.model import Query, Signal
from apps.telemetry.evidence.capture_limits import HOSTLESS, CaptureOrder
from apps.telemetry.sources.bulk_reading import Client
from apps.telemetry.sources.errors import QueryFailed

MAX_TRIES: Final = 4  # metrics of an exporter looked at to learn how it spells hosts
Pair = tuple[Signal, Query]
# exporter → (label, how the source spells a host → our name of it)
Spelling = Mapping[str, tuple[str, Mapping[str, str]]]


def host_spelling_of(*, client: Client, order: CaptureOrder, wanted: Sequence[Pair]) -> Spelling:
    """Return under which label each exporter names hosts, and how it spells those asked for."""
    asked = order.suspects | order.peers | order.linked
    known: dict[str, tuple[str, Mapping[str, str]]] = {}
    tries: dict[str, int] = defaultdict(int)
    for signal, query in sorted(wanted, key=_telling_of_hosts):
        label, hosts = known.get(signal.exporter, ("", {}))
        is_known = asked <= set(hosts.values()) or tries[signal.exporter] >= MAX_TRIES
        if signal.entity in HOSTLESS or is_known:
            continue
        tries[signal.exporter] += 1
        series = _labels_now(client=client, query=query, grid=order.grid)
        found, more = _label_of_hosts(series, signal.exporter, order)
        if found and found == (label or found):
            known[signal.exporter] = (found, {**hosts, **more})
    return known


def _telling_of_hosts(pair: Pair) -> tuple[bool, bool, bool]:
    """Order what most hosts have, in few series, before what few of them show."""
    signal, _ = pair
    return signal.entity != "node", "codes" in signal.watch, not signal.is_core


def _labels_now(*, client: Client, query: Query, grid: Grid) -> list[Mapping[str, str]]:
    """Return the labels of a metric's series when the window ends, else of all of it."""
    now = Grid(start=grid.end, step=grid.step, count=1)
    text = write_selector(metric=query.metric, match=query.match)
    try:
        series = client.matrix(query=text, grid=now) or client.matrix(query=text, grid=grid)
    except QueryFailed:
        return []
    return [each.labels for each in series]


def _label_of_hosts(
    series: Sequence[Mapping[str, str]], exporter: str, order: CaptureOrder
) -> tuple[str, Mapping[str, str]]:
    """Return the label that names the most of the hosts that are asked for, and their spellings."""
    mapped = [label for label, word in order.names.label_map.items() if word == "host"]
    names = [*mapped, *catalog().labels[exporter].host]
    asked = order.suspects | order.peers | order.linked
    found: list[tuple[int, str, Mapping[str, str]]] = []
    for name in [spelt for each in names for spelt in (f"exported_{each}", each)]:
        values = {labels[name] for labels in series if labels.get(name)}
        hosts = {value: host for value in sorted(values) if (host := _ours(value, order))}
        found.append((len(asked & set(hosts.values())), name, hosts))
    count, label, spelt = max(found, key=lambda each: each[0], default=(0, "", {}))
    return (label, spelt) if count else ("", {})


def _ours(value: str, order: CaptureOrder) -> str | None:
    host = host_name(value)
    return order.names.aliases.get(host, host) if host else None
