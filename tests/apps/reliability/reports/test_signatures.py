"""Signing reports: of one revision and its digest, by each party, read by all who have it."""

from datetime import timedelta

import pytest
from django.db import ProgrammingError, transaction

from apps.fleet.models import ParticipationRole
from apps.reliability.facade.reports import list_reports, open_report, sign_report
from apps.reliability.models import Report, ReportSignature, ReportStance
from apps.reliability.period.scopes import Audience
from apps.reliability.reports import signatures
from apps.reliability.reports.issue import ReportMoved
from apps.reliability.reports.report_values import ReportView
from apps.reliability.reports.signatures import DissentUnexplained, SignedTooOften, Signing
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.leaving import leave
from tests.cast import make
from tests.cast.incidents import Cast, actor
from tests.cast.reports import AFTER, context_of, issued, leave_one_tenant, stops

LATER = AFTER + timedelta(hours=1)


def signed(
    organization: Organization,
    report: ReportView,
    stance: ReportStance = ReportStance.SETTLED,
    *,
    reason: str = "",
    role: MemberRole = MemberRole.RESPONDER,
) -> None:
    signing = Signing(
        revision=report.head.revision, digest=report.head.digest, stance=stance, reason=reason
    )
    with organization_scope(organization.pk):
        sign_report(
            context=context_of(organization, role=role, now=LATER),
            public_id=report.head.public_id,
            signing=signing,
        )


def read(organization: Organization, report: ReportView, revision: int | None = None) -> ReportView:
    with organization_scope(organization.pk):
        return open_report(
            actor=actor(organization), public_id=report.head.public_id, revision=revision
        )


def joint(cast: Cast) -> ReportView:
    leave_one_tenant(cast)
    stops(cast)
    return issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug)


def stances(report: ReportView) -> dict[str, str]:
    return {each.party.slug if each.party else "": each.stance for each in report.signatures}


def test_every_party_reads_who_signed_and_who_did_not_yet(cast: Cast) -> None:
    report = joint(cast)
    signed(cast.tenant, report)
    signed(cast.vendor, report, ReportStance.DISSENT, reason="Ours was resolved on Sunday.")
    for party in (cast.operator, cast.tenant):
        told = read(party, report)
        assert stances(told) == {cast.tenant.slug: "settled", cast.vendor.slug: "dissent"}
        assert [each.reason for each in told.signatures] == ["", "Ours was resolved on Sunday."]
        assert {each.digest for each in told.signatures} == {report.head.digest}
        assert cast.operator.slug in {each.slug for each in told.unsigned}
        assert not {cast.tenant.slug, cast.vendor.slug} & {each.slug for each in told.unsigned}


def test_who_signed_is_a_person_to_its_own_organization_alone(cast: Cast) -> None:
    report = joint(cast)
    signed(cast.tenant, report)
    (own,), (others,) = read(cast.tenant, report).signatures, read(cast.vendor, report).signatures
    assert own.signer_name
    assert others.signer_name == ""


def test_a_later_revision_is_signed_by_nobody_and_the_signed_one_stays(cast: Cast) -> None:
    report = joint(cast)
    signed(cast.tenant, report)
    stops(cast, count=1)
    issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug, now=LATER)
    assert stances(read(cast.vendor, report)) == {}
    old = read(cast.vendor, report, revision=1)
    assert stances(old) == {"": "settled"}  # a tenant is not named to a vendor
    assert old.document == report.document
    assert not old.may_sign


def test_a_revision_that_is_not_the_newest_takes_no_signature(cast: Cast) -> None:
    report = joint(cast)
    stops(cast, count=1)
    issued(cast.operator, audience=Audience.JOINT, cluster=cast.cluster.slug, now=LATER)
    with pytest.raises(ReportMoved):
        signed(cast.tenant, report)
    assert stances(read(cast.tenant, report, revision=1)) == {}


def test_another_digest_than_the_revisions_is_not_signed(cast: Cast) -> None:
    report = joint(cast)
    signing = Signing(revision=1, digest="0" * 64, stance=ReportStance.SETTLED)
    with organization_scope(cast.tenant.pk), pytest.raises(ReportMoved):
        sign_report(
            context=context_of(cast.tenant), public_id=report.head.public_id, signing=signing
        )


def test_a_document_that_is_not_what_was_issued_says_so_and_takes_no_signature(cast: Cast) -> None:
    report = issued(cast.tenant)
    assert report.is_intact
    with organization_scope(cast.tenant.pk):
        changed = {**report.document, "left_out_attempts": 7}
        Report.objects.for_organization(cast.tenant).update(document=changed)
    assert not read(cast.tenant, report).is_intact
    with pytest.raises(ReportMoved):
        signed(cast.tenant, report)


def test_the_last_that_a_party_says_stands_and_the_same_again_is_nothing(cast: Cast) -> None:
    report = joint(cast)
    signed(cast.tenant, report, ReportStance.DISSENT, reason=" Two stops are missing. ")
    signed(cast.tenant, report, ReportStance.DISSENT, reason="Two stops are missing.")
    signed(cast.tenant, report)
    signed(cast.tenant, report)
    assert stances(read(cast.operator, report)) == {cast.tenant.slug: "settled"}
    with organization_scope(cast.vendor.pk):
        rows = ReportSignature.objects.for_organization(cast.vendor)
        assert list(rows.order_by("number").values_list("stance", "reason")) == [
            ("dissent", "Two stops are missing."),
            ("settled", ""),
        ]


