"""What all parties of an incident read of a diagnosis: nothing that a line of one of them says."""

from typing import Any

from apps.diagnosis.model import (
    Coverage,
    Diagnosis,
    FirstStopper,
    Missing,
    Statement,
    statement,
    statement_json,
)
from apps.wording.published import device_json

HOLDER_OF_SOURCE = {
    "session-log": "tenant",
    "kernel-log": "operator",
    "scheduler-log": "platform",
    "storage-log": "storage_vendor",
    "fabric-log": "network_vendor",
    "bmc-log": "operator",
    "alerts": "operator",
    "metrics": "operator",
}
BETTER = frozenset({"explained-better", "explained-better-by-cause"})


def shared_header(*, diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the header of an incident as JSON."""
    verdict = diagnosis.verdict
    return {
        "verdict_status": str(verdict.status),
        "layer": str(verdict.layer),
        "cause": verdict.cause,
        "probability": round(verdict.probability, 4),
        "cause_probability": round(verdict.cause_probability, 4),
        "phase": str(diagnosis.phase),
        "end_state": str(diagnosis.end_state),
        "culprits": [device_json(each) for each in verdict.culprits],
        "restart": {
            "advice": diagnosis.restart.advice,
            "exclude_hosts": list(diagnosis.restart.exclude_hosts),
        },
        "actions": [
            {
                "statement": statement_json(each.statement),
                "owner": each.owner,
                "hosts": list(each.hosts),
            }
            | ({"rival": each.rival} if each.rival else {})
            for each in diagnosis.actions
        ],
        "coverage": [_coverage(each) for each in diagnosis.coverage],
        "first_stopper": _first_stopper(diagnosis.first_stopper),
    }


def _coverage(coverage: Coverage) -> dict[str, Any]:
    return {
        "source": coverage.source,
        "state": str(coverage.state),
        "hosts_present": coverage.hosts_present,
        "hosts_expected": coverage.hosts_expected,
        "missing_hosts": list(coverage.missing_hosts),
        "held_by": HOLDER_OF_SOURCE.get(coverage.source, "operator"),
    }


def _first_stopper(first: FirstStopper | None) -> dict[str, Any] | None:
    return {"ranks": list(first.ranks), "by": str(first.by)} if first else None


def shared_reason(*, reason: Statement | None) -> dict[str, Any] | None:
    """Return why an explanation fell as every party reads it: what evidence says is its holder's,
    also which kind of reason it gave.
    """
    if reason is None:
        return None
    cause = reason.named.get("cause") if reason.kind in BETTER else None
    shared = (
        statement("explained-better-by-cause", cause=cause)
        if cause
        else statement("evidence-against")
    )
    return statement_json(shared)


def shared_missing(*, missing: Missing) -> dict[str, Any]:
    """Return a source that would settle it, as JSON."""
    return {
        "source": missing.source,
        "hosts": list(missing.hosts),
        "held_by": missing.held_by,
        "would": statement_json(missing.would),
    }
