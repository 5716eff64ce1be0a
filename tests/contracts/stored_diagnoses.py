"""A stored incident as the values that the command prints."""

from apps.diagnosis.model import Reading
from apps.fleet.models import Attempt, Session
from apps.telemetry.attempts.readings import readings_of_attempt
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast


def stored(people: Cast) -> tuple[Reading, ...]:
    """Return what correlation reads of the session."""
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.get(session=Session.objects.get(name="run"))
        return readings_of_attempt(attempt=attempt).readings
