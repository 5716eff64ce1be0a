"""Beside step 10: what the driver of a GPU asks for after its error, as Xid 154 states it, or its
sentence that only a reboot helps."""

from collections.abc import Callable, Collection, Sequence

from apps.diagnosis.model import (
    Action,
    Event,
    Layer,
    Mark,
    Observation,
    Statement,
    Verdict,
    statement,
)
from apps.diagnosis.signatures.marks import marked

STATED = marked(Mark.RECOVERY_ACTION)
# By the driver's own words; what it calls `None` asks for nothing.
ASKED = {
    "gpu reset required": statement("reset-asked"),
    "node reboot required": statement("reboot-asked"),
    "drain p2p": statement("drain-p2p-asked"),
    "drain and reset": statement("drain-reset-asked"),
}
# The driver says so of itself, not of one GPU: what it asks for each of them later changes nothing.
STATED_FOR_NODE = marked(Mark.REBOOT_ASKED)
REBOOT = statement("reboot-needed")


def asked_for(
    *,
    observations: Sequence[Observation],
    verdict: Verdict,
    host_of: Callable[[Event], str | None],
) -> tuple[Action, ...]:
    """Return what the drivers of the blamed GPUs ask for last, one action for each kind."""
    if verdict.layer is not Layer.GPU:
        return ()
    latest: dict[tuple[str, str], Event] = {}
    events = (e for one in observations if one.sign in STATED for e in one.events)
    for event in sorted(events, key=lambda one: one.order_key):
        latest[host_of(event) or "", event.fields.get("pci", "")] = event
    blamed = {one.host for one in verdict.culprits if one.host}
    hosts: dict[Statement, set[str]] = {}
    for (host, _), event in latest.items():
        told_by = ASKED.get(event.fields.get("asked", "").lower())
        if told_by and _is_blamed(host, blamed):
            hosts.setdefault(told_by, set()).update({host} - {""})
    rebooted = hosts.get(ASKED["node reboot required"], set())
    told = (e for one in observations if one.sign in STATED_FOR_NODE for e in one.events)
    for host in {host_of(event) or "" for event in told} - rebooted:
        if _is_blamed(host, blamed) and not (host == "" and rebooted):
            hosts.setdefault(REBOOT, set()).update({host} - {""})
    return tuple(
        Action(statement=one, owner="operator", hosts=tuple(sorted(where)))
        for one, where in sorted(hosts.items(), key=lambda item: item[0].kind)
    )


def _is_blamed(host: str, blamed: Collection[str]) -> bool:
    return not host or not blamed or host in blamed
