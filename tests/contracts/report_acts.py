"""One valid request for each route of reports that changes something."""

from tests.contracts.acts import API, PAGE, Act

DAYS = {"audience": "own", "first_day": "2026-11-09", "last_day": "2026-11-15"}
REPORT = f"{PAGE}reports/<str:public_id>/issue/"
SCHEDULE = "report-schedules/<str:public_id>/"

REPORT_ACTS = (
    Act(method="post", pattern=f"{API}reports/", body=DAYS),
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
    Act(
        method="post",
        pattern=f"{PAGE}report-schedules/",
        body={"audience": "own", "rhythm": "monthly"},
    ),
    Act(method="post", pattern=f"{PAGE}{SCHEDULE}end/"),
)
