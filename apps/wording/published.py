"""The value of a diagnosis as the published JSON (docs/diagnosis-schema.md)."""

from datetime import UTC, datetime
from typing import Any

from apps.diagnosis.cited_facts import evidence_fact, fact_json, moment_fact
from apps.diagnosis.model import (
    AttemptVerdict,
    ClockError,
    Device,
    Diagnosis,
    Disturbance,
    Event,
    Evidence,
    FirstStopper,
    Hypothesis,
    LivedLoss,
    Moment,
    PrintedZone,
    Statement,
    Verdict,
    ZoneReading,
)
from apps.wording import ENGLISH, headline_in_english, in_english
from apps.wording.codes import noticed_codes_json
from apps.wording.restart import is_restart_needed, restart_sentence

SCHEMA = "faultline.diagnosis/1"


def to_json(*, diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the published form of a diagnosis (docs/diagnosis-schema.md)."""
    first = diagnosis.first_stopper
    return {
        "schema": SCHEMA,
        "verdict": _verdict_json(diagnosis.verdict),
        "end_state": diagnosis.end_state.value,
        "phase": diagnosis.phase.value,
        "failed_at": _at(diagnosis.failed_at),
        "restart": {
            "advice": diagnosis.restart.advice,
            "exclude_hosts": list(diagnosis.restart.exclude_hosts),
            "needed": is_restart_needed(diagnosis=diagnosis),
            "text": restart_sentence(diagnosis=diagnosis, speaker=ENGLISH),
        },
        "hypotheses": [_hypothesis_json(one) for one in diagnosis.hypotheses],
        "first_stopper": _first_json(first) if first else None,
        "ending": _line_json(diagnosis.ending),
        "last_step": _line_json(diagnosis.last_step),
        "lived_loss": _loss_json(diagnosis.lived_loss),
        "symptoms": [
            {
                "signature": one.signature,
                "count": one.count,
                "ranks": list(one.ranks),
                "hosts": list(one.hosts),
                "first_at": _at(one.first_at),
                "last_at": _at(one.last_at),
                "role": one.role.value,
            }
            for one in diagnosis.symptoms
        ],
        "coverage": [
            {
                "source": one.source,
                "state": one.state.value,
                "hosts_present": one.hosts_present,
                "hosts_expected": one.hosts_expected,
                "missing_hosts": list(one.missing_hosts),
            }
            for one in diagnosis.coverage
        ],
        "timeline": [_moment_json(one) for one in diagnosis.timeline],
        "noticed_codes": noticed_codes_json(diagnosis=diagnosis, at=_at),
        "actions": [
            {"text": in_english(one.statement), "owner": one.owner, "hosts": list(one.hosts)}
            for one in diagnosis.actions
        ],
        "disturbances": [_disturbance_json(one) for one in diagnosis.disturbances],
        "attempts": [_attempt_json(one) for one in diagnosis.attempts],
        "clocks": [_clock_json(one) for one in diagnosis.clocks],
        "zones": [_zone_json(one) for one in diagnosis.zones],
        "printed_zone": _printed_zone_json(diagnosis.printed_zone),
    }


def _printed_zone_json(zone: PrintedZone | None) -> dict[str, Any] | None:
    if zone is None:
        return None
    return {
        "streams": [one.value for one in zone.streams],
        "minutes_east": round(zone.offset.total_seconds() / 60),
        "stated_by": zone.stated_by.value if zone.stated_by else None,
        "host": zone.host,
    }


def _line_json(event: Event | None) -> dict[str, Any] | None:
    if event is None:
        return None
    line = event.line
    return {"source": line.origin.source, "line": line.number, "at": _at(line.at)}


def _loss_json(loss: LivedLoss | None) -> dict[str, Any] | None:
    if loss is None:
        return None
    return {
        "told": _line_json(loss.event),
        "at": _at(loss.at),
        "ranks": list(loss.ranks),
        "survivors": loss.survivors,
    }


def _first_json(first: FirstStopper) -> dict[str, Any]:
    return {"ranks": list(first.ranks), "by": first.by.value, "hosts": list(first.hosts)}


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    return {
        "status": verdict.status.value,
        "layer": verdict.layer.value,
        "cause": verdict.cause,
        "probability": verdict.probability,
        "cause_probability": verdict.cause_probability,
        "culprits": [device_json(one) for one in verdict.culprits],
    }


def _disturbance_json(one: Disturbance) -> dict[str, Any]:
    return {
        "verdict": _verdict_json(one.verdict),
        "starts_at": _at(one.starts_at),
        "ends_at": _at(one.ends_at),
        "hypotheses": [_hypothesis_json(each) for each in one.hypotheses],
    }


def _attempt_json(one: AttemptVerdict) -> dict[str, Any]:
    return {
        "number": one.number,
        "is_answer": one.is_answer,
        "verdict": _verdict_json(one.verdict),
        "end_state": one.end_state.value,
        "starts_at": _at(one.starts_at),
        "failed_at": _at(one.failed_at),
        "because": _english(one.because) or "",
    }


def _clock_json(one: ClockError) -> dict[str, Any]:
    return {
        "host": one.host,
        "stream": one.stream.value if one.stream else None,
        "zone_minutes": one.zone_minutes,
        "offset_seconds": round(one.offset.total_seconds(), 3),
        "error_seconds": round(one.error.total_seconds(), 3),
        "pairs": one.pair_count,
        "booted_at": _at(one.booted_at),
    }


def _zone_json(one: ZoneReading) -> dict[str, Any]:
    minutes = round(one.offset.total_seconds() / 60) if one.offset is not None else None
    return {
        "stream": one.stream.value if one.stream else None,
        "cause": one.cause,
        "host": one.host,
        "is_taken": one.is_taken,
        "minutes_east": minutes,
        "shift_seconds": one.shift.total_seconds(),
        "gap_seconds": round(one.gap.total_seconds(), 3),
        "printed_gap_seconds": round(one.printed_gap.total_seconds(), 3),
    }


def _english(told: Statement | None) -> str | None:
    return in_english(told) if told else None


def _at(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at else None


def device_json(device: Device) -> dict[str, Any]:
    """Return a culprit in the shape of the published contract."""
    return {
        "kind": device.kind,
        "host": device.host,
        "rank": device.rank,
        "gpu": {"index": device.index, "uuid": device.uuid, "pci": device.pci},
        "name": device.name,
    }


def _hypothesis_json(one: Hypothesis) -> dict[str, Any]:
    return {
        "layer": one.layer.value,
        "cause": one.cause,
        "probability": one.probability,
        "cause_probability": one.cause_probability,
        "culprits": [device_json(device) for device in one.culprits],
        "for": [_evidence_json(each) for each in one.supporting],
        "against": [_evidence_json(each) for each in one.opposing],
        "missing": [
            {
                "source": m.source,
                "hosts": list(m.hosts),
                "held_by": m.held_by,
                "would": in_english(m.would),
            }
            for m in one.missing
        ],
        "ruled_out_because": _english(one.ruled_out_because),
        "prior": one.prior,
        "stands_beside": one.stands_beside,
    }


def _evidence_json(one: Evidence) -> dict[str, Any]:
    return {
        **fact_json(fact=evidence_fact(evidence=one)),
        "text": in_english(one.statement),
        "source": one.source,
        "line": one.line,
        "at": _at(one.at),
        "host": one.host,
        "weight": one.weight,
        "generic": one.is_generic,
        "strength": one.strength,
        "family": one.family,
    }


def _moment_json(one: Moment) -> dict[str, Any]:
    return {
        **fact_json(fact=moment_fact(moment=one)),
        "text": headline_in_english(one.statement),
        "layer": one.layer.value if one.layer else None,
        "role": one.role.value,
        "at": _at(one.at),
        "ends_at": _at(one.ends_at),
        "clock_error_seconds": one.clock_error.total_seconds() if one.clock_error else None,
        "host": one.host,
        "count": one.count,
        "source": one.source,
        "line": one.line,
    }
