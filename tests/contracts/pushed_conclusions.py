"""What a portal concludes of logs that were pushed to it."""

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis
from apps.fleet.models import Attempt
from apps.telemetry.attempts.readings import readings_of_attempt
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, drain_all


def concluded(people: Cast) -> Diagnosis:
    """Interpret everything and return what is said of the session."""
    drain_all(people.operator, people.tenant, people.platform)
    with organization_scope(people.operator.pk, people.tenant.pk, people.platform.pk):
        attempt = Attempt.objects.select_related("session").get()
        return diagnose(readings=readings_of_attempt(attempt=attempt).readings)
