"""Right or wrong: who may say it, what is kept of the verdict, and who reads it."""

from datetime import timedelta
from threading import Thread

import pytest
from django.db import DatabaseError, connection, transaction

from apps.diagnosis.model import statement_of
from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.incident_writer import (
    IncidentIdentity,
    new_public_id,
    open_incident,
    rewrite,
)
from apps.incidents.entries import Audience, Opinion
from apps.incidents.judgement.feedback import judge, note_of, opinion_of, opinions_of, take_back
from apps.incidents.judgement.judged_incidents import judged_incidents
from apps.incidents.judgement.knowledge_version import edition
from apps.incidents.models import Feedback, Incident
from apps.incidents.projection.annotations import annotations_of
from apps.incidents.projection.incident_view import read_timeline
from apps.incidents.refusals import BadOpinion, VerdictMoved
from apps.incidents.states import IncidentKind, Judgement
from apps.incidents.words.opinions import causes_by_layer
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from apps.wording import headline_in_english
from tests.apps.incidents.judgement.judging import LINK, NOW, RIGHT, said
from tests.cast import make
from tests.cast.incidents import Cast, actor, assemble, attempt_of, conclusion, stop_of


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A stop of the tenant: gpu-off-bus, at 0.9."""
    return stop_of(cast, attempt_of(cast, cast.tenant))


def opinions(who: Organization, incident: Incident) -> list[tuple[str, str, str]]:
    """Return who says what, as an organization reads it."""
    with organization_scope(who.pk):
        rows = opinions_of(actor=actor(who), incident=incident)
    return [(row.organization.slug, row.judgement, row.actual_cause) for row in rows]


def titles(who: Organization, incident: Incident) -> list[str]:
    """Return what an organization reads of judgements on the timeline."""
    with organization_scope(who.pk):
        return [
            headline_in_english(statement_of(row.statement))
            for row in read_timeline(incident=incident)
            if row.kind == "feedback"
        ]


def test_a_judgement_keeps_the_verdict_as_it_stood(cast: Cast, incident: Incident) -> None:
    row = said(cast.tenant, incident, LINK)

    assert (row.version, row.revision, row.edition) == (1, incident.revision, edition())
    assert (row.layer, row.cause, row.probability) == ("gpu", "gpu-off-bus", 0.9)
    assert (row.actual_layer, row.actual_cause) == ("network", "link-down")


def test_the_parties_read_who_judged_and_how(cast: Cast, incident: Incident) -> None:
    said(cast.tenant, incident, LINK)
    said(cast.vendor, incident, RIGHT, now=NOW + timedelta(minutes=1))

    told = [(cast.tenant.slug, "wrong", "link-down"), (cast.vendor.slug, "right", "")]
    for party in (cast.tenant, cast.operator, cast.vendor):
        assert opinions(party, incident) == told
        assert len(titles(party, incident)) == 2
    assert "judged answer 1 wrong: it was Network, link down" in titles(cast.operator, incident)[0]
    for outsider in (cast.other_tenant, cast.stranger):
        assert opinions(outsider, incident) == []
        assert titles(outsider, incident) == []


def test_the_words_are_for_their_audience_alone(cast: Cast, incident: Incident) -> None:
    audience = Audience(organizations=(cast.operator.slug,))
    said(cast.tenant, incident, LINK, note="the switch was rebooted", audience=audience)

    for reader, count in ((cast.tenant, 1), (cast.operator, 1), (cast.vendor, 0)):
        with organization_scope(reader.pk):
            assert len(annotations_of(incident=incident)) == count
            assert "switch was" not in repr(Feedback.objects.values_list())
    said(cast.tenant, incident, LINK, note="it was port 4", audience=audience)
    with organization_scope(cast.tenant.pk):
        note = note_of(actor=actor(cast.tenant), incident=incident)
    assert note is not None
    assert (note.version, note.text) == (2, "it was port 4")


def test_a_change_is_a_new_version_and_the_same_again_is_none(
    cast: Cast, incident: Incident
) -> None:
    for opinion in (RIGHT, RIGHT, LINK, LINK):
        said(cast.tenant, incident, opinion)

    assert opinions(cast.operator, incident) == [(cast.tenant.slug, "wrong", "link-down")]
    assert len(titles(cast.operator, incident)) == 1
    with organization_scope(cast.tenant.pk):
        kept = list(Feedback.objects.order_by("version").values_list("version", "judgement"))
        assert kept == [(1, "right"), (2, "wrong")]
        with pytest.raises(DatabaseError), transaction.atomic():
            Feedback.objects.update(judgement="right")


def test_what_was_taken_back_was_never_said(cast: Cast, incident: Incident) -> None:
    said(cast.tenant, incident, LINK)
    with organization_scope(cast.tenant.pk):
        who = actor(cast.tenant)
        take_back(actor=who, incident=incident, now=NOW + timedelta(minutes=1))
        assert opinion_of(actor=who, incident=incident) is None
        with pytest.raises(NotFound):
            take_back(actor=who, incident=incident, now=NOW)
        assert judged_incidents(actor=who) == []
    assert opinions(cast.operator, incident) == []
    assert titles(cast.operator, incident) == []
    said(cast.tenant, incident, RIGHT, now=NOW + timedelta(minutes=2))
    assert len(titles(cast.operator, incident)) == 1


@pytest.mark.parametrize(
    "opinion",
    [
        Opinion(judgement=Judgement.RIGHT, layer="network"),
        Opinion(judgement=Judgement.WRONG, layer="weather"),
        Opinion(judgement=Judgement.WRONG, cause="link-down"),
        Opinion(judgement=Judgement.WRONG, layer="storage", cause="link-down"),
        Opinion(judgement=Judgement.WRONG, layer="gpu", cause="gpu-off-bus"),
        Opinion(judgement=Judgement.WRONG, layer="unknown"),
    ],
)
def test_a_judgement_that_contradicts_itself_is_refused(
    cast: Cast, incident: Incident, opinion: Opinion
) -> None:
    with pytest.raises(BadOpinion):
        said(cast.tenant, incident, opinion)
    assert opinions(cast.tenant, incident) == []


def test_a_verdict_that_changed_meanwhile_is_looked_at_again(
    cast: Cast, incident: Incident
) -> None:
    stale = Opinion(judgement=Judgement.RIGHT, revision=incident.revision + 1)
    with pytest.raises(VerdictMoved):
        said(cast.tenant, incident, stale)


def test_a_viewer_reads_and_does_not_judge(cast: Cast, incident: Incident) -> None:
    with organization_scope(cast.tenant.pk), pytest.raises(NotFound):
        judge(
            actor=actor(cast.tenant, MemberRole.VIEWER), incident=incident, opinion=RIGHT, now=NOW
        )


def test_one_tenant_does_not_learn_of_the_other_from_a_shared_incident(cast: Cast) -> None:
    attempts = [attempt_of(cast, each) for each in (cast.tenant, cast.other_tenant)]
    told = conclusion(cast)
    place = IncidentIdentity(
        owner_id=cast.operator.pk,
        kind=IncidentKind.SHARED,
        cluster_id=cast.cluster.pk,
        entity="mount:/ckpt",
    )
    with organization_scope(*cast.ids):
        shared = open_incident(
            place=place,
            conclusion=told,
            public_id=new_public_id(),
            is_simulated=False,
            now=make.AT,
        )
        for each in attempts:
            attach(incident=shared, attempt=each, conclusion=told)
            rewrite(
                incident=shared,
                attempt=each,
                conclusion=told,
                newest_evidence_at=None,
                now=make.AT,
            )
    said(cast.tenant, shared, LINK)

    assert opinions(cast.other_tenant, shared) == []
    assert titles(cast.other_tenant, shared) == []
    assert len(opinions(cast.operator, shared)) == 1


def test_every_cause_of_the_list_may_have_been_it(cast: Cast, incident: Incident) -> None:
    listed = [(layer, cause) for layer, causes in causes_by_layer().items() for cause in causes]
    assert ("unknown", "benign") in listed
    assert ("unknown", "unknown") not in listed
    assert len(listed) == len({cause for _, cause in listed}) >= 40


@pytest.mark.django_db(transaction=True)
def test_two_colleagues_at_once_leave_one_judgement_that_counts() -> None:
    cast = assemble()
    made = stop_of(cast, attempt_of(cast, cast.tenant))
    people = [actor(cast.tenant), actor(cast.tenant)]
    refused: list[str] = []

    def click(number: int) -> None:
        try:
            with organization_scope(cast.tenant.pk):
                opinion = (RIGHT, LINK)[number]
                at = NOW + timedelta(seconds=number)
                judge(actor=people[number], incident=made, opinion=opinion, now=at)
        except Exception as error:  # noqa: BLE001  what it was is asserted
            refused.append(type(error).__name__)
        finally:
            connection.close()

    clicks = [Thread(target=click, args=(number,)) for number in (0, 1)]
    for each in clicks:
        each.start()
    for each in clicks:
        each.join()

    with organization_scope(cast.tenant.pk):
        versions = list(Feedback.objects.order_by("version").values_list("version", flat=True))
    assert versions == list(range(1, len(versions) + 1))
    assert refused in ([], ["AlreadyHandled"])
    assert len(versions) + len(refused) == 2
