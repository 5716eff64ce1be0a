"""Steps and opinions of incidents as one organization may read them. Needs its scope."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import partial

from django.db.models import Q, QuerySet

from apps.incidents.models import Feedback, Incident, IncidentStep
from apps.incidents.states import Judgement
from apps.tenancy.database.one_of import one_of_ids
from apps.tenancy.models import Organization
from apps.tenancy.one_reading import read_once


def readable_opinions(*, organization: Organization) -> QuerySet[Feedback]:
    """Return all versions of opinions that an organization may know of."""
    return Feedback.objects.filter(
        Q(organization=organization) | Q(audience__contains=[organization.pk])
    )


def standing_opinions(rows: Iterable[Feedback]) -> list[Feedback]:
    """Return what each party says now of an incident, of all versions, the first to judge first."""
    newest: dict[int, Feedback] = {}
    for row in sorted(rows, key=lambda each: (each.version, each.pk)):
        newest[row.organization_id] = row
    standing = (row for row in newest.values() if row.judgement != Judgement.TAKEN_BACK)
    return sorted(standing, key=lambda row: (row.created_at, row.pk))


def for_all(row: Feedback | IncidentStep, organizations: Collection[int]) -> bool:
    """Say whether each of some organizations may know of a step or an opinion."""
    return set(organizations) <= {row.organization_id, *row.audience}


def opinions_by_incident(
    *, organization: Organization, incidents: Collection[Incident]
) -> dict[int, list[Feedback]]:
    """Return incident id → what each party says of it now."""
    ids = [each.pk for each in incidents]
    return opinions_on(organization=organization, incident_ids=ids, left=_left_at(incidents))


def opinions_on(
    *,
    organization: Organization,
    incident_ids: Collection[int],
    left: Mapping[int, datetime] | None = None,
) -> dict[int, list[Feedback]]:
    """Return the same by ids alone; of incidents whose reader `left` only what was said by then."""
    left = left or {}
    told = _told(organization, incident_ids)
    found: dict[int, list[Feedback]] = {}
    for row in told:
        found.setdefault(row.incident_id, []).append(row)
    return {
        pk: standing_opinions(row for row in rows if pk not in left or row.created_at <= left[pk])
        for pk, rows in found.items()
    }


def _told(organization: Organization, incident_ids: Collection[int]) -> Iterable[Feedback]:
    """Return all versions on these incidents; those on one are read once, with who said them."""
    rows = readable_opinions(organization=organization)
    rows = rows.filter(one_of_ids("incident_id", incident_ids))
    if len(incident_ids) != 1:
        return rows
    key = ("opinions", organization.pk, *incident_ids)
    return read_once(key, partial(list, rows.select_related("organization")))


def steps_by_incident(
    *, organization: Organization, incidents: Collection[Incident]
) -> dict[int, list[IncidentStep]]:
    """Return incident id → the steps that the organization may read, in order."""
    told = IncidentStep.objects.filter(
        Q(organization=organization) | Q(audience__contains=[organization.pk]),
        incident__in=incidents,
    )
    left = _left_at(incidents)
    found: dict[int, list[IncidentStep]] = {}
    for step in told.order_by("number", "id"):
        pk = step.incident_id
        if pk not in left or step.created_at <= left[pk]:
            found.setdefault(pk, []).append(step)
    return found


def _left_at(incidents: Collection[Incident]) -> dict[int, datetime]:
    return {each.pk: each.snapshot.taken_at for each in incidents if each.snapshot is not None}