def test_a_signature_is_never_changed(cast: Cast) -> None:
    signed(cast.tenant, issued(cast.tenant))
    with organization_scope(cast.tenant.pk):
        rows = ReportSignature.objects.for_organization(cast.tenant)
        with pytest.raises(ProgrammingError), transaction.atomic():
            rows.update(stance="dissent")
        with pytest.raises(ProgrammingError), transaction.atomic():
            rows.all().delete()


@pytest.mark.parametrize("reason", ["", " \r\n ", "x" * 2001])
def test_a_dissent_says_why(cast: Cast, reason: str) -> None:
    report = issued(cast.tenant)
    with pytest.raises(DissentUnexplained):
        signed(cast.tenant, report, ReportStance.DISSENT, reason=reason)
    assert read(cast.tenant, report).signatures == ()


def test_a_party_does_not_fill_the_records_of_the_others(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signatures, "MOST_TIMES", 1)
    report = joint(cast)
    signed(cast.tenant, report)
    with pytest.raises(SignedTooOften):
        signed(cast.tenant, report, ReportStance.DISSENT, reason="No.")
    signed(cast.vendor, report)


def test_who_only_reads_and_no_machine_signs(cast: Cast) -> None:
    report = issued(cast.tenant)
    with pytest.raises(NotFound):
        signed(cast.tenant, report, role=MemberRole.VIEWER)
    machine = Actor(organization=cast.tenant, rights=frozenset({Right.READ, Right.ACT}))
    context = context_of(cast.tenant)
    signing = Signing(revision=1, digest=report.head.digest, stance=ReportStance.SETTLED)
    with organization_scope(cast.tenant.pk), pytest.raises(NotFound):
        sign_report(
            context=type(context)(actor=machine, now=LATER),
            public_id=report.head.public_id,
            signing=signing,
        )
    assert read(cast.tenant, report).signatures == ()


def test_others_sign_nothing_of_what_they_do_not_have(cast: Cast) -> None:
    report = issued(cast.tenant)
    for other in (cast.operator, cast.other_tenant, cast.stranger):
        with pytest.raises(NotFound):
            signed(other, report)
    assert read(cast.tenant, report).signatures == ()


def test_who_left_the_cluster_reads_what_was_signed_and_signs_no_more(cast: Cast) -> None:
    report = joint(cast)
    signed(cast.tenant, report)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
    told = read(cast.vendor, report)
    assert stances(told) == {"": "settled"}
    assert not told.may_sign
    with pytest.raises(NotFound):
        signed(cast.vendor, report)
    signed(cast.operator, report)
    assert cast.operator.slug not in stances(read(cast.vendor, report))
    assert cast.operator.slug in stances(read(cast.tenant, report))


def test_who_came_later_gets_no_signature_of_what_it_has_not(cast: Cast) -> None:
    report = joint(cast)
    make.participation(
        organization=cast.other_tenant, cluster=cast.cluster, part=ParticipationRole.TENANT
    )
    signed(cast.tenant, report)
    with organization_scope(cast.other_tenant.pk):
        rows = ReportSignature.objects.for_organization(cast.other_tenant)
        assert not rows.exists()


def test_a_signature_stands_in_the_records_of_all_who_have_the_report(cast: Cast) -> None:
    report = joint(cast)
    signed(cast.tenant, report)
    for party in (cast.operator, cast.tenant):
        with organization_scope(party.pk):
            (entry,) = AuditEntry.objects.for_organization(party).filter(action="report.signed")
        assert entry.subject == f"{report.head.public_id} revision 1 settled"
        named = f"organization:{cast.tenant.slug}"
        assert (entry.actor == named) == (party != cast.tenant)
    with organization_scope(cast.vendor.pk):
        assert not AuditEntry.objects.for_organization(cast.vendor).filter(action="report.signed")


def test_a_tenant_is_named_to_who_runs_the_cluster_alone(cast: Cast) -> None:
    report = joint(cast)
    signed(cast.tenant, report, ReportStance.DISSENT, reason="We of the tenant lost more.")
    told = read(cast.vendor, report)
    (unnamed,) = told.signatures
    assert (unnamed.party, unnamed.stance, unnamed.reason) == (None, "dissent", "")
    assert cast.tenant.slug not in {each.slug for each in told.unsigned}
    assert cast.operator.slug in {each.slug for each in told.unsigned}
    (named,) = read(cast.operator, report).signatures
    assert named.reason == "We of the tenant lost more."


def test_a_list_counts_signatures_of_the_newest_revision(cast: Cast) -> None:
    report = joint(cast)
    signed(cast.tenant, report)
    signed(cast.vendor, report, ReportStance.DISSENT, reason="No.")
    with organization_scope(cast.operator.pk):
        (head,) = list_reports(actor=actor(cast.operator))
    told = head.signatures
    assert (told.settled, told.dissenting) == (1, 1)
    assert told.parties == len(read(cast.operator, report).unsigned) + 2


def test_what_no_text_holds_is_left_out_of_a_reason(cast: Cast) -> None:
    report = joint(cast)
    signed(cast.vendor, report, ReportStance.DISSENT, reason="Ours\x00 ended.")
    (told,) = read(cast.operator, report).signatures
    assert told.reason == "Ours ended."
    with pytest.raises(DissentUnexplained):
        signed(cast.tenant, report, ReportStance.DISSENT, reason="\x00 \x00")
