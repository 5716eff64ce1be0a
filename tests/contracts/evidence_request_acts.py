"""One valid request for each route of evidence requests that changes something."""

from collections.abc import Mapping
from typing import Any

from tests.contracts.acts import API, INCIDENT, PAGE, Act
from tests.contracts.world import World

ONE = f"{API}evidence-requests/<str:public_id>/"
PAGE_OF_ONE = f"{PAGE}sharing/evidence-requests/<str:public_id>/<str:deed>/"
REASON = {"reason": "needed"}


def _form(world: World) -> Mapping[str, Any]:
    return {
        "holder": world.cast.operator.slug,
        "data": "logs:kernel",
        "level": "redacted",
        **REASON,
    }


def _entry(world: World) -> Mapping[str, Any]:
    return {"incident": world.ids["incidents"], **_form(world)}


GRANTED = Act(
    method="post", pattern=f"{ONE}grant/", who="operator", body={"level": "signal"},
    by_person_alone=True,
)  # fmt: skip
REQUEST_ACTS = (
    Act(method="post", pattern=f"{API}evidence-requests/", body=_entry),
    GRANTED,
    Act(method="post", pattern=f"{ONE}decline/", who="operator", body=REASON),
    Act(method="post", pattern=f"{ONE}take-back/"),
    Act(method="post", pattern=f"{ONE}revoke/", who="operator", before=(GRANTED,), body=REASON),
)

GRANTED_ON_PAGE = Act(method="post", pattern=PAGE_OF_ONE, deed="grant", who="operator")
REQUEST_FORMS = (
    Act(method="post", pattern=f"{PAGE}{INCIDENT}evidence-requests/", body=_form),
    GRANTED_ON_PAGE,
    Act(method="post", pattern=PAGE_OF_ONE, deed="decline", who="operator", body=REASON),
    Act(method="post", pattern=PAGE_OF_ONE, deed="take-back"),
    Act(
        method="post", pattern=PAGE_OF_ONE, deed="revoke", who="operator",
        before=(GRANTED_ON_PAGE,), body=REASON,
    ),
)  # fmt: skip
