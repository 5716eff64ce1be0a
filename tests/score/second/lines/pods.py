"""Kubernetes: events of kubelet, node lifecycle and scheduler; words of a pod's last state."""

from tests.score.second.draft import SessionDraft


def started(draft: SessionDraft) -> None:
    """Record how every pod began."""
    rig = draft.rig
    for host in rig.hosts:
        pod = rig.pod_of(host.place)
        about = f"pod/{pod}"
        begun = rig.began - 60 + host.place
        draft.event(
            begun,
            "Normal",
            "Scheduled",
            about,
            f"Successfully assigned ml/{pod} to {host.name}",
        )
        draft.event(
            begun + 20,
            "Normal",
            "Pulled",
            about,
            'Container image "nvcr.io/nvidia/pytorch:25.03-py3" already present on machine',
        )
        draft.event(begun + 21, "Normal", "Started", about, "Started container pytorch")


def node_lost(draft: SessionDraft, at: float, place: int) -> None:
    """Record a node whose kubelet stopped posting its status."""
    host = draft.rig.hosts[place]
    draft.event(
        at + 45,
        "Normal",
        "NodeNotReady",
        f"node/{host.name}",
        f"Node {host.name} status is now: NodeNotReady",
    )
    draft.event(
        at + 46, "Warning", "NodeNotReady", f"pod/{draft.rig.pod_of(place)}", "Node is not ready"
    )
    draft.event(
        at + 345,
        "Normal",
        "TaintManagerEviction",
        f"pod/{draft.rig.pod_of(place)}",
        f"Marking for deletion Pod ml/{draft.rig.pod_of(place)}",
    )


def job_failed(draft: SessionDraft, at: float) -> None:
    """Record the training operator's verdict."""
    run = draft.rig.run
    if draft.rig.launcher == "pods":
        draft.event(
            at,
            "Warning",
            "BackoffLimitExceeded",
            f"job/{run}",
            "Job has reached the specified backoff limit",
        )
        return
    if draft.rig.launcher == "ray":
        return
    draft.event(
        at,
        "Warning",
        "PyTorchJobFailed",
        f"pytorchjob/{run}",
        f"PyTorchJob {run} is failed because 1 Worker replica(s) failed.",
    )
