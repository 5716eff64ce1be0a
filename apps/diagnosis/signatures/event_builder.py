"""A hit on a line → Event: tables refine what a code means, values stay short."""

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from apps.diagnosis.logs.pci import normalised
from apps.diagnosis.model import Event, LogLine, Mark, Role, Severity
from apps.diagnosis.signatures import xid
from apps.diagnosis.signatures.load import Signature
from apps.diagnosis.signatures.marks import first_words_of_failure
from apps.diagnosis.signatures.match import SignatureMatch

VALUE_LIMIT = 400
# `[PG ID 2 PG GUID 5(desc) Rank 3]`, `[PG 5 Rank 3]`, `[Rank 3]`: the rank inside one process
# group, never the global one.
PROCESS_GROUP = re.compile(
    r"\[(?:PG (?:ID )?(\d{1,6}) )?(?:PG GUID ([^\]\n]{1,80}?) )?Rank (\d{1,7})\]", re.ASCII
)
GROUP_DIALECTS = frozenset({"c10d", "c10d_old", "glog"})


def event_of(*, line: LogLine, hit: SignatureMatch) -> Event:
    """Return the event of a hit, with the code tables applied."""
    signature, fields = hit.signature, {**_group(line), **hit.fields}
    if "pci" in fields:
        fields["pci"] = normalised(address=fields["pci"])
    if "uuid" in fields:
        fields["uuid"] = fields["uuid"].lower().removeprefix("gpu-")
    event = plain_event(line=line, signature=signature, fields=fields)
    if Mark.BY_WORDS in signature.marks and first_words_of_failure(text=line.text) is None:
        return replace(event, severity=Severity.INFO)
    return xid.refined(event=event, decoder=signature.decoder) if signature.decoder else event


def plain_event(*, line: LogLine, signature: Signature, fields: dict[str, str]) -> Event:
    """Return the event of a signature as its block says."""
    return Event(
        signature=signature.key,
        role=signature.role,
        layer=signature.layer,
        severity=signature.severity,
        line=line,
        fields=MappingProxyType({name: value[:VALUE_LIMIT] for name, value in fields.items()}),
        causes=signature.causes,
    )


def with_fields(*, event: Event, more: Mapping[str, str], role: Role | None = None) -> Event:
    """Return `event` with further fields, and another role if one is given."""
    fields = {**event.fields, **{name: value[:VALUE_LIMIT] for name, value in more.items()}}
    return replace(event, fields=MappingProxyType(fields), role=role or event.role)


def _group(line: LogLine) -> dict[str, str]:
    if line.dialect not in GROUP_DIALECTS or "Rank " not in line.text[:200]:
        return {}
    match = PROCESS_GROUP.match(line.text)
    if match is None:
        return {}
    said = zip(("pg_id", "pg", "pg_rank"), match.groups(), strict=True)
    return {name: value for name, value in said if value is not None}
