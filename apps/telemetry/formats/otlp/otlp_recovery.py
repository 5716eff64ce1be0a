"""Records of OpenTelemetry's logs that tell of recovery inside a running job → events.

A record is one by its event name (`event_name`, or the attribute `event.name`), its fields are its
attributes; or by its scope, where torchft's structured loggers export their records.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from apps.telemetry.formats.recovery_json import NVRX, NVRX_FIELDS
from apps.training.in_job.adapters.torchft import COMMITS, ERRORS, QUORUMS
from apps.training.in_job.recovery_facts import FIELDS

MOST_LETTERS: Final = 64 * 1024  # of a value that is JSON itself
PREFIX: Final = "faultline."
EVENT_NAME: Final = "event.name"
KNOWN: Final[Mapping[str, tuple[str, ...]]] = {**FIELDS, NVRX: NVRX_FIELDS}
TORCHFT: Final = {QUORUMS: "quorum", COMMITS: "replica_commit", ERRORS: "replica_error"}
# What torchft calls the fields of these.
TORCHFT_FIELDS: Final = {
    "replica_id": "replica",
    "rank": "rank",
    "quorum_id": "quorum",
    "step": "step",
    "commit_result": "committed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryRecord:
    """One such record: what its labels say of where it belongs, and the event."""

    labels: Mapping[str, str]
    event: Mapping[str, Any]


def event_of(
    *, event_name: str, scope: str, attributes: Mapping[str, Any], nanoseconds: int
) -> dict[str, Any] | None:
    """Return the event that a record tells, None for a record that is none."""
    name = event_name or attributes.get(EVENT_NAME)
    kind = name.removeprefix(PREFIX) if isinstance(name, str) else ""
    if kind in KNOWN:
        fields = {key: attributes[key] for key in (*KNOWN[kind], "id") if key in attributes}
    elif scope in TORCHFT:
        kind = TORCHFT[scope]
        wanted = FIELDS[kind]
        fields = {
            own: attributes[their]
            for their, own in TORCHFT_FIELDS.items()
            if their in attributes and own in wanted
        }
    else:
        return None
    return {"event": kind, "at": nanoseconds / 1e9, **{k: _value(v) for k, v in fields.items()}}


def _value(value: Any) -> Any:
    """Return a value; exporters that can't nest write objects and lists as JSON."""
    # The values in it were not counted with those of the body.
    if isinstance(value, str) and value[:1] in {"{", "["} and len(value) <= MOST_LETTERS:
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value
