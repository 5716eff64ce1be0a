"""Asking another party for evidence on the page of an incident."""

from django.test import Client

from apps.incidents.models import Incident
from apps.tenancy.models import Organization
from tests.cast.incidents import Cast
from tests.web.pressing import press, read

ASKED = {"data": "metrics:gpu", "level": "full", "reason": "did it grow hot before?"}


def at(organization: Organization, incident: Incident) -> str:
    return f"/o/{organization.slug}/incidents/{incident.public_id}/"


def ask(client: Client, cast: Cast, incident: Incident, **typed: str) -> str:
    page = read(client, at(cast.tenant, incident))
    sent = {"holder": cast.operator.slug, **ASKED, **typed}
    return press(client, page, 'id="ask-holder"', **sent)
