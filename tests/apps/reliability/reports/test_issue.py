"""Issued reports: frozen, counted again as revisions, and the same for all who read one."""

import json
import random
from datetime import timedelta

import pytest

from apps.fleet.models import ParticipationRole, Session
from apps.incidents.entries import Opinion
from apps.incidents.facade.reads import list_incidents
from apps.incidents.judgement import feedback
from apps.incidents.models import Incident
from apps.incidents.states import Judgement
from apps.reliability.facade.periods import scope_of
from apps.reliability.facade.reports import (
    changes_since,
    issue_again,
    issue_report,
    list_reports,
    open_report,
)
from apps.reliability.models import Report
from apps.reliability.period.compose import compose
from apps.reliability.period.read import period_facts
from apps.reliability.period.scopes import Audience
from apps.reliability.reports import issue as issuing
from apps.reliability.reports.counting.changes import ChangeKind
from apps.reliability.reports.counting.document import report_document
from apps.reliability.reports.counting.document_values import digest_of
from apps.tenancy.access import NotFound
from apps.tenancy.models import AuditEntry, MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor
from tests.cast.reports import (
    AFTER,
    FIRST,
    LAST,
    context_of,
    figure,
    issued,
    leave_one_tenant,
    rows,
    stops,
)


def test_a_report_counts_the_incidents_of_its_days(cast: Cast) -> None:
    made = {each.public_id for each in stops(cast)}
    report = issued(cast.tenant)

    told = figure(report, "incidents")
    assert (told["value"], told["n"]) == (3, 3)
    assert set(told["counted"]["ids"]) == made
    (row,) = rows(report, "incidents-by-layer")
    assert (row["layer"], row["share"]["hits"], row["share"]["n"]) == ("gpu", 3, 3)
    assert row["share"]["low"] < 1 == row["share"]["high"]
    assert {row["incident"] for row in rows(report, "incidents")} == made


def test_a_rate_has_its_interval_and_absence_is_no_zero(cast: Cast) -> None:
    report = issued(cast.tenant)
    agreed = figure(report, "agreed")
    assert (agreed["value"], agreed["absence"]) == (None, "nothing")
    stops(cast, count=3)
    few = figure(issued(cast.tenant, now=AFTER + timedelta(minutes=1)), "found-after")
    assert (few["n"], few["interval"]) == (3, None)
    stops(cast, count=3)
    found = figure(issued(cast.tenant, now=AFTER + timedelta(minutes=2)), "found-after")
    assert found["n"] == 6
    assert len(found["interval"]) == 2


def test_time_in_hands_is_that_within_the_days(cast: Cast) -> None:
    stops(cast, count=1)
    (row,) = rows(issued(cast.tenant), "in-hands")
    # Detected a minute after 02:00 on Saturday, open until the week is over.
    assert row["party"] == cast.operator.name
    assert row["seconds"] == (46 * 60 - 1) * 60


def test_the_document_is_what_its_digest_says(cast: Cast) -> None:
    stops(cast)
    report = issued(cast.tenant)
    assert digest_of(report.document) == report.head.digest
    assert digest_of(json.loads(json.dumps(report.document))) == report.head.digest


def test_the_same_range_gives_the_same_numbers_later(cast: Cast) -> None:
    stops(cast)
    first = issued(cast.tenant)
    again = issued(cast.tenant, now=AFTER + timedelta(days=30))
    assert again == first
    assert first.head.revision == 1


def test_what_moved_since_is_a_new_revision_and_the_old_one_stays(cast: Cast) -> None:
    made = stops(cast)
    first = issued(cast.tenant)
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=made[0].pk).update(layer="network", cause="link-down")
    new = stops(cast, count=1)[0]
    second = issued(cast.tenant, now=AFTER + timedelta(hours=1))

    assert (second.head.public_id, second.head.revision) == (first.head.public_id, 2)
    moved = {(each.kind, each.incident, each.field) for each in second.changes if each.incident}
    assert (ChangeKind.CAME, new.public_id, "") in moved
    assert (ChangeKind.MOVED, made[0].public_id, "layer") in moved
    figures = {each.figure: (each.before, each.after) for each in second.changes if each.figure}
    assert figures["incidents"] == (3, 4)
    with organization_scope(cast.tenant.pk):
        old = open_report(actor=actor(cast.tenant), public_id=first.head.public_id, revision=1)
    assert old.document == first.document
    assert not old.is_newest


