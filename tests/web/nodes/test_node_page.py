"""The page of a node: its history for who runs it, less for tenants and vendors."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.fleet.models import Attempt, NodeExclusion, Participation
from apps.reliability.facade.periods import period_of, scope_of
from apps.reliability.period.scopes import Audience
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast.clients import member, token
from tests.cast.failing_nodes import LEMON, OTHERS, weeks
from tests.cast.incidents import Cast, actor
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(cast: Cast) -> Cast:
    """A node that fails again."""
    weeks(cast, now=timezone.now())  # noqa: TID251  pages look at the clock
    return cast


def _path(cast: Cast, who: Organization, host: str = LEMON) -> str:
    return f"/o/{who.slug}/nodes/{cast.cluster.slug}/{host}/"


def _page(cast: Cast, who: Organization, host: str = LEMON, **query: str) -> str:
    answer = member(who).client.get(_path(cast, who, host), query)
    assert answer.status_code == 200, answer.content
    return one_line(answer.content.decode())


def test_who_runs_it_reads_the_whole_history(told: Cast) -> None:
    page = _page(told, told.operator)
    assert "3 incidents in the last 28 days blame it." in page
    assert page.count("NVLink again") == 4  # twice in the drawing, twice in the list
    assert "root · " in page
    assert "new-board" in page
    assert "serial-of-old-board" in page
    assert page.count('class="history-incident layer-gpu"') == 3
    assert page.count('class="history-out ') == 2
    assert page.count('class="history-run ') == 3
    assert page.count('class="history-part ') == 1


def _start_again(told: Cast) -> None:
    """Let each session that stopped start again an hour after its end."""
    with organization_scope(*told.ids):
        for stopped in Attempt.objects.filter(number=1):
            assert stopped.ended_at is not None
            Attempt.objects.create(
                organization_id=stopped.organization_id,
                session=stopped.session,
                number=2,
                state="running",
                started_at=stopped.ended_at + timedelta(hours=1),
                world_size=16,
            )


def test_what_it_cost_is_what_the_figures_of_the_same_days_say(told: Cast) -> None:
    _start_again(told)
    now = timezone.now()  # noqa: TID251  pages look at the clock
    for who, lost in ((told.operator, 48.0), (told.tenant, 48.0), (told.vendor, None)):
        history = token(who).get(f"nodes/{told.cluster.slug}:{LEMON}/history/", days=90).json()
        asking = actor(who)
        with organization_scope(who.pk):
            scope = scope_of(
                actor=asking,
                audience=Audience.CLUSTER,
                cluster=told.cluster.slug,
                first_day=(now - timedelta(days=90)).date(),
                last_day=now.date(),
            )
            nodes = period_of(actor=asking, scope=scope, now=now, channel=None).worst_nodes
        (node,) = [each for each in nodes if each.host == LEMON]
        cost = history["cost"]
        assert (cost["gpu_hours"], cost["at_least"]) == (node.gpu_hours, node.is_at_least)
        assert cost["gpu_hours"] == lost  # three stops, 16 GPUs, an hour each
    page = _page(told, told.operator, days="90")
    assert '<a href="#incidents">at least 48.0</a>' in page
    assert "3 incidents counted" in page
    assert "as under Reliability for the same days" in page


def test_where_nothing_of_it_is_known_a_cost_is_no_zero(told: Cast) -> None:
    page = _page(told, told.operator)  # none started again, and steps are its tenant's
    assert '<a href="#incidents">–</a>' in page  # noqa: RUF001  no number
    assert "hidden by policy" in page


def test_a_vendor_does_not_know_on_how_many_nodes_jobs_ran(told: Cast) -> None:
    path = f"nodes/{told.cluster.slug}:{LEMON}/history/"
    by_reader = {}
    for who in (told.operator, told.vendor):
        history = token(who).get(path).json()
        signals = {each["signal"]: each for each in history["lemon"]["signals"]}
        by_reader[who.slug] = (history["sizes_known"], signals["multi-node-failures"]["value"])
        rest = token(who).get(f"clusters/{told.cluster.slug}/offenders/").json()
        assert rest["sizes_known"] is history["sizes_known"]
    assert by_reader == {told.operator.slug: (True, 3.0), told.vendor.slug: (False, None)}
    shown = _page(told, told.vendor).partition('id="lemon"')[2]
    assert shown.count("not known") >= 4  # Xids, and failures by the size of jobs
    offenders = member(told.vendor).client.get(
        f"/o/{told.vendor.slug}/offenders/{told.cluster.slug}/"
    )
    assert "On how many nodes jobs ran is not yours to read" in offenders.content.decode()


def test_failures_of_jobs_on_one_node_are_none_of_jobs_on_several(told: Cast) -> None:
    with organization_scope(*told.ids):
        Attempt.objects.filter(hosts__contains=[LEMON]).update(hosts=[LEMON])
    path = f"nodes/{told.cluster.slug}:{LEMON}/history/"
    for who, value in ((told.operator, 0.0), (told.vendor, None)):
        signals = token(who).get(path).json()["lemon"]["signals"]
        (found,) = [each for each in signals if each["signal"] == "multi-node-failures"]
        assert found["value"] == value


def test_the_score_names_its_seven_signals_and_opens_what_they_count(told: Cast) -> None:
    page = _page(told, told.operator)
    signals = page[page.index('id="lemon"') :]
    assert signals.count("<tr>") >= 8
    assert '<a class="text-link" href="#incidents">3</a>' in signals
    assert '<a class="text-link" href="#exclusions">2</a>' in signals
    assert "not known" in signals  # Xids: no kernel log came in


def test_a_tenant_reads_that_its_node_was_left_out_and_nothing_of_others(told: Cast) -> None:
    page = _page(told, told.tenant)
    assert page.count('class="history-out ') == 2
    for hidden in ("NVLink again", "root", "old-board", "new-board"):
        assert hidden not in page
    assert "hidden by policy" in page
    assert "Exclude this node" not in page


def test_a_tenant_reads_nothing_of_anothers_sessions_on_a_node(told: Cast) -> None:
    page = _page(told, told.other_tenant, OTHERS[3])
    assert page.count('class="history-run ') == 1
    answer = member(told.tenant).client.get(_path(told, told.tenant, OTHERS[3]))
    assert answer.status_code == 404


def test_a_vendor_reads_of_a_node_that_is_blamed_on_its_layer(told: Cast) -> None:
    page = _page(told, told.vendor)
    assert page.count('class="history-incident layer-gpu"') == 3
    assert 'class="history-run ' not in page
    assert "NVLink again" not in page
    answer = member(told.vendor).client.get(_path(told, told.vendor, OTHERS[7]))
    assert answer.status_code == 404


def test_there_is_no_node_for_strangers_and_none_of_another_name(told: Cast) -> None:
    for who, host in ((told.stranger, LEMON), (told.operator, "gpu999")):
        assert member(who).client.get(_path(told, who, host)).status_code == 404


def test_an_operator_writes_down_that_it_is_left_out_and_puts_it_back(told: Cast) -> None:
    client = member(told.operator).client
    path = _path(told, told.operator)
    done = client.post(f"{path}exclude/", {"reason": "smells burnt"}, follow=True)
    page = one_line(done.content.decode())
    assert "Written down: gpu071 is left out. No scheduler was told." in page
    assert "It is left out now." in page
    assert "Put back" in page
    done = client.post(f"{path}put-back/", follow=True)
    assert "It is left out now." not in one_line(done.content.decode())
    assert "It is left out now." not in _page(told, told.tenant)


def test_without_a_reason_nothing_is_written_down(told: Cast) -> None:
    client = member(told.operator).client
    done = client.post(f"{_path(told, told.operator)}exclude/", {"reason": " "}, follow=True)
    assert "say why the node is left out" in done.content.decode()
    with organization_scope(told.operator.pk):
        assert not NodeExclusion.objects.filter(kind="manual").exists()


@pytest.mark.parametrize("act", ["exclude", "put-back"])
def test_tenants_vendors_viewers_and_strangers_write_nothing_down(told: Cast, act: str) -> None:
    people = (
        member(told.tenant),
        member(told.vendor),
        member(told.stranger),
        member(told.operator, MemberRole.VIEWER),
    )
    for each in people:
        path = f"{_path(told, each.organization)}{act}/"
        assert each.client.post(path, {"reason": "x"}).status_code == 404
    with organization_scope(*told.ids):
        assert not NodeExclusion.objects.filter(kind="manual").exists()


def test_who_gave_up_its_part_is_told_that_there_is_no_such_node(told: Cast) -> None:
    with organization_scope(told.tenant.pk):
        Participation.objects.for_organization(told.tenant).delete()
    assert member(told.tenant).client.get(_path(told, told.tenant)).status_code == 404


def test_the_span_is_of_the_address_and_an_unknown_one_is_told(told: Cast) -> None:
    page = _page(told, told.operator, days="28")
    assert re.search(r'href="\?days=28" aria-current="true"', page)
    assert "28" in _page(told, told.operator, days="12")


@pytest.mark.parametrize("until", ["9999-12-31T23:59:59-05:00", "0001-01-01T00:00", "2200-01-01"])
def test_a_planned_end_of_no_year_is_not_kept_and_pages_go_on(told: Cast, until: str) -> None:
    client = member(told.operator, MemberRole.ADMIN).client
    path = f"{_path(told, told.operator)}exclude/"
    answer = client.post(path, {"reason": "odd end", "until": until})
    assert answer.status_code == 302
    with organization_scope(told.operator.pk):
        row = NodeExclusion.objects.get(reason="odd end")
    assert row.ends_at is None
    assert "odd end" in _page(told, told.operator)
