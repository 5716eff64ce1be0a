"""What an organization sent of logs, and what became of it. Needs the actor's scope."""

from apps.telemetry.logs.set_aside import access_set_aside
from apps.telemetry.values import BatchView, batch_view
from apps.tenancy.access import Actor
from apps.tenancy.values import ValueList


def list_set_aside(*, actor: Actor) -> ValueList[BatchView]:
    """Return what the actor's organization sent and could not be read, the newest first."""
    rows = access_set_aside(actor=actor)
    return ValueList(rows=rows, project=lambda found: [batch_view(each) for each in found])
