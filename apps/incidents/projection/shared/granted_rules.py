"""What other parties of an incident granted a reader that had asked them for evidence."""

from collections.abc import Collection

from django.db.models import F, Q

from apps.incidents.models import EvidenceRequestAct, Incident
from apps.incidents.states import GRANTS, RequestActKind
from apps.sharing.request_rules import RequestRule
from apps.sharing.terms import Level
from apps.tenancy.models import Organization


def granted_rules(*, reader: Organization, incident: Incident) -> dict[int, list[RequestRule]]:
    """Return holder id → what it granted the reader of an incident, unless it is revoked.

    Those whose time is over are among them: whoever asks says what time it is.
    """
    return granted_by_incident(reader=reader, incidents=[incident]).get(incident.pk, {})


def granted_by_incident(
    *, reader: Organization, incidents: Collection[Incident]
) -> dict[int, dict[int, list[RequestRule]]]:
    """Return incident id → the same of it, read at once."""
    ids = {each.pk for each in incidents}
    kinds = (*GRANTS, RequestActKind.REVOKED)
    rows = EvidenceRequestAct.objects.filter(
        Q(request__incident__in=ids) | Q(request__incident__merged_into__in=ids),
        request__organization=reader,
        counterpart=reader,
        kind__in=kinds,
    )
    merged_into = F("request__incident__merged_into")
    acts = list(rows.annotate(merged_into=merged_into).select_related("request"))
    revoked = {act.request_id for act in acts if act.kind == RequestActKind.REVOKED}
    found: dict[int, dict[int, list[RequestRule]]] = {}
    for act in acts:
        if act.request_id not in revoked and act.organization_id == act.request.counterpart_id:
            for pk in {act.request.incident_id, act.merged_into} & ids:
                by_holder = found.setdefault(pk, {})
                by_holder.setdefault(act.organization_id, []).append(_rule(act))
    return found


def _rule(act: EvidenceRequestAct) -> RequestRule:
    asked = act.request
    return RequestRule(
        data=asked.data,
        level=Level(act.level),
        request=asked.public_id,
        host=asked.host,
        starts_at=act.starts_at or asked.starts_at,
        ends_at=act.ends_at or asked.ends_at,
        granted_at=act.at,
        until=act.until or asked.until,
    )
