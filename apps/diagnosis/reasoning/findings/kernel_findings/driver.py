"""What the driver says of errors elsewhere: how grave, which was cleaned up, what it asks for."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from apps.diagnosis.input_values import whole_number
from apps.diagnosis.model import Layer, Observation, Role
from apps.diagnosis.observed import renamed
from apps.diagnosis.signatures.xid_tables import xid_codes

# What the driver asks for belongs to an error of so long before.
ASKED_BEHIND = timedelta(minutes=5)
CONSEQUENCES = frozenset({Role.CASCADE, Role.TEARDOWN})


def severities(observations: Sequence[Observation]) -> Iterator[Observation]:
    """Read the severity of the NVLink events 144 to 150."""
    for one in observations:
        if not 144 <= (whole_number(one.fields.get("xid")) or 0) <= 150:
            continue
        said = (
            one.fields.get("sev", "") + " " + " ".join(e.line.text for e in one.events[:4])
        ).lower()
        is_harmless = "nonfatal" in said or "non-fatal" in said
        yield renamed(one, "nvlink5-nonfatal" if is_harmless else "nvlink5-fatal")


def named_by_cleanup(observations: Sequence[Observation]) -> Iterator[Observation]:
    """Yield the error that a clean-up names, where its own line is not in the log."""
    told = {(one.host, one.fields.get("xid")) for one in observations}
    seen: set[tuple[str | None, str, str]] = set()
    for one in observations:
        named = one.fields.get("previous_xid", "")
        part = (one.host, one.fields.get("pci", ""), named)
        code = xid_codes().get(whole_number(named) or -1)
        if code is None or code.role in CONSEQUENCES or (one.host, named) in told or part in seen:
            continue
        seen.add(part)
        fields = {**one.fields, "xid": named}
        found = renamed(one, "xid-named-by-cleanup", code.role)
        yield replace(found, layer=code.layer, causes=code.causes, fields=fields)


def asked_for(observations: Sequence[Observation]) -> Iterator[Observation]:
    """Yield what the driver asks for after an error; without one it speaks for itself."""
    for one in observations:
        action = one.fields.get("action", "")
        if one.fields.get("xid") != "154" or action in {"", "ignore"}:
            continue
        errors = [other for other in observations if _may_have_asked(other, one)]
        if not errors:
            found = renamed(one, "recovery-asked", Role.CONFIRMATION)
            yield replace(found, layer=Layer.GPU, causes=("gpu-other",))
            continue
        first = min(errors, key=lambda other: (other.at is None, other.at, other.sign))
        found = renamed(first, "recovery-asked", Role.CONTEXT)
        fields = {name: value for name, value in first.fields.items() if name != "xid"}
        follows = first.fields["xid"]
        yield replace(found, fields={**fields, "follows": follows, "action": action})


def _may_have_asked(error: Observation, asked: Observation) -> bool:
    code = error.fields.get("xid", "")
    if not code or code == "154" or error.role is not Role.INITIATING or error.host != asked.host:
        return False
    if error.fields.get("pci") != asked.fields.get("pci"):
        return False
    if error.at is None or asked.last_at is None:
        return True
    return error.at <= asked.last_at <= (error.last_at or error.at) + ASKED_BEHIND
