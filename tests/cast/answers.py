"""A holder whose kernel logs were heard, and who answers requests by signed statements."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from apps.incidents.evidence_requests.answers.answers import AnswerEntry, AnswerPreview, digest_of
from apps.incidents.evidence_requests.answers.values import CheckFinding
from apps.incidents.facade import evidence_requests as requests
from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from apps.wording import headline_in_english
from tests.apps.telemetry.ageing import come_in
from tests.cast import make
from tests.cast.evidence_requests import asked, context
from tests.cast.incidents import Cast

AROUND = timedelta(minutes=45)  # of the incident: more than what is asked for


def line(at: datetime, text: str, host: str = "gpu001") -> str:
    """Return a line of a kernel."""
    return f"{at:%Y-%m-%dT%H:%M:%S}+00:00 {host} kernel: {text}"


def heard(
    cast: Cast,
    *lines: str,
    host: str = "gpu001",
    begins: datetime = make.AT - AROUND,
    ends: datetime = make.AT + AROUND,
    stream: str = "kernel",
) -> None:
    """Let the operator send a log of a host that goes from then to then, with these lines in it."""
    edges = (line(begins, "usb 1-1: new device", host), line(ends, "usb 1-1: gone", host))
    told = [edges[0], *lines, edges[1]]
    come_in(cast.operator, cast.cluster, told, at=make.AT, stream=stream, host=host)


def previewed(
    public_id: str, by: Organization, *, role: MemberRole = MemberRole.ADMIN, **window: Any
) -> AnswerPreview:
    """Return what the holder could state."""
    told = context(by, role)
    with organization_scope(by.pk):
        return requests.preview_answer(
            actor=told.actor, public_id=public_id, entry=AnswerEntry(**window), now=told.now
        )


def answered(
    public_id: str,
    by: Organization,
    rules: Iterable[str],
    *,
    role: MemberRole = MemberRole.ADMIN,
    **window: Any,
) -> None:
    """Let the holder state what these rules find."""
    found = {
        each.check.name: digest_of(each) for each in previewed(public_id, by, **window).findings
    }
    told = context(by, role)
    entry = AnswerEntry(findings={name: found.get(name, "") for name in rules}, **window)
    with organization_scope(by.pk):
        requests.answer(actor=told.actor, public_id=public_id, entry=entry, context=told)


def found(
    cast: Cast, incident: Incident, rule: str, data: str = "logs:kernel", **entry: Any
) -> CheckFinding:
    """Return what the operator would state by a rule when the tenant asks."""
    window = {name: entry.pop(name) for name in ("starts_at", "ends_at") if name in entry}
    request = asked(incident, cast.tenant, cast.operator, data=data, **entry)
    told = previewed(request, cast.operator, **window)
    return next(each for each in told.findings if each.check.name == rule)


def words(finding: CheckFinding) -> str:
    """Return what is stated of a finding, in English."""
    return headline_in_english(finding.told)