def test_what_changed_since_is_said_without_a_revision(cast: Cast) -> None:
    stops(cast)
    first = issued(cast.tenant)
    asking = actor(cast.tenant)
    with organization_scope(cast.tenant.pk):
        assert changes_since(actor=asking, public_id=first.head.public_id, now=AFTER) == ()
    new = stops(cast, count=1)[0]
    with organization_scope(cast.tenant.pk):
        moved = changes_since(actor=asking, public_id=first.head.public_id, now=AFTER)
        assert new.public_id in {each.incident for each in moved}
        assert Report.objects.for_organization(cast.tenant).count() == 1
        assert (
            issue_again(context=context_of(cast.tenant), public_id=first.head.public_id).revision
            == 2
        )


def test_a_joint_report_is_one_document_for_all_parties(cast: Cast) -> None:
    leave_one_tenant(cast)
    stops(cast)
    first = issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    for other in (cast.tenant, cast.vendor):
        with organization_scope(other.pk):
            (head,) = list_reports(actor=actor(other))
            copy = open_report(actor=actor(other), public_id=head.public_id)
        assert copy.document == first.document
        assert head.digest == first.head.digest
        assert head.issuer is not None
        assert head.issuer.slug == cast.operator.slug
        assert head.issuer_name == ""
    assert figure(first, "incidents")["value"] == 3


@pytest.mark.parametrize("who", ["operator", "tenant", "vendor"])
def test_who_issues_a_joint_report_makes_no_difference(cast: Cast, who: str) -> None:
    leave_one_tenant(cast)
    stops(cast)
    first = issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    other = issued(
        getattr(cast, who), audience=Audience.JOINT, cluster=cast.cluster.slug, now=AFTER
    )
    assert other.document == first.document
    assert other.head.revision == 1


def test_a_joint_report_names_no_blamed_part_and_no_session(cast: Cast) -> None:
    leave_one_tenant(cast)
    stops(cast)
    with organization_scope(cast.tenant.pk):
        names = list(Session.objects.values_list("name", flat=True))
    report = issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    text = json.dumps(report.document)
    assert "gpu001" not in text
    assert names
    assert not any(each in text for each in names)
    told = {each["figure"] for each in report.document["withheld"]}
    assert {"blamed-parts", "worst-nodes"} <= told


def test_with_two_tenants_a_joint_report_tells_neither_of_the_other(cast: Cast) -> None:
    made = stops(cast)
    report = issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    text = json.dumps(report.document)
    assert figure(report, "incidents")["value"] == 0
    assert not any(each.public_id in text for each in made)
    assert cast.tenant.slug not in text
    told = {(each["figure"], each["absence"]) for each in report.document["withheld"]}
    assert ("in-hands", "other-tenants") in told


def test_others_have_no_copy_of_what_is_an_organizations_own(cast: Cast) -> None:
    stops(cast)
    first = issued(cast.tenant)
    for other in (cast.operator, cast.other_tenant, cast.stranger):
        with organization_scope(other.pk):
            assert list(list_reports(actor=actor(other))) == []
            with pytest.raises(NotFound):
                open_report(actor=actor(other), public_id=first.head.public_id)


def test_who_has_no_part_in_a_cluster_issues_nothing_of_it(cast: Cast) -> None:
    context = context_of(cast.stranger)
    with organization_scope(cast.stranger.pk), pytest.raises(NotFound):
        scope_of(
            actor=context.actor,
            audience=Audience.JOINT,
            cluster=cast.cluster.slug,
            first_day=FIRST,
            last_day=LAST,
        )


