"""Where the routes lead to the things of the planted parties."""

from apps.tenancy.models import Organization
from tests.contracts.canaries import Planted
from tests.contracts.route_matrix import Route


def paths_of(
    route: Route, organization: Organization, planted: Planted, *, last: bool = False
) -> set[str]:
    """Return the paths of a route to the things of each incident, or of the last alone."""
    tenants = (planted.cast.tenant, planted.cast.other_tenant)
    pairs = [*zip(planted.incidents, planted.sessions, tenants, strict=True)][-1 if last else 0 :]
    reports = [planted.shared["reports"], *planted.reports]
    # Of reports all are asked for, of other things those of each incident.
    things = [(*each, reports[0]) for each in pairs] + [
        (*pairs[-1], name) for name in reports[1:] if "reports" in route.pattern
    ]
    return {
        route.path(
            organization.slug,
            {
                "as": owner.slug,
                **planted.shared,
                "clusters": planted.cast.cluster.slug,
                "nodes": f"{planted.cast.cluster.slug}:gpu001",
                "sessions": session.public_id,
                "incidents": incident.public_id,
                "annotations": "NOTE-0",
                "reports": report,
                "sources": f"SRC-{owner.pk}",
                "warnings": f"EP-{owner.pk}",
                "upload": f"BATCH-{owner.pk}",
                "tokens": "flt_absent",
                "members": "absent",
                "invitations": "INV-absent",
                "deliveries": "msg_absent",
                "proposals": "PRO-absent",
                "submissions": "u-absent",
                "parts": "network_vendor",
                "hand-overs": planted.hand_overs.get(incident.pk, "HND-absent"),
                "resolutions": "RES-absent",
                "actions": "ACT-absent",
                "runs": "1",
                "compare": planted.incidents[0].public_id,
                "hosts": "gpu001",
                "recovery": "1",
                "logs": "LS-" + "00" * 8,
                "saved-views": "VIEW-absent",
            },
        )
        for incident, session, owner, report in things
    }
