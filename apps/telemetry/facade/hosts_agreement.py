"""Taking a party's word for hosts, with everything that follows for what runs."""

from apps.fleet.models import Cluster, ParticipationRole
from apps.fleet.parties.cross_party_acts import ActContext
from apps.fleet.parties.host_agreements import agree_as
from apps.telemetry.scheduler.reports import look_again
from apps.tenancy.access import Actor


def agree_on_hosts(
    *,
    actor: Actor,
    cluster: Cluster,
    slug: str,
    part: ParticipationRole,
    is_agreed: bool,
    context: ActContext,
) -> None:
    """Take a party's word for hosts, or no longer, and look again at its attempts that run.

    Both sides' records tell of it. Raises NotFound. Needs the scope.
    """
    attempts = agree_as(
        actor=actor, cluster=cluster, slug=slug, part=part, is_agreed=is_agreed, context=context
    )
    look_again(organization_id=actor.organization.pk, attempts=attempts, now=context.now)
