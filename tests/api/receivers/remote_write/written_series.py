"""A series of tests as remote_write names it, and how its source stands."""

from apps.telemetry.models import PushedState
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

WRITTEN = "X-Prometheus-Remote-Write-{}-Written"
UP = {"__name__": "up", "instance": "gpu001:9100", "job": "node"}


def key(labels: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return labels as the window's answers name them."""
    return tuple(sorted(labels.items()))


def state(organization: Organization) -> PushedState:
    """Return how the one pushed source stands."""
    with organization_scope(organization.pk):
        return PushedState.objects.get()
