"""One valid request for each route of evidence requests that changes something."""

from collections.abc import Mapping
from typing import Any

from apps.incidents.evidence_requests.answers.answers import digest_of
from tests.cast.answers import previewed
from tests.contracts.acts import API, INCIDENT, PAGE, Act
from tests.contracts.world import World

ONE = f"{API}evidence-requests/<str:public_id>/"
PAGE_OF_ONE = f"{PAGE}sharing/evidence-requests/<str:public_id>/<str:act>/"
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


def _digests(world: World) -> Mapping[str, str]:
    """Return rule → digest of what the operator could state."""
    found = previewed(world.ids["evidence-requests"], world.cast.operator).findings
    return {each.check.name: digest_of(each) for each in found}


def _stated(world: World) -> Mapping[str, Any]:
    return {"findings": [{"rule": rule, "digest": of} for rule, of in _digests(world).items()]}


def _ticked(world: World) -> Mapping[str, Any]:
    return {"finding": [f"{rule}.{of}" for rule, of in _digests(world).items()]}


GRANTED = Act(
    method="post", pattern=f"{ONE}grant/", who="operator", body={"level": "signal"},
    by_person_alone=True,
)  # fmt: skip
REQUEST_ACTS = (
    Act(method="post", pattern=f"{API}evidence-requests/", body=_entry),
    GRANTED,
    Act(method="post", pattern=f"{ONE}decline/", who="operator", body=REASON),
    Act(
        method="post",
        pattern=f"{ONE}answer/",
        who="operator",
        body=_stated,
        by_person_alone=True,
    ),
    Act(method="post", pattern=f"{API}signing-keys/", who="operator", by_person_alone=True),
    Act(method="post", pattern=f"{ONE}take-back/"),
    Act(method="post", pattern=f"{ONE}revoke/", who="operator", before=(GRANTED,), body=REASON),
)

GRANTED_ON_PAGE = Act(method="post", pattern=PAGE_OF_ONE, act="grant", who="operator")
REQUEST_FORMS = (
    Act(method="post", pattern=f"{PAGE}{INCIDENT}evidence-requests/", body=_form),
    GRANTED_ON_PAGE,
    Act(method="post", pattern=PAGE_OF_ONE, act="decline", who="operator", body=REASON),
    Act(
        method="post", pattern=f"{PAGE}sharing/evidence-requests/<str:public_id>/answer/",
        who="operator", body=_ticked,
    ),
    Act(method="post", pattern=f"{PAGE}sharing/signing-keys/", who="operator"),
    Act(method="post", pattern=PAGE_OF_ONE, act="take-back"),
    Act(
        method="post", pattern=PAGE_OF_ONE, act="revoke", who="operator",
        before=(GRANTED_ON_PAGE,), body=REASON,
    ),
)  # fmt: skip
