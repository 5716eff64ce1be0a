"""Events and anomalies → what they say in typed values: codes, the part, the host, the ranks.

Secrets are hidden by their shapes: what is cited is read by programs that show more than lines.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from apps.diagnosis.input_values import rank_number, signed_number, whole_number
from apps.diagnosis.logs.pci import normalised
from apps.diagnosis.model import (
    Anomaly,
    CitedDevice,
    CitedFact,
    Event,
    Evidence,
    Layer,
    Moment,
)
from apps.secret_shapes import hide_shapes

KEYS: Final = ("signature", "code", "device", "host", "ranks", "fields")
# Kind of code → the fields that hold it, the first that is there; of one layer where a name has
# several meanings.
CODES: Final[Mapping[str, tuple[tuple[str, Layer | None], ...]]] = {
    "xid": (("xid", None),),
    "sxid": (("sxid", None),),
    "subcode": (("subcode", None),),
    "previous_xid": (("previous_xid", None),),
    "wc_status": (("wc_status", None),),
    "vendor_error": (("vendor_err", None),),
    "exit_code": (("exitcode", None), ("code", Layer.HOST)),
    "signal": (("signum", None), ("signal", None), ("signal2", None)),
    "errno": (("errno", None),),
    "cuda_error": (("code", Layer.GPU), ("cuda_err", None)),
    "nccl_result": (("nccl_result", None),),
}
# Fields that number a GPU of its host, as people know it best first.
GPU_NUMBERS: Final = ("gpu", "nvml_dev", "cuda_dev")
NETWORK_NAMES: Final = ("dev", "ifname", "netdev")
# The other end of a connection, whose port is no port of the part.
FAR_END: Final = frozenset({"peer", "addr"})


def moment_fact(*, moment: Moment) -> CitedFact | None:
    """Return what stands behind a moment: of its first line, with the hosts' and ranks' own."""
    told = _fact(moment.event, moment.anomaly, host=moment.host, ranks=moment.ranks)
    if told is None and moment.ranks:  # it was concluded: who stopped first is known of it
        return CitedFact(
            signature=None, codes={}, device=None, host=moment.host, ranks=moment.ranks, fields={}
        )
    return told


def evidence_fact(*, evidence: Evidence) -> CitedFact | None:
    """Return what stands behind a piece of evidence."""
    return _fact(evidence.event, evidence.anomaly, host=evidence.host, ranks=())


def fact_json(*, fact: CitedFact | None) -> dict[str, Any]:
    """Return the published form: the same keys, null where nothing is known."""
    if fact is None:
        return dict.fromkeys(KEYS)
    return {
        "signature": fact.signature,
        "code": dict(fact.codes) or None,
        "device": asdict(fact.device) if fact.device else None,
        "host": fact.host,
        "ranks": list(fact.ranks),
        "fields": dict(fact.fields) or None,
    }


def _fact(
    event: Event | None, anomaly: Anomaly | None, *, host: str | None, ranks: tuple[int, ...]
) -> CitedFact | None:
    if event is not None:
        return CitedFact(
            signature=event.signature,
            codes=dict(_codes(event)),
            device=_device(event),
            host=host,
            ranks=ranks or _ranks(event),
            fields={name: hide_shapes(value) for name, value in sorted(event.fields.items())},
        )
    return _measured(anomaly, host=host, ranks=ranks) if anomaly else None


def _codes(event: Event) -> Iterator[tuple[str, int | str]]:
    for kind, names in CODES.items():
        told = (event.fields.get(name) for name, layer in names if layer in {None, event.layer})
        value = next(filter(None, told), None)
        if value is not None:
            yield kind, _typed(value)
    # Slurm's accounting writes both in one: the code, and the signal that ended the job, if any.
    code, _colon, signal = event.fields.get("exit", "").partition(":")
    for kind, number in (
        ("exit_code", whole_number(code)),
        ("signal", whole_number(signal) or None),
    ):
        if number is not None:
            yield kind, number


def _typed(value: str) -> int | str:
    number = signed_number(value)
    return hide_shapes(value) if number is None else number


def _ranks(event: Event) -> tuple[int, ...]:
    line = event.line
    told = (rank_number(event.fields.get("rank")), line.rank, line.origin.rank)
    return next(((rank,) for rank in told if rank is not None), ())


def _device(event: Event) -> CitedDevice | None:
    kind, name = _named(event)
    fields = event.fields
    device = CitedDevice(
        kind=kind,
        host=event.line.host or event.line.origin.host,
        pci=normalised(address=fields["pci"]) if fields.get("pci") else None,
        uuid=fields.get("uuid") or None,
        index=_index(event) if kind == "gpu" else None,
        port=_port(fields),
        name=hide_shapes(name) if name else None,
    )
    parts = (device.pci, device.uuid, device.index, device.port, device.name)
    return device if any(each is not None for each in parts) else None


def _named(event: Event) -> tuple[str | None, str | None]:
    """Return which kind of part a line is about, and what it calls the part."""
    fields = event.fields
    network = next((fields[each] for each in NETWORK_NAMES if fields.get(each)), None)
    server = fields.get("server") or fields.get("target")
    if fields.get("sxid"):
        return "nvswitch", fields.get("sw")
    has_number = bool(fields.keys() & set(GPU_NUMBERS[1:]))
    if event.layer is Layer.GPU or fields.get("xid") or has_number:
        return "gpu", None
    if event.layer is Layer.NETWORK:
        return "nic", network
    if event.layer is Layer.STORAGE and server:
        return "server", server
    return None, network


def _index(event: Event) -> int | None:
    numbers = (whole_number(event.fields.get(name)) for name in GPU_NUMBERS)
    return next((number for number in numbers if number is not None), event.line.gpu)


def _port(fields: Mapping[str, str]) -> str | None:
    """Return the port of the part: not the one at which the other end of a connection answers."""
    if FAR_END & fields.keys():
        return None
    return fields.get("port") or fields.get("link") or None


def _measured(anomaly: Anomaly, *, host: str | None, ranks: tuple[int, ...]) -> CitedFact:
    entity = anomaly.entity
    xid = whole_number(anomaly.detail) if "xid" in anomaly.signal.split(".") else None
    return CitedFact(
        signature=None,
        codes={} if xid is None else {"xid": xid},
        device=CitedDevice(
            kind=entity.kind,
            host=entity.host,
            pci=entity.pci,
            uuid=entity.uuid,
            index=entity.index,
            name=entity.name,
        ),
        host=host or entity.host,
        ranks=ranks or ((entity.rank,) if entity.rank is not None else ()),
        fields=dict(_numbers(anomaly)),
    )


def _numbers(anomaly: Anomaly) -> Iterator[tuple[str, float | str]]:
    """Yield what was measured: which signal, how it moved, from what to what."""
    for name in ("signal", "kind", "unit", "detail"):
        if value := getattr(anomaly, name):
            yield name, value
    for name, number in (("value", anomaly.value), ("baseline", anomaly.baseline)):
        if number is not None and math.isfinite(number):
            yield name, float(number)
