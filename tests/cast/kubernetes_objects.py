"""Objects as kubectl prints them."""

from typing import Any


def pod(name: str, node: str, *, job: str = "solar", **status: Any) -> dict[str, Any]:
    """Return a pod of a job."""
    return {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "llm",
            "labels": {"batch.kubernetes.io/job-name": job, "job-name": job},
            "creationTimestamp": "2026-11-21T01:00:00Z",
        },
        "spec": {"nodeName": node},
        "status": {
            "phase": "Running",
            "conditions": [
                {
                    "type": "PodScheduled",
                    "status": "True",
                    "lastTransitionTime": "2026-11-21T01:00:05Z",
                }
            ],
            "containerStatuses": [{"state": {"running": {"startedAt": "2026-11-21T01:01:00Z"}}}],
            **status,
        },
    }


def event(reason: str, of: str, *, kind: str = "Pod", at: str = "2026-11-21T01:00:20Z") -> Any:
    """Return an event of an object."""
    return {
        "kind": "Event",
        "reason": reason,
        "involvedObject": {"kind": kind, "name": of, "namespace": "llm"},
        "firstTimestamp": at,
        "lastTimestamp": "2026-11-21T09:00:00Z",
    }
