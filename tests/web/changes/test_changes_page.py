"""The page of changes: one's own, others' as they show them, and the form to write one down."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from apps.fleet.models import ClusterChange, Participation
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import AuditEntry, MemberRole, Membership, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.changes import changed, keep_node
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db
TYPED = {
    "key": "form-1",
    "kind": "firmware",
    "layer": "network",
    "at": "2026-11-21T01:46",
    "until": "",
    "hosts": "gpu[001-003] gpu007",
    "title": "switch firmware",
    "before": "1.0",
    "after": "1.1",
    "reference": "NET-7",
    "url": "https://tickets.example.com/NET-7",
}


def _path(cast: Cast, who: Organization, act: str = "") -> str:
    return f"/o/{who.slug}/changes/{cast.cluster.slug}/{act}"


def _page(cast: Cast, who: Organization, client: Client, **query: str) -> str:
    answer = client.get(_path(cast, who), query)
    assert answer.status_code == 200, answer.content
    return one_line(answer.content.decode())


def _tell(cast: Cast, who: Organization, client: Client, **typed: str) -> Any:
    return client.post(_path(cast, who, "tell/"), TYPED | typed)


def _rows(who: Organization) -> list[ClusterChange]:
    with organization_scope(who.pk):
        return list(ClusterChange.objects.filter(organization=who))


def test_a_change_is_written_down_and_sent_twice_it_is_one(cast: Cast, browser: Browser) -> None:
    client = browser(cast.operator)
    for _ in range(2):
        assert _tell(cast, cast.operator, client).status_code == 302
    (row,) = _rows(cast.operator)
    assert row.hosts == ["gpu001", "gpu002", "gpu003", "gpu007"]
    assert (row.kind, row.layer, row.after) == ("firmware", "network", "1.1")
    assert row.by
    text = _page(cast, cast.operator, client)
    for said in ("switch firmware", "1.0 → 1.1", "on 4 nodes", "NET-7"):
        assert said in text
    with organization_scope(cast.operator.pk):
        entries = AuditEntry.objects.filter(action="change.told")
        assert entries.count() == 1


def test_a_name_that_matches_no_node_known_now_is_said_to_its_teller_alone(
    cast: Cast, browser: Browser
) -> None:
    keep_node(cast.operator, cast.cluster, "gpu001")
    client = browser(cast.operator)
    answer = client.post(_path(cast, cast.operator, "tell/"), TYPED, follow=True)
    text = one_line(answer.content.decode())
    said = "No node known to you is named gpu002, gpu003, gpu007"
    assert text.count(said) == 2  # where it was written down, and in its row
    assert _page(cast, cast.operator, client).count(said) == 1
    keep_node(cast.operator, cast.cluster, "gpu007")
    assert "is named gpu002, gpu003<" in _page(cast, cast.operator, client).replace(" <", "<")

    agreed(cast.operator, cast.vendor, cast.cluster, preset="open-book")
    shown = _page(cast, cast.vendor, browser(cast.vendor))
    assert "switch firmware" in shown
    assert "No node known to you" not in shown


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"title": " "}, "Say in a few words"),
        ({"title": "x" * 201}, "is too long"),
        ({"kind": "magic"}, "Choose what kind"),
        ({"at": "yesterday"}, "Say when it was changed"),
        ({"at": "2027-11-21T01:46"}, "still to come"),
        ({"until": "2026-11-20T01:46"}, "not earlier than the begin"),
        ({"hosts": "gpu/1"}, "“gpu/1” is no name of a host."),
        ({"hosts": "gpu[001-"}, "“gpu[001-” is no name of a host."),
        ({"hosts": "gpu[003-001]"}, "“gpu[003-001]” is no name of a host."),
        ({"url": "javascript:alert(1)"}, "must begin with https://"),
    ],
)
def test_what_can_not_be_written_down_is_said_and_stays_in_the_form(
    cast: Cast, browser: Browser, typed: dict[str, str], said: str
) -> None:
    answer = _tell(cast, cast.operator, browser(cast.operator), **typed)
    assert answer.status_code == 422
    text = one_line(answer.content.decode())
    assert said in text
    assert 'value="NET-7"' in text
    assert _rows(cast.operator) == []


def test_it_is_taken_back_by_its_owner_alone(cast: Cast, browser: Browser) -> None:
    row = changed(cast.operator, cast.cluster)
    for other in (cast.tenant, cast.vendor):
        answer = browser(other).post(_path(cast, other, "withdraw/"), {"change": row.public_id})
        assert answer.status_code == 404
    viewer = browser(cast.operator, MemberRole.VIEWER)
    refused = viewer.post(_path(cast, cast.operator, "withdraw/"), {"change": row.public_id})
    assert refused.status_code == 404
    assert len(_rows(cast.operator)) == 1
    own = browser(cast.operator)
    own.post(_path(cast, cast.operator, "withdraw/"), {"change": row.public_id})
    assert _rows(cast.operator) == []
    with organization_scope(cast.operator.pk):
        assert AuditEntry.objects.filter(action="change.withdrawn").count() == 1


def test_a_viewer_reads_and_writes_nothing(cast: Cast, browser: Browser) -> None:
    changed(cast.operator, cast.cluster)
    viewer = browser(cast.operator, MemberRole.VIEWER)
    text = _page(cast, cast.operator, viewer)
    assert "CHANGE-TITLE" in text
    assert "Take back" not in text
    assert 'id="tell"' not in text
    assert _tell(cast, cast.operator, viewer).status_code == 404
    assert len(_rows(cast.operator)) == 1


def test_others_read_none_of_it_without_an_agreement(cast: Cast, browser: Browser) -> None:
    changed(cast.operator, cast.cluster)
    for other in (cast.tenant, cast.other_tenant, cast.vendor):
        text = _page(cast, other, browser(other))
        assert "CHANGE-" not in text
        assert "No change in these days" in text


def test_as_a_signal_it_is_told_that_there_was_one(cast: Cast, browser: Browser) -> None:
    changed(cast.operator, cast.cluster)
    rule = SharingRule(data="changes:*", level=Level.SIGNAL)
    agreed(cast.operator, cast.tenant, cast.cluster, terms={cast.operator.slug: [rule]})
    text = _page(cast, cast.tenant, browser(cast.tenant))
    assert "<b>driver</b>" in text
    assert "nodes hidden by policy" in text
    assert cast.operator.name in text
    for hidden in ("CHANGE-", "550.54", "gpu001", "Take back"):
        assert hidden not in text


def test_outsiders_former_members_and_who_left_find_no_such_page(
    cast: Cast, browser: Browser
) -> None:
    changed(cast.tenant, cast.cluster)
    outsider, former = browser(cast.stranger), browser(cast.tenant)
    assert outsider.get(_path(cast, cast.stranger)).status_code == 404
    assert outsider.get(_path(cast, cast.tenant)).status_code == 404
    assert _tell(cast, cast.stranger, outsider).status_code == 404
    assert former.get(_path(cast, cast.tenant)).status_code == 200
    with organization_scope(cast.tenant.pk):
        Membership.objects.filter(organization=cast.tenant).delete()
    assert former.get(_path(cast, cast.tenant)).status_code == 404
    assert _tell(cast, cast.tenant, former).status_code == 404
    left = browser(cast.tenant)
    with organization_scope(cast.tenant.pk):
        Participation.objects.filter(organization=cast.tenant).delete()
    assert left.get(_path(cast, cast.tenant)).status_code == 404
    assert _tell(cast, cast.tenant, left).status_code == 404


def test_of_older_days_it_is_asked_for(cast: Cast, browser: Browser) -> None:
    changed(cast.operator, cast.cluster, starts_at=make.AT - timedelta(days=40))
    client = browser(cast.operator)
    assert "CHANGE-TITLE" not in _page(cast, cast.operator, client)
    assert "CHANGE-TITLE" in _page(cast, cast.operator, client, days="90")


def test_the_only_cluster_is_led_to(cast: Cast, browser: Browser) -> None:
    answer = browser(cast.operator).get(f"/o/{cast.operator.slug}/changes/")
    assert answer.status_code == 302
    assert answer["Location"] == _path(cast, cast.operator)


@pytest.mark.parametrize(("role", "leads"), [(MemberRole.ADMIN, True), (MemberRole.VIEWER, False)])
def test_who_may_make_a_token_is_led_there(
    cast: Cast, browser: Browser, role: MemberRole, *, leads: bool
) -> None:
    text = _page(cast, cast.operator, browser(cast.operator, role))
    assert (f'href="/o/{cast.operator.slug}/sources/#new-token"' in text) is leads
    assert ("An admin of your organization makes the token." in text) is not leads


def test_what_has_to_be_filled_in_is_marked_and_nothing_else(cast: Cast, browser: Browser) -> None:
    form = _page(cast, cast.operator, browser(cast.operator)).split('id="tell"')[1]
    form = form.split("</form>")[0]
    fields = form.split('<div class="field">')[1:]
    assert len(fields) == 10
    needed = [each for each in fields if " required" in each]
    assert len(needed) == 2
    assert [each for each in fields if 'class="needed"' in each.split("</label>")[0]] == needed
