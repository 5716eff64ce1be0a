"""One valid request for each route of reports that changes something."""

from collections.abc import Mapping
from typing import Any

from apps.reliability.models import Report
from apps.tenancy.scope import organization_scope
from tests.contracts.acts import API, PAGE, Act
from tests.contracts.world import World

DAYS = {"audience": "own", "first_day": "2026-11-09", "last_day": "2026-11-15"}
REPORT = f"{PAGE}reports/<str:public_id>/issue/"
SCHEDULE = "report-schedules/<str:public_id>/"


def _dissent(world: World) -> Mapping[str, Any]:
    """Name the report of the world as whoever has it read it."""
    with organization_scope(world.cast.tenant.pk):
        found = Report.objects.get(public_id=world.ids["reports"])
    return {
        "revision": found.revision,
        "digest": found.digest,
        "stance": "dissent",
        "reason": "Two stops of the 17th are missing.",
    }


REPORT_ACTS = (
    Act(method="post", pattern=f"{API}reports/", body=DAYS),
    Act(
        method="post",
        pattern=f"{API}reports/<str:public_id>/signatures/",
        body=_dissent,
        by_person_alone=True,
    ),
    Act(
        method="post",
        pattern=f"{API}report-schedules/",
        body={"audience": "own", "rhythm": "monthly"},
        by_person_alone=True,
    ),
    Act(method="delete", pattern=f"{API}{SCHEDULE}", by_person_alone=True),
)
REPORT_FORMS = (
    Act(method="post", pattern=f"{PAGE}reports/issue/", body=DAYS),
    Act(method="post", pattern=REPORT),
    Act(method="post", pattern=f"{PAGE}reports/<str:public_id>/sign/", body=_dissent),
    Act(
        method="post",
        pattern=f"{PAGE}report-schedules/",
        body={"audience": "own", "rhythm": "monthly"},
    ),
    Act(method="post", pattern=f"{PAGE}{SCHEDULE}end/"),
)
