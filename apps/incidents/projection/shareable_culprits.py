"""Culprits that may stand in a header that every party reads: no path out of one party's log."""

from collections.abc import Iterable
from dataclasses import replace

from apps.diagnosis.model import Device, Diagnosis, Topology


def shareable(*, diagnosis: Diagnosis, topology: Topology) -> Diagnosis:
    """Return the diagnosis without names that only one party's lines told.

    A mount or server that the inventory lists is everybody's knowledge. A path that only a log
    printed names a file of its owner, who reads it in the evidence.
    """
    known = frozenset(topology.mounts) | frozenset(topology.mounts.values())
    verdict = diagnosis.verdict
    return replace(
        diagnosis,
        verdict=replace(verdict, culprits=_named(verdict.culprits, known)),
        hypotheses=tuple(
            replace(each, culprits=_named(each.culprits, known)) for each in diagnosis.hypotheses
        ),
    )


def _named(devices: Iterable[Device], known: frozenset[str]) -> tuple[Device, ...]:
    shown = (_without_path(device, known) for device in devices)
    return tuple(dict.fromkeys(device for device in shown if device is not None))


def _without_path(device: Device, known: frozenset[str]) -> Device | None:
    name = device.name or ""
    # Of a mount a line tells a path, and a path may be a bare name: shard-7.pt, runs/secret/7.pt.
    is_path = "/" in name or device.kind == "mount"
    if not name or name in known or not is_path:
        return device
    server = _server_in(name, is_server=device.kind == "server")
    if server:
        return replace(device, name=server)
    return replace(device, name=None) if device.host else None


def _server_in(name: str, *, is_server: bool) -> str:
    """Return the server of an export, nas1 of nas1:/export/home; a folder is none."""
    head, is_export, _ = name.partition(":/")
    if is_server:
        return head.partition("/")[0]
    return head if is_export and "/" not in head else ""
