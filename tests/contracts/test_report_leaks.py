"""No report holds the words of a party that its reader must not meet, in any of its forms."""

from copy import deepcopy
from typing import Any

import pytest

from apps.tenancy.models import MemberRole
from tests.cast.clients import Asking, member
from tests.cast.standing import standing
from tests.contracts.canaries import Planted, plant

pytestmark = pytest.mark.sweep
READERS = ("operator", "platform", "tenant", "other tenant", "vendor")
FORMS = ("export.html", "export.md", "export.csv", "changes/", "")


sown = standing(plant)


@pytest.fixture
def planted(sown: Planted, db: None) -> Planted:
    """Words of every party wherever its things are kept, and reports of all of it."""
    return deepcopy(sown)


def _text(answer: Any) -> str:
    assert answer.status_code == 200
    body: bytes = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return body.decode()


def _texts(asking: Asking, report: str) -> dict[str, str]:
    """Return every form of a report."""
    document = asking.get(f"reports/{report}/").json()["document"]
    tables = [each["key"] for each in document["tables"]]
    page = f"/o/{asking.organization.slug}/reports/{report}/"
    return {
        **{form: _text(asking.get(f"reports/{report}/{form}")) for form in FORMS},
        **{
            table: _text(asking.get(f"reports/{report}/export.csv", table=table))
            for table in tables
        },
        "list": _text(asking.get("reports/")),
        "page": _text(asking.client.get(page)),
        "page of all": _text(asking.client.get(f"/o/{asking.organization.slug}/reports/")),
        "record": _text(asking.client.get(f"/o/{asking.organization.slug}/settings/audit/")),
        "moved": _text(asking.client.get(f"{page}?changes=now")),
    }


@pytest.mark.parametrize("reader", READERS)
def test_no_report_holds_the_words_of_others(reader: str, planted: Planted) -> None:
    organization = planted.everyone[reader]
    asking = member(organization, MemberRole.ADMIN)
    reports = [each["id"] for each in asking.get("reports/").json()["results"]]
    assert len(reports) == 3  # its own, that of the cluster, the joint one
    forbidden = planted.forbidden(organization)
    met = {
        (form, word)
        for report in reports
        for form, text in _texts(asking, report).items()
        for word in forbidden
        if word in text
    }
    assert met == set()


def test_a_stranger_has_no_report(planted: Planted) -> None:
    asking = member(planted.cast.stranger, MemberRole.ADMIN)
    assert asking.get("reports/").json()["results"] == []
    assert asking.get(f"reports/{planted.shared['reports']}/").status_code == 404


def test_the_joint_report_names_neither_tenant_to_the_other(planted: Planted) -> None:
    cast = planted.cast
    for reader, other in ((cast.tenant, cast.other_tenant), (cast.other_tenant, cast.tenant)):
        texts = _texts(member(reader, MemberRole.ADMIN), planted.shared["reports"])
        assert not [form for form, text in texts.items() if other.slug in text]


def test_a_joint_report_that_a_tenant_issued_and_signed_names_it_to_who_may_know_it(
    planted: Planted,
) -> None:
    cast = planted.cast
    issuing = member(cast.tenant, MemberRole.ADMIN)
    days = {"first_day": "2026-11-02", "last_day": "2026-11-08"}
    wish = {"audience": "joint", "cluster": cast.cluster.slug, **days}
    issued = issuing.post("reports/", wish).json()["report"]
    said = {"revision": issued["revision"], "digest": issued["digest"], "stance": "settled"}
    assert issuing.post(f"reports/{issued['id']}/signatures/", said).status_code == 200
    for other in (cast.other_tenant, cast.vendor):
        asking = member(other, MemberRole.ADMIN)
        texts = _texts(asking, issued["id"])
        names = (cast.tenant.slug, cast.tenant.name)
        assert not [form for form, text in texts.items() for name in names if name in text]
        told = asking.get(f"reports/{issued['id']}/").json()
        assert told["report"]["issuer"] is None
        assert [each["party"] for each in told["signatures"]] == [None]
    texts = _texts(member(cast.operator, MemberRole.ADMIN), issued["id"])
    named = {form for form, text in texts.items() if cast.tenant.name in text}
    assert {"export.html", "export.md", "page", "page of all"} <= named
    assert cast.tenant.name in texts["record"]
    assert issuing.get("reports/").json()["results"][0]["issuer"] == cast.tenant.slug
