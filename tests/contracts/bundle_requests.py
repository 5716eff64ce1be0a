"""One valid request for each route of evidence bundles that changes something."""

from collections.abc import Mapping
from typing import Any

from tests.cast.bundles import made
from tests.contracts.acts import API, PAGE, Act
from tests.contracts.world import World

ONE = f"{API}bundles/<str:public_id>/"
PAGE_OF_ONE = f"{PAGE}sharing/bundles/<str:public_id>/<str:act>/"


def _wish(world: World) -> Mapping[str, Any]:
    return {"incident": world.ids["incidents"], "recipients": [world.cast.tenant.slug]}


def _form(world: World) -> Mapping[str, Any]:
    return {
        "incident": world.ids["incidents"],
        "recipient": world.cast.tenant.slug,
        "section": "evidence",
        "piece": "1",
        "level": "redacted",
        "profile": "operations",
        "neighbours": "3",
        "days": "14",
    }


def _not_sent(world: World) -> None:
    world.ids["bundles"] = made(world.cast.operator, world.cast.tenant)


BUNDLE_ACTS = (
    Act(method="post", pattern=f"{API}bundles/", who="operator", body=_wish),
    Act(
        method="post",
        pattern=f"{ONE}send/",
        who="operator",
        prepare=_not_sent,
        by_person_alone=True,
    ),
    Act(
        method="post",
        pattern=f"{ONE}revoke/",
        who="operator",
        body={"reason": "the wrong incident"},
        by_person_alone=True,
    ),
)
BUNDLE_FORMS = (
    Act(method="post", pattern=f"{PAGE}sharing/bundles/new/", who="operator", body=_form),
    Act(method="post", pattern=PAGE_OF_ONE, act="send", who="operator", prepare=_not_sent),
    Act(
        method="post",
        pattern=PAGE_OF_ONE,
        act="withdraw",
        who="operator",
        body={"reason": "the wrong incident"},
    ),
)
