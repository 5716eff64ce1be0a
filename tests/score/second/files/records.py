"""What schedulers and the fabric leave: slurmctld's log, sacct, events and pods, switches."""

import json
from collections import defaultdict

from tests.score.second.draft import SessionDraft
from tests.score.second.lines import slurm
from tests.score.second.stamps import iso, utc

STATES = {
    "failed": ("FAILED", "1:0"),
    "walltime": ("TIMEOUT", "0:0"),
    "cancelled": ("CANCELLED by 1001", "0:0"),
    "preempted": ("PREEMPTED", "0:0"),
    "finished": ("COMPLETED", "0:0"),
    "unknown": ("RUNNING", "0:0"),
}


def scheduler(draft: SessionDraft, end: str) -> dict[str, list[str]]:
    """Return file name → lines of the scheduler's records."""
    if draft.rig.is_in_pods:
        return {"events.json": _events(draft), "pods.txt": _pods(draft)}
    state, code = STATES[end]
    if end == "failed" and any("on failed node" in text for _, text in draft.control):
        state, code = "NODE_FAIL", "1:0"
    zone = draft.rig.host_zone
    log = [f"[{iso(at, zone, millis=True)}] {text}" for at, text in sorted(draft.control)]
    return {"slurmctld.log": log, "sacct.txt": slurm.accounting(draft, state, code)}


def _events(draft: SessionDraft) -> list[str]:
    items = []
    for number, (at, kind, reason, about, text) in enumerate(sorted(draft.pod_events)):
        what, name = about.split("/")
        kinds = {"pod": "Pod", "node": "Node", "job": "Job", "pytorchjob": "PyTorchJob"}
        items.append(
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": f"{name}.{number:x}", "namespace": "ml"},
                "involvedObject": {"kind": kinds[what], "name": name, "namespace": "ml"},
                "type": kind,
                "reason": reason,
                "message": text,
                "count": 1,
                "firstTimestamp": utc(at),
                "lastTimestamp": utc(at),
            }
        )
    return json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=1).split("\n")


def _pods(draft: SessionDraft) -> list[str]:
    """Return kubectl describe of the pods: state and last words of the kubelet."""
    rig, lines = draft.rig, []
    for host in rig.hosts:
        reason, code = draft.fates.get(host.place, ("Error", 143))
        lines += [
            f"Name:             {rig.pod_of(host.place)}",
            "Namespace:        ml",
            f"Node:             {host.name}/{host.address}",
            f"Status:           {'Succeeded' if code == 0 else 'Failed'}",
            "Containers:",
            "  pytorch:",
            "    State:          Terminated",
            f"      Reason:       {reason}",
            f"      Exit Code:    {code}",
            f"      Started:      {utc(rig.began)}",
            f"      Finished:     {utc(draft.ends)}",
            "    Ready:          False",
            "    Restart Count:  0",
            "",
        ]
    return lines


def fabric(draft: SessionDraft) -> dict[str, list[str]]:
    """Return file name → lines of switches and of the subnet manager."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in sorted(draft.fabric, key=lambda one: one.at):
        name = "opensm.log" if line.device == "opensm" else f"switches/{line.device}.log"
        found[name].append(line.text)
    return dict(found)
