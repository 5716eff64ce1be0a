"""The ledger of what was really broken. The portal never reads it."""

import json
from datetime import UTC, datetime
from pathlib import Path

from apps.simulator.world.story import Truth


def entry(truth: Truth) -> dict[str, object]:
    """Return one line of the ledger."""
    first = truth.attempts[0]
    return {
        "scenario": truth.scenario,
        "kind": truth.kind,
        "session": first.session,
        "attempt": first.number,
        "organization": first.organization,
        "sessions": [
            {"session": a.session, "attempt": a.number, "organization": a.organization}
            for a in truth.attempts
        ],
        "layer": truth.layer,
        "cause": truth.cause,
        "culprits": [
            {
                "kind": c.kind,
                "host": c.host,
                "gpu": c.gpu,
                "name": c.name,
                "rank": c.rank,
                "pci": c.pci,
            }
            for c in truth.culprits
        ],
        "expect": {
            "incident": truth.has_incident,
            "status": truth.status,
            "parties": list(truth.parties),
        },
        "failed_at": rfc3339(truth.failed_at),
        "newest_evidence_at": rfc3339(truth.newest_evidence_at),
        "live": truth.live,
        "needs_metrics": truth.needs_metrics,
        "survived": _survived(truth),
        "simulated": True,
    }


def _survived(truth: Truth) -> dict[str, object] | None:
    """Return that the job went on degraded, and with how many GPUs; None where it did not."""
    if truth.survived is None:
        return None
    began, lost = truth.attempts[0].world_size, len(truth.survived.ranks)
    return {"state": "degraded", "lost_gpus": lost, "alive_gpus": began - lost}


def rfc3339(at: float) -> str:
    """Return an instant as the portal's interfaces write it."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write(*, path: Path, truths: list[Truth]) -> None:
    """Write the ledger anew, so that a reader sees all of it or the former one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(entry(truth), sort_keys=True) + "\n" for truth in truths)
    partial = path.with_suffix(".partial")
    partial.write_text(text)
    partial.replace(path)
