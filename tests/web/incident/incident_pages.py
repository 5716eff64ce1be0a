"""The page of an incident, as one of its readers fetches it."""

from django.test import Client

from apps.incidents.models import (
    Incident,
)
from apps.tenancy.models import Organization
from tests.web.markup import one_line

HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


def address(organization: Organization, incident: Incident) -> str:
    return f"/o/{organization.slug}/incidents/{incident.public_id}/"


def page(client: Client, organization: Organization, incident: Incident, query: str = "") -> str:
    response = client.get(address(organization, incident) + query)
    assert response.status_code == 200
    return one_line(response.content.decode())