def test_who_only_reads_issues_nothing(cast: Cast) -> None:
    context = context_of(cast.tenant, role=MemberRole.VIEWER)
    with organization_scope(cast.tenant.pk):
        scope = scope_of(actor=context.actor, first_day=FIRST, last_day=LAST)
        with pytest.raises(NotFound):
            issue_report(context=context, scope=scope)
        assert not Report.objects.for_organization(cast.tenant).exists()


def test_an_issue_stands_in_the_records_of_all_who_got_it(cast: Cast) -> None:
    leave_one_tenant(cast)
    report = issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    for party in (cast.operator, cast.tenant, cast.vendor):
        with organization_scope(party.pk):
            (entry,) = AuditEntry.objects.for_organization(party).filter(action="report.issued")
        assert entry.subject == f"{report.head.public_id} revision 1"
    with organization_scope(cast.tenant.pk):
        own = AuditEntry.objects.for_organization(cast.tenant).get(action="report.issued")
    assert own.actor == f"organization:{cast.operator.slug}"


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_facts_makes_no_difference(cast: Cast, seed: int) -> None:
    stops(cast, count=4)
    context = context_of(cast.tenant)
    with organization_scope(cast.tenant.pk):
        scope = scope_of(actor=context.actor, first_day=FIRST, last_day=LAST)
        facts = period_facts(actor=context.actor, scope=scope, now=AFTER)
        headers = list(list_incidents(actor=context.actor))
        period = compose(facts, price=None)
        once = report_document(facts=facts, period=period, headers=headers)
        random.Random(seed).shuffle(headers)  # noqa: S311  an order, no secret
        again = report_document(facts=facts, period=period, headers=headers)
    assert len(headers) == 4
    assert digest_of(again) == digest_of(once)


def test_who_comes_later_reads_nothing_of_the_revision_before(cast: Cast) -> None:
    leave_one_tenant(cast)
    stops(cast)
    first = issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)
    assert figure(first, "incidents")["value"] == 3
    make.participation(
        organization=cast.other_tenant, cluster=cast.cluster, part=ParticipationRole.TENANT
    )
    second = issued(
        cast.operator,
        audience=Audience.JOINT,
        cluster=cast.cluster.slug,
        now=AFTER + timedelta(hours=1),
    )
    assert second.changes
    with organization_scope(cast.other_tenant.pk):
        copy = open_report(actor=actor(cast.other_tenant), public_id=second.head.public_id)
        with pytest.raises(NotFound):
            open_report(actor=actor(cast.other_tenant), public_id=second.head.public_id, revision=1)
    assert copy.document == second.document
    assert copy.changes == ()


@pytest.mark.parametrize("readers", [1, 2])
def test_an_opinion_that_is_not_for_all_is_in_no_joint_report(
    cast: Cast, monkeypatch: pytest.MonkeyPatch, readers: int
) -> None:
    leave_one_tenant(cast)
    (found,) = stops(cast, count=1)
    present = [cast.operator.pk, cast.tenant.pk][:readers]
    monkeypatch.setattr(feedback, "present_parties", lambda **_: present)
    with organization_scope(*cast.ids):
        wrong = Opinion(judgement=Judgement.WRONG, layer="network")
        feedback.judge(actor=actor(cast.vendor), incident=found, opinion=wrong, now=AFTER)
    slug = cast.cluster.slug
    joint = issued(cast.operator, audience=Audience.JOINT, cluster=slug)
    own = issued(cast.operator, audience=Audience.CLUSTER, cluster=slug)
    told = [(each["party"], each["said_layer"]) for each in rows(own, "dissent")]
    assert told == [(cast.vendor.name, "network")]
    assert len(rows(joint, "dissent")) == readers - 1
    assert figure(joint, "contested")["value"] == readers - 1


def test_one_party_does_not_fill_the_lists_of_the_others(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuing, "MOST_A_DAY", 1)
    slug = cast.cluster.slug
    issued(cast.tenant, audience=Audience.JOINT, cluster=slug)
    with pytest.raises(issuing.TooManyReports):
        issued(cast.tenant, audience=Audience.JOINT, cluster=slug)
    issued(cast.operator, audience=Audience.JOINT, cluster=slug)  # others go on
    issued(cast.tenant, now=AFTER + timedelta(days=2))
