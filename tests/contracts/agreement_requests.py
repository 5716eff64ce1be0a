"""One valid request for each route of agreements that changes something."""

from collections.abc import Mapping
from typing import Any

from tests.contracts.acts import API, PAGE, Act
from tests.contracts.world import World

ONE = f"{API}agreements/<str:public_id>/"


def _terms(world: World) -> Mapping[str, Any]:
    return {
        "cluster": world.cast.cluster.slug,
        "organization": world.cast.vendor.slug,
        "preset": "joint-operations",
    }


SIGNED = Act(method="post", pattern=f"{ONE}sign/", body={"version": 1}, by_person_alone=True)
AGREEMENT_ACTS = (
    Act(
        method="post",
        pattern=f"{API}agreements/",
        who="operator",
        body=_terms,
        by_person_alone=True,
    ),
    SIGNED,
    Act(
        method="post",
        pattern=f"{ONE}decline/",
        body={"version": 1, "reason": "too much"},
        by_person_alone=True,
    ),
    Act(
        method="post",
        pattern=f"{ONE}take-back/",
        who="operator",
        body={"version": 1},
        by_person_alone=True,
    ),
    Act(
        method="post",
        pattern=f"{ONE}revoke/",
        before=(SIGNED,),
        body={"version": 1, "reason": "the contract ended"},
        by_person_alone=True,
    ),
)


PAGE_OF_ONE = f"{PAGE}sharing/agreements/<str:public_id>/<str:act>/"


def _form(world: World) -> Mapping[str, Any]:
    return {
        "cluster": world.cast.cluster.slug,
        "counterpart": world.cast.vendor.slug,
        "preset": "joint-operations",
    }


def _ticked(world: World) -> Mapping[str, Any]:
    return {"agreement": f"{world.ids['agreements']}.1"}


SIGNED_ON_PAGE = Act(method="post", pattern=PAGE_OF_ONE, act="sign", body={"number": "1"})
AGREEMENT_FORMS = (
    Act(method="post", pattern=f"{PAGE}sharing/propose/", who="operator", body=_form),
    SIGNED_ON_PAGE,
    Act(method="post", pattern=f"{PAGE}sharing/sign/", body=_ticked),
    Act(
        method="post",
        pattern=PAGE_OF_ONE,
        act="decline",
        body={"number": "1", "reason": "too much"},
    ),
    Act(method="post", pattern=PAGE_OF_ONE, act="take-back", who="operator", body={"number": "1"}),
    Act(
        method="post",
        pattern=PAGE_OF_ONE,
        act="end",
        before=(SIGNED_ON_PAGE,),
        body={"number": "1", "reason": "the contract ended"},
    ),
)
